"""Addresses: of providers as people may see them, and those that no sandbox may reach."""

from urllib.parse import urlsplit

PRIVATE = (
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "168.63.129.16/32",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "224.0.0.0/4",
    "240.0.0.0/4",
)
"""Not of the world, as providers' rules take them where a sandbox may reach everything else."""


def without_login(url: str) -> str:
    """Scheme, host and port alone: somebody may have written a password into it."""
    scheme, host, *_ = urlsplit(url)
    return f"{scheme}://{host.rpartition('@')[2]}"

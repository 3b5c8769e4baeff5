"""Addresses of providers as people may see them."""

from urllib.parse import urlsplit


def without_login(url: str) -> str:
    """Scheme, host and port alone: somebody may have written a password into it."""
    scheme, host, *_ = urlsplit(url)
    return f"{scheme}://{host.rpartition('@')[2]}"

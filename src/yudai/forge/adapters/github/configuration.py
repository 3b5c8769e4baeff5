"""Configuration of the adapter, and its limits."""

from typing import NamedTuple
from urllib.parse import urlsplit

from pydantic import SecretStr

from yudai.kit.value import Value

# From 2026-03-10 on, pull requests do not say which commit they were merged as.
API_VERSION = "2022-11-28"
PUBLIC_API = "https://api.github.com"
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class AppConfig(Value):
    """The GitHub App of this installation."""

    app_id: str
    private_key: SecretStr
    installation_id: int | None = None
    """The installation to use; None: that of each repository."""


class Bounds(NamedTuple):
    connect_s: float = 10.0
    total_s: float = 30.0
    at_once: int = 20
    max_bytes: int = 20 << 20
    """Bytes of one response, uncompressed."""
    max_pages: int = 50
    repeats: int = 3
    """Retries of a repeatable request."""
    longest_wait_s: float = 60.0
    """Seconds that a request waits for rate limits in total before it fails."""


BOUNDS = Bounds()


def is_loopback(url: str) -> bool:
    return urlsplit(url).hostname in _LOOPBACK


def host(url: str) -> str:
    return urlsplit(url).hostname or ""

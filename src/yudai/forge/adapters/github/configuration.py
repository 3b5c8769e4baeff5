"""What the adapter is built from, and its bounds."""

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
    """The one installation to use; None: each repository's own."""


class Bounds(NamedTuple):
    connect_s: float = 10.0
    total_s: float = 30.0
    at_once: int = 20
    max_bytes: int = 20 << 20
    """Of one answer, unpacked."""
    max_pages: int = 50
    repeats: int = 3
    """After the first attempt, of what may be asked again."""
    longest_wait_s: float = 60.0
    """How long one request may wait for a rate limit in total; above that it fails."""


BOUNDS = Bounds()


def is_loopback(url: str) -> bool:
    return urlsplit(url).hostname in _LOOPBACK


def host(url: str) -> str:
    return urlsplit(url).hostname or ""

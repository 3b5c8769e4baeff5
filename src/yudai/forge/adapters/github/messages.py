"""A request to GitHub and its response."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pydantic import SecretStr

_NO_TOKEN = SecretStr("")
_REPEATABLE = frozenset({"GET", "HEAD", "PUT", "DELETE"})


@dataclass(frozen=True)
class Identity:
    """The credential of a request, and the remedy if it is rejected."""

    remedy: str
    token: SecretStr = _NO_TOKEN
    is_app: bool = False
    """Signed by the App itself, instead of an installation's token."""
    writer: str = ""
    """Writes with the same value wait for each other; "": no waiting."""
    on_rejected: Callable[[], None] = field(default=lambda: None, repr=False)
    """The forge no longer accepts it."""

    @property
    def fingerprint(self) -> str:
        secret = self.token.get_secret_value()
        return hashlib.sha256(f"{self.is_app}:{secret}".encode()).hexdigest()


@dataclass(frozen=True)
class ApiRequest:
    path: str
    """Path from the API's root, or a full URL at the same host."""
    method: str = "GET"
    params: Mapping[str, str] = field(default_factory=dict[str, str])
    body: Mapping[str, object] | None = None
    form: Mapping[str, str] | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    is_fresh: bool = False
    """Bypass the cache."""
    is_idempotent: bool = False
    """Idempotent, although its method is not."""

    @property
    def may_repeat(self) -> bool:
        return self.is_idempotent or self.method in _REPEATABLE

    @property
    def is_write(self) -> bool:
        return self.method not in ("GET", "HEAD")


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes = field(repr=False)

    @property
    def next_url(self) -> str:
        """URL of the next page from the `Link` header; "" on the last."""
        for part in self.headers.get("link", "").split(","):
            address, _, relation = part.partition(";")
            if 'rel="next"' in relation:
                return address.strip().strip("<>")
        return ""


@dataclass(frozen=True)
class NoResponse:
    reason: str
    was_sent: bool
    """Whether the forge may have executed it."""
    is_final: bool = False
    """Whether a retry would fail the same way."""

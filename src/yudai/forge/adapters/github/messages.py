"""A question to GitHub, and what came back."""

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from pydantic import SecretStr

_NO_TOKEN = SecretStr("")
_REPEATABLE = frozenset({"GET", "HEAD", "PUT", "DELETE"})


@dataclass(frozen=True)
class Identity:
    """In whose name a request goes out, and what to do when it is not taken."""

    remedy: str
    token: SecretStr = _NO_TOKEN
    is_app: bool = False
    """The App itself, by a signature, rather than one of its installations."""
    writer: str = ""
    """Whose writes wait for each other; "": they do not."""
    on_rejected: Callable[[], None] = field(default=lambda: None, repr=False)
    """The forge does not take it any more."""

    @property
    def fingerprint(self) -> str:
        secret = self.token.get_secret_value()
        return hashlib.sha256(f"{self.is_app}:{secret}".encode()).hexdigest()


@dataclass(frozen=True)
class Ask:
    path: str
    """From the API's root, or a whole address at the same host."""
    method: str = "GET"
    params: Mapping[str, str] = field(default_factory=dict[str, str])
    body: Mapping[str, object] | None = None
    form: Mapping[str, str] | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    is_fresh: bool = False
    """Answered by the forge, never from memory."""
    is_harmless: bool = False
    """A second time changes nothing more, though the method does not say so."""

    @property
    def may_repeat(self) -> bool:
        return self.is_harmless or self.method in _REPEATABLE

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
        """Of the next page, as the `Link` header says; "" on the last."""
        for part in self.headers.get("link", "").split(","):
            address, _, relation = part.partition(";")
            if 'rel="next"' in relation:
                return address.strip().strip("<>")
        return ""


@dataclass(frozen=True)
class Silence:
    """No answer."""

    reason: str
    was_sent: bool
    """The forge may have acted upon it."""
    is_hopeless: bool = False
    """Asking again would end the same way."""

"""Secrets that are kept: sealed so that the database alone opens none, hashed where none is."""

from typing import Protocol

from pydantic import SecretStr

from yudai.kit.errors import RefusedError


class SealBrokenError(RefusedError):
    """It was sealed with a key that is not there any more, or was tampered with."""


class Vault(Protocol):
    def seal(self, secret: SecretStr) -> str: ...

    def open(self, sealed: str) -> SecretStr:
        """SealBrokenError where none of the keys fits."""
        ...

    def rotate(self, sealed: str) -> str:
        """The same secret under the newest key."""
        ...


class Digest(Protocol):
    def of(self, purpose: str, text: str) -> str:
        """64 hexadecimal digits; the same text for another purpose has others."""
        ...

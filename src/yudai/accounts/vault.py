"""Stored secrets: sealed with keys outside the database, or hashed."""

from typing import Protocol

from pydantic import SecretStr

from yudai.kit.errors import RefusedError


class SealBrokenError(RefusedError):
    """The secret was sealed with a removed key, or was tampered with."""


class Vault(Protocol):
    def seal(self, secret: SecretStr) -> str: ...

    def open(self, sealed: str) -> SecretStr:
        """Open a sealed secret; SealBrokenError when no key fits."""
        ...

    def rotate(self, sealed: str) -> str:
        """Seal the same secret with the newest key."""
        ...


class Digest(Protocol):
    def of(self, purpose: str, text: str) -> str:
        """64 hexadecimal digits, different for each purpose."""
        ...

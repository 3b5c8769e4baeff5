"""A vault and a digest whose secrets are looked for when the first one is needed.

Who never logs in gets no key files.
"""

from collections.abc import Callable
from functools import cached_property

from pydantic import SecretStr

from yudai.accounts.vault import Digest, Vault


class LazyVault:
    def __init__(self, make: Callable[[], Vault]) -> None:
        self._make = make

    @cached_property
    def _vault(self) -> Vault:
        return self._make()

    def seal(self, secret: SecretStr) -> str:
        return self._vault.seal(secret)

    def open(self, sealed: str) -> SecretStr:
        return self._vault.open(sealed)

    def rotate(self, sealed: str) -> str:
        return self._vault.rotate(sealed)


class LazyDigest:
    def __init__(self, make: Callable[[], Digest]) -> None:
        self._make = make

    @cached_property
    def _digest(self) -> Digest:
        return self._make()

    def of(self, purpose: str, text: str) -> str:
        return self._digest.of(purpose, text)

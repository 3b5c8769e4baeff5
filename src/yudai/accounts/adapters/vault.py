"""Secrets sealed with Fernet: the newest key seals, every key opens."""

import hashlib
import hmac
from collections.abc import Callable, Sequence
from functools import cached_property

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from pydantic import SecretStr

from yudai.accounts.vault import Digest, SealBrokenError, Vault
from yudai.kit.errors import RefusedError

_BROKEN = "a stored token cannot be opened with TOKEN_KEYS: log in again"


class FernetVault:
    def __init__(self, keys: Sequence[SecretStr]) -> None:
        """Newest first; RefusedError for what is no key."""
        if not keys:
            raise RefusedError("TOKEN_KEYS: give at least one key")
        self._keys = MultiFernet([_key(key) for key in keys])

    def seal(self, secret: SecretStr) -> str:
        return self._keys.encrypt(secret.get_secret_value().encode()).decode("ascii")

    def open(self, sealed: str) -> SecretStr:
        try:
            return SecretStr(self._keys.decrypt(sealed.encode()).decode())
        except (InvalidToken, ValueError):
            raise SealBrokenError(_BROKEN) from None

    def rotate(self, sealed: str) -> str:
        try:
            return self._keys.rotate(sealed.encode()).decode("ascii")
        except (InvalidToken, ValueError):
            raise SealBrokenError(_BROKEN) from None


def split_keys(text: SecretStr) -> tuple[SecretStr, ...]:
    """As TOKEN_KEYS has them: commas between, newest first."""
    words = (word.strip() for word in text.get_secret_value().split(","))
    return tuple(SecretStr(word) for word in words if word)


def new_key() -> str:
    return Fernet.generate_key().decode("ascii")


def _key(key: SecretStr) -> Fernet:
    try:
        return Fernet(key.get_secret_value())
    except (ValueError, TypeError):
        # Without what was given: it may be a good key with a bad character.
        raise RefusedError(
            "TOKEN_KEYS: each is 32 random bytes in URL-safe base64, as"
            " `openssl rand -base64 32 | tr '+/' '-_'` gives"
        ) from None


_BYTES = 32


class KeyedDigest:
    def __init__(self, secret_key: SecretStr, salt: SecretStr) -> None:
        derive = HKDF(
            algorithm=SHA256(),
            length=_BYTES,
            salt=salt.get_secret_value().encode(),
            info=b"yudai: logins and keys",
        )
        self._key = derive.derive(secret_key.get_secret_value().encode())

    def of(self, purpose: str, text: str) -> str:
        # Lengths tell where one ends: ("a", "bc") is not ("ab", "c").
        message = f"{len(purpose)}:{purpose}:{text}".encode("utf-8", "surrogatepass")
        return hmac.new(self._key, message, hashlib.sha256).hexdigest()


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

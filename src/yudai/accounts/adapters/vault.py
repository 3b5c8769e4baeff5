"""Secrets sealed with Fernet: the newest key seals, every key opens."""

import hashlib
import hmac
import os
import secrets
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cached_property
from pathlib import Path

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from pydantic import SecretStr

from yudai.accounts.vault import SealBrokenError
from yudai.kit.errors import RefusedError

_BROKEN = "a stored token cannot be opened with TOKEN_KEYS: log in again"


class FernetVault:
    def __init__(self, keys: Sequence[SecretStr] | Callable[[], Sequence[SecretStr]]) -> None:
        """Keys, newest first; an invalid one is refused at once, unless they are made later."""
        self._given = keys
        if not callable(keys):
            _ = self._keys

    @cached_property
    def _keys(self) -> MultiFernet:
        keys = self._given() if callable(self._given) else self._given
        if not keys:
            raise RefusedError("TOKEN_KEYS: give at least one key")
        return MultiFernet([_key(key) for key in keys])

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
    """Keys of TOKEN_KEYS: comma-separated, newest first."""
    words = (word.strip() for word in text.get_secret_value().split(","))
    return tuple(SecretStr(word) for word in words if word)


def new_key() -> str:
    return Fernet.generate_key().decode("ascii")


def _key(key: SecretStr) -> Fernet:
    try:
        return Fernet(key.get_secret_value())
    except (ValueError, TypeError):
        # Do not show it: it may be a valid key with one bad character.
        raise RefusedError(
            "TOKEN_KEYS: each is 32 random bytes in URL-safe base64, as"
            " `openssl rand -base64 32 | tr '+/' '-_'` gives"
        ) from None


_BYTES = 32


class KeyedDigest:
    def __init__(self, secret_key: SecretStr | Callable[[], SecretStr], salt: SecretStr) -> None:
        self._given = secret_key
        self._salt = salt.get_secret_value().encode()

    @cached_property
    def _key(self) -> bytes:
        secret = self._given() if callable(self._given) else self._given
        derive = HKDF(
            algorithm=SHA256(), length=_BYTES, salt=self._salt, info=b"yudai: logins and keys"
        )
        return derive.derive(secret.get_secret_value().encode())

    def of(self, purpose: str, text: str) -> str:
        # Lengths separate the parts: ("a", "bc") is not ("ab", "c").
        message = f"{len(purpose)}:{purpose}:{text}".encode("utf-8", "surrogatepass")
        return hmac.new(self._key, message, hashlib.sha256).hexdigest()


def made_once(file: Path, make: Callable[[], str]) -> SecretStr:
    """The file's content. If several processes create it at once, the first one stays."""
    try:
        if not file.exists():
            _make(file, make())
        return SecretStr(_read(file))
    except OSError as error:
        raise RefusedError(
            f"cannot use {file} ({error.strerror}): set YUDAI_HOME to a folder of your own"
        ) from None


def _make(file: Path, content: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f".{file.name}-{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w") as opened:
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())
        # A link appears atomically.
        with suppress(FileExistsError):
            file.hardlink_to(draft)
    finally:
        draft.unlink()


def _read(file: Path) -> str:
    with file.open() as opened:
        mode = os.fstat(opened.fileno()).st_mode
        if stat.S_IMODE(mode) & 0o077:
            raise RefusedError(f"others can read {file}: run `chmod 600 {file}`")
        return opened.read().strip()

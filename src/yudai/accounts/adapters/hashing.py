"""What browsers and programs hold, hashed with a key of ours: a stolen database lets nobody in."""

import hashlib
import hmac

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from pydantic import SecretStr

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

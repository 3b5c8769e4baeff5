"""An App's signature: RS256, for at most ten minutes."""

import base64
import json
from typing import Any, cast

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa

from yudai.dev.fake_github.errors import Refusal
from yudai.dev.fake_github.records import App

_MOST_S = 600
_SKEW_S = 60


def new_key() -> tuple[bytes, str]:
    """A private key, and the public one that checks it."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    return private, public_of(private)


def public_of(private: bytes) -> str:
    key = serialization.load_pem_private_key(private, password=None)
    return (
        key.public_key()
        .public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
        .decode()
    )


def check(text: str, app: App, now: float) -> None:
    """401 as GitHub words it."""
    try:
        head, body, signature = text.split(".")
        claims, header = _read(body), _read(head)
        signed = base64.urlsafe_b64decode(_padded(signature))
    except ValueError:
        raise Refusal(401, "A JSON web token could not be decoded") from None
    key = serialization.load_pem_public_key(app.public_key.encode())
    if header.get("alg") != "RS256" or not isinstance(key, rsa.RSAPublicKey):
        raise Refusal(401, "A JSON web token could not be decoded")
    try:
        key.verify(signed, f"{head}.{body}".encode(), padding.PKCS1v15(), hashes.SHA256())
    except InvalidSignature:
        raise Refusal(401, "A JSON web token could not be decoded") from None
    _check_claims(claims, app, now)


def _check_claims(claims: dict[str, Any], app: App, now: float) -> None:
    issued, ends = claims.get("iat"), claims.get("exp")
    if str(claims.get("iss")) not in (str(app.id), app.client_id):
        raise Refusal(401, "'Issuer' claim ('iss') must be an Integer or a client id of an App")
    if not isinstance(issued, int | float) or issued > now + _SKEW_S:
        raise Refusal(401, "'Issued at' claim ('iat') must be an Integer in the past")
    if not isinstance(ends, int | float) or ends <= now:
        raise Refusal(401, "'Expiration time' claim ('exp') must be in the future")
    if ends - issued > _MOST_S:
        raise Refusal(401, "'Expiration time' claim ('exp') is too far in the future")


def _read(part: str) -> dict[str, Any]:
    told = json.loads(base64.urlsafe_b64decode(_padded(part)))
    return cast("dict[str, Any]", told) if isinstance(told, dict) else {}


def _padded(part: str) -> str:
    return part + "=" * (-len(part) % 4)

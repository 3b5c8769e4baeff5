"""Reads from a request who sent it, by a token or an App's signature, and what its form holds."""

import base64
import binascii
import json
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from starlette.requests import Request

from yudai.dev.fake_github.access import ANONYMOUS, Caller, caller_of
from yudai.dev.fake_github.errors import Refusal
from yudai.dev.fake_github.records import App
from yudai.dev.fake_github.state import State

_MOST_S = 600
_SKEW_S = 60
# The fake's own clock decides, and GitHub words each refusal.
_OPTIONS: Any = dict.fromkeys(
    ("verify_exp", "verify_aud", "verify_iss", "verify_iat", "verify_nbf"), False
)


def identify(state: State, request: Request) -> Caller:
    """By a token, or by the App's signature; 401 for credentials that are wrong."""
    given = request.headers.get("authorization", "")
    if not given:
        return ANONYMOUS
    scheme, _, text = given.partition(" ")
    text = _from_basic(text) if scheme.lower() == "basic" else text.strip()
    if text.count(".") == 2 and state.world.app is not None:
        _check_signature(text, state.world.app, state.now())
        return Caller(is_app=True)
    return caller_of(state, text)


def _from_basic(text: str) -> str:
    """The token is the password, whatever the name; or the name, where there is no password."""
    try:
        name, _, password = base64.b64decode(text, validate=True).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        raise Refusal(401, "Bad credentials") from None
    return name if password in ("", "x-oauth-basic") else password


async def read_body(request: Request, most: int) -> bytes:
    taken = bytearray()
    async for chunk in request.stream():
        taken += chunk
        if len(taken) > most:
            raise Refusal(413, "Payload Too Large")
    return bytes(taken)


def new_key() -> tuple[bytes, str]:
    """A private key, and the public one that checks it."""
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.TraditionalOpenSSL,
        serialization.NoEncryption(),
    )
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    return private, public.decode()


def _check_signature(text: str, app: App, now: float) -> None:
    """RS256, for at most ten minutes; 401 as GitHub words it."""
    try:
        claims = jwt.decode(text, app.public_key, algorithms=["RS256"], options=_OPTIONS)
    except (jwt.PyJWTError, ValueError):
        raise Refusal(401, "A JSON web token could not be decoded") from None
    issued, ends = claims.get("iat"), claims.get("exp")
    if str(claims.get("iss")) not in (str(app.id), app.client_id):
        raise Refusal(401, "'Issuer' claim ('iss') must be an Integer or a client id of an App")
    if not isinstance(issued, int | float) or issued > now + _SKEW_S:
        raise Refusal(401, "'Issued at' claim ('iat') must be an Integer in the past")
    if not isinstance(ends, int | float) or ends <= now:
        raise Refusal(401, "'Expiration time' claim ('exp') must be in the future")
    if ends - issued > _MOST_S:
        raise Refusal(401, "'Expiration time' claim ('exp') is too far in the future")


_MAX_BODY = 256 << 10


async def fields_of(request: Request) -> dict[str, str]:
    content = await read_body(request, _MAX_BODY)
    if "json" in request.headers.get("content-type", ""):
        return {name: str(value) for name, value in _from_json(content).items()}
    found = parse_qs(content.decode("utf-8", "replace"), keep_blank_values=True)
    return {name: values[-1] for name, values in found.items()}


def _from_json(content: bytes) -> dict[str, Any]:
    try:
        document = json.loads(content)
    except ValueError:
        raise Refusal(400, "Problems parsing JSON") from None
    if not isinstance(document, dict):
        raise Refusal(400, "Problems parsing JSON")
    return cast("dict[str, Any]", document)


def refuse_other_sites(request: Request) -> None:
    """Only this server's own pages may act for a user."""
    origin = request.headers.get("origin", "")
    try:
        is_ours = urlsplit(origin).netloc == request.headers.get("host")
    except ValueError:
        is_ours = False
    site = request.headers.get("sec-fetch-site", "same-origin")
    if not origin or not is_ours or site not in ("same-origin", "none"):
        raise Refusal(403, "only pages of this server may do that")

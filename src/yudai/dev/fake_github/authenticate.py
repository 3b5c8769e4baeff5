"""Reads from a request who sent it."""

import base64
import binascii

from starlette.requests import Request

from yudai.dev.fake_github import app_jwt
from yudai.dev.fake_github.access import ANONYMOUS, Caller, caller_of
from yudai.dev.fake_github.errors import Refusal
from yudai.dev.fake_github.state import State


def identify(state: State, request: Request) -> Caller:
    """By a token, or by the App's signature; 401 for credentials that are wrong."""
    given = request.headers.get("authorization", "")
    if not given:
        return ANONYMOUS
    scheme, _, text = given.partition(" ")
    text = _from_basic(text) if scheme.lower() == "basic" else text.strip()
    if text.count(".") == 2 and state.world.app is not None:
        app_jwt.check(text, state.world.app, state.now())
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

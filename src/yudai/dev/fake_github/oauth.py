"""Tokens for codes: the web flow with PKCE, refreshing, and the device flow."""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from yudai.dev.fake_github.authenticate import fields_of
from yudai.dev.fake_github.errors import Refusal
from yudai.dev.fake_github.records import App, Device, Refresh, Token
from yudai.dev.fake_github.state import State

Fields = dict[str, str]
Document = dict[str, Any]

ACCESS_S = 8 * 3600
REFRESH_S = 15_897_600
DEVICE_S = 900
_INTERVAL_S = 5.0
_LETTERS = "BCDFGHJKLMNPQRSTVWXZ"


class OAuthError(Exception):
    """GitHub tells these with status 200."""

    def __init__(self, error: str, description: str, **more: Any) -> None:
        super().__init__(error)
        self.document: Document = {
            "error": error,
            "error_description": description,
            "error_uri": "https://docs.github.com/apps",
            **more,
        }


def routes(state: State) -> list[Route]:
    return [
        Route("/login/oauth/access_token", _document(state, _exchange), methods=["POST"]),
        Route("/login/device/code", _document(state, _device_code), methods=["POST"]),
    ]


def _document(state: State, act: Callable[[State, Fields], Document]) -> Callable[[Request], Any]:
    async def respond(request: Request) -> Response:
        try:
            fields = dict(request.query_params) | await fields_of(request)
            with state.lock:
                document = act(state, fields)
                state.save()
        except OAuthError as error:
            document = error.document
        except Refusal as refusal:
            return JSONResponse(refusal.document(), refusal.status)
        if "json" in request.headers.get("accept", ""):
            return JSONResponse(document)
        return Response(urlencode(document), media_type="application/x-www-form-urlencoded")

    return respond


def _exchange(state: State, fields: Fields) -> Document:
    kind = fields.get("grant_type", "authorization_code")
    act = {
        "authorization_code": _by_code,
        "refresh_token": _by_refresh,
        "urn:ietf:params:oauth:grant-type:device_code": _by_device,
    }.get(kind)
    if act is None:
        raise OAuthError("unsupported_grant_type", "The grant type is not known.")
    return act(state, fields)


def _client(state: State, fields: Fields, *, with_secret: bool = True) -> App:
    app = state.world.app
    given = fields.get("client_secret", "")
    is_known = app is not None and hmac.compare_digest(app.client_id, fields.get("client_id", ""))
    if app is None or not is_known:
        raise OAuthError("incorrect_client_credentials", "The client_id is not known.")
    if with_secret and not hmac.compare_digest(app.client_secret.encode(), given.encode()):
        raise OAuthError(
            "incorrect_client_credentials", "The client_id and/or client_secret are incorrect."
        )
    return app


def _by_code(state: State, fields: Fields) -> Document:
    _client(state, fields)
    # It is over with the first use, good or bad.
    grant = state.world.grants.pop(fields.get("code", ""), None)
    if grant is None or grant.expires_at <= state.now():
        raise OAuthError("bad_verification_code", "The code passed is incorrect or expired.")
    if fields.get("redirect_uri", grant.redirect_uri) != grant.redirect_uri:
        raise OAuthError("redirect_uri_mismatch", "The redirect_uri is not the one of the code.")
    if grant.challenge and grant.challenge != challenge_of(fields.get("code_verifier", "")):
        raise OAuthError("bad_verification_code", "The code_verifier does not fit the code.")
    return _tokens(state, grant.login)


def challenge_of(verifier: str) -> str:
    """S256 of PKCE."""
    digest = hashlib.sha256(verifier.encode()).digest()
    return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()


def _by_refresh(state: State, fields: Fields) -> Document:
    text = fields.get("refresh_token", "")
    held = state.world.refreshes.get(text)
    _client(state, fields, with_secret=held is None or not held.by_device)
    if held is None or held.expires_at <= state.now():
        raise OAuthError("bad_refresh_token", "The refresh token passed is incorrect or expired.")
    del state.world.refreshes[text]
    state.world.tokens.pop(held.access, None)
    return _tokens(state, held.login, by_device=held.by_device)


def _tokens(state: State, login: str, *, by_device: bool = False) -> Document:
    now = state.now()
    access = state.add_token(Token(kind="user", login=login, expires_at=now + ACCESS_S))
    refresh = f"ghr_{secrets.token_hex(36)}"
    state.world.refreshes[refresh] = Refresh(
        login=login, access=access, expires_at=now + REFRESH_S, by_device=by_device
    )
    return {
        "access_token": access,
        "expires_in": ACCESS_S,
        "refresh_token": refresh,
        "refresh_token_expires_in": REFRESH_S,
        "scope": "",
        "token_type": "bearer",
    }


def _device_code(state: State, fields: Fields) -> Document:
    app = _client(state, fields, with_secret=False)
    letters = "".join(secrets.choice(_LETTERS) for _ in range(8))
    device = Device(
        user_code=f"{letters[:4]}-{letters[4:]}",
        client_id=app.client_id,
        interval=state.device_interval_s,
        expires_at=state.now() + DEVICE_S,
    )
    code = secrets.token_hex(20)
    state.world.devices[code] = device
    return {
        "device_code": code,
        "user_code": device.user_code,
        "verification_uri": f"{state.url}/login/device",
        "expires_in": DEVICE_S,
        "interval": int(device.interval),
    }


def _by_device(state: State, fields: Fields) -> Document:
    _client(state, fields, with_secret=False)
    code, now = fields.get("device_code", ""), state.now()
    device = state.world.devices.get(code)
    if device is None:
        raise OAuthError("incorrect_device_code", "The device_code is not known.")
    if device.expires_at <= now:
        raise OAuthError("expired_token", "The device_code has expired.")
    was, device.asked_at = device.asked_at, now
    if was is not None and now - was < device.interval:
        device.interval += _INTERVAL_S
        raise OAuthError("slow_down", "Too many requests.", interval=int(device.interval))
    if device.denied:
        raise OAuthError("access_denied", "The authorization request was denied.")
    if not device.login:
        raise OAuthError("authorization_pending", "The authorization request is still pending.")
    del state.world.devices[code]
    return _tokens(state, device.login, by_device=True)

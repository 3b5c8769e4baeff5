"""Logins through a GitHub App: browsers with PKCE, terminals with a code that a person types."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from urllib.parse import urlencode, urlsplit

from pydantic import SecretStr

from yudai.forge.adapters.github.client import Client
from yudai.forge.adapters.github.configuration import BOUNDS, Bounds
from yudai.forge.adapters.github.errors import misread, one_line
from yudai.forge.adapters.github.messages import ApiRequest, Identity
from yudai.forge.adapters.github.responses import DeviceAnswer, TokenAnswer
from yudai.forge.adapters.github.retry import Sleep
from yudai.forge.ports.login import DeviceCode, DeviceState, Grant, GrantEndedError
from yudai.kit.clock import Clock
from yudai.kit.errors import ForbiddenError, NotFoundError, RefusedError, YudaiError

_DEVICE_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
_SETTINGS = "set GITHUB_APP_CLIENT_ID and GITHUB_APP_CLIENT_SECRET as the App's page shows them"
_CLIENT = Identity(remedy=_SETTINGS)
_STATES = {
    "authorization_pending": DeviceState.PENDING,
    "slow_down": DeviceState.SLOW_DOWN,
    "access_denied": DeviceState.DENIED,
    "expired_token": DeviceState.EXPIRED,
    # What GitHub says of a code that was used, or that it has forgotten.
    "incorrect_device_code": DeviceState.EXPIRED,
}


class GitHubOAuth:
    def __init__(
        self,
        url: str,
        *,
        client_id: str,
        client_secret: SecretStr | None,
        clock: Clock,
        sleep: Sleep = asyncio.sleep,
        bounds: Bounds = BOUNDS,
    ) -> None:
        self._url = url
        self._client_id = client_id
        self._secret = client_secret
        self._client = Client(url, clock=clock, sleep=sleep, bounds=bounds)

    def authorize_url(self, state: str, challenge: str, redirect_uri: str) -> str:
        query = {
            "client_id": self._client_id,
            "redirect_uri": redirect_uri,
            "state": state,
            "code_challenge": challenge,
            "code_challenge_method": "S256",
        }
        return f"{self._url}/login/oauth/authorize?{urlencode(query)}"

    async def exchange(self, code: str, verifier: str, redirect_uri: str) -> Grant:
        form = {"code": code, "code_verifier": verifier, "redirect_uri": redirect_uri}
        return self._granted(await self._token(form, with_secret=True))

    async def refresh(self, refresh_token: SecretStr) -> Grant:
        form = {"grant_type": "refresh_token", "refresh_token": refresh_token.get_secret_value()}
        return self._granted(await self._token(form, with_secret=True))

    async def device_begin(self) -> DeviceCode:
        ask = _post("/login/device/code", {"client_id": self._client_id})
        # A code that is never typed just expires.
        ask = replace(ask, is_idempotent=True)
        try:
            response = await self._client.one(DeviceAnswer, ask, by=_CLIENT)
        except NotFoundError:
            raise ForbiddenError(f"GitHub does not know the App: {_SETTINGS}") from None
        if response.error:
            raise _refusal(response.error)
        if not response.device_code.get_secret_value() or not response.user_code:
            raise misread(ask, "it holds no code")
        return DeviceCode(
            device_code=response.device_code,
            user_code=response.user_code,
            verification_url=self._checked(response.verification_uri),
            interval_s=response.interval,
            expires_in=response.expires_in,
        )

    async def device_poll(self, device_code: SecretStr) -> Grant | DeviceState:
        form = {"grant_type": _DEVICE_GRANT, "device_code": device_code.get_secret_value()}
        response = await self._token(form, with_secret=False)
        state = _STATES.get(response.error)
        return self._granted(response) if state is None else state

    async def close(self) -> None:
        await self._client.close()

    async def _token(self, form: Mapping[str, str], *, with_secret: bool) -> TokenAnswer:
        whole = {"client_id": self._client_id, **form}
        if with_secret and self._secret:
            whole["client_secret"] = self._secret.get_secret_value()
        ask = _post("/login/oauth/access_token", whole)
        return await self._client.one(TokenAnswer, ask, by=_CLIENT)

    def _granted(self, response: TokenAnswer) -> Grant:
        if response.error:
            raise _refusal(response.error)
        if not response.access_token.get_secret_value():
            raise RefusedError("GitHub gave no token: log in again")
        return Grant(
            access=response.access_token,
            refresh=response.refresh_token,
            access_expires_in=response.expires_in,
            refresh_expires_in=response.refresh_token_expires_in,
        )

    def _checked(self, address: str) -> str:
        """URL to send a person to, always at the forge itself."""
        is_there = urlsplit(address).netloc.lower() == urlsplit(self._url).netloc.lower()
        return address if is_there else f"{self._url}/login/device"


def _post(path: str, form: Mapping[str, str]) -> ApiRequest:
    return ApiRequest(path, method="POST", form=form, headers={"Accept": "application/json"})


def _refusal(error: str) -> YudaiError:
    make = _REFUSALS.get(error)
    return make() if make else RefusedError(f"GitHub refuses the login: {one_line(error)}")


_REFUSALS: dict[str, Callable[[], YudaiError]] = {
    "bad_verification_code": lambda: RefusedError("this login took too long: start it again"),
    "bad_refresh_token": lambda: GrantEndedError("the login has expired: log in again"),
    # Not the login's fault: people who are logged in stay logged in.
    "incorrect_client_credentials": lambda: RefusedError(
        f"GitHub does not take the App's client id and secret: {_SETTINGS}"
    ),
    "redirect_uri_mismatch": lambda: RefusedError(
        "GitHub does not know where to return to: give the App the address GITHUB_REDIRECT_URI"
    ),
    "device_flow_disabled": lambda: RefusedError(
        "logins from a terminal are switched off: enable the device flow on the App's page"
    ),
    "unverified_user_email": lambda: RefusedError(
        "GitHub wants this person's primary e-mail address verified first"
    ),
}

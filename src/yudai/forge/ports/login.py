"""Logins at a forge: the browser flow and the device flow of a terminal."""

from enum import StrEnum
from typing import Protocol

from pydantic import SecretStr

from yudai.kit.errors import ForbiddenError
from yudai.kit.value import Value


class GrantEndedError(ForbiddenError):
    """The forge itself says that a refresh token is dead: this person has to log in again."""


class Grant(Value):
    """The tokens that a forge gives after a user's consent."""

    access: SecretStr
    refresh: SecretStr | None = None
    """Good once: it and the access it came with end when it is used. None: access does not end."""
    access_expires_in: float | None = None
    """Seconds from now; None: never."""
    refresh_expires_in: float | None = None


class DeviceCode(Value):
    """The code that a person types at the forge, and the one that we poll with."""

    device_code: SecretStr
    user_code: str
    verification_url: str
    interval_s: float
    expires_in: float


class DeviceState(StrEnum):
    """Why there is no grant yet, or none at all."""

    PENDING = "pending"
    SLOW_DOWN = "slow_down"
    """Asked too often: wait five seconds longer between questions from now on."""
    DENIED = "denied"
    EXPIRED = "expired"


class LoginProvider(Protocol):
    """ForgeError when the forge does not answer; RefusedError with what to do when it says no."""

    def authorize_url(self, state: str, challenge: str, redirect_uri: str) -> str:
        """Where a browser goes; `challenge` is PKCE's, made from the verifier by S256."""
        ...

    async def exchange(self, code: str, verifier: str, redirect_uri: str) -> Grant:
        """RefusedError when the code is not good, or not any more."""
        ...

    async def refresh(self, refresh_token: SecretStr) -> Grant:
        """Store the grant before you use it: the refresh token passed in is invalid afterwards.

        GrantEndedError only when it was invalid before, because it signs people out.
        LostAnswerError when it is unknown which of the two holds.
        """
        ...

    async def device_begin(self) -> DeviceCode: ...

    async def device_poll(self, device_code: SecretStr) -> Grant | DeviceState: ...

    async def close(self) -> None: ...


class SignedOutError(ForbiddenError):
    """The forge no longer accepts the tokens that we have of this person."""

    def __init__(self) -> None:
        super().__init__("your login at the forge is over: log in again")

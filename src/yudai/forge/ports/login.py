"""Logins at a forge: the browser flow and the device flow of a terminal."""

from enum import StrEnum
from typing import Protocol

from pydantic import SecretStr

from yudai.kit.errors import ForbiddenError
from yudai.kit.value import Value


class GrantEndedError(ForbiddenError):
    """The forge rejected the refresh token, so the person has to log in again."""


class Grant(Value):
    """The tokens that a forge gives after a user's consent."""

    access: SecretStr
    refresh: SecretStr | None = None
    """Single-use: using it ends it and its access token. None: the access token does not expire."""
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
    """Why there is no grant (yet)."""

    PENDING = "pending"
    SLOW_DOWN = "slow_down"
    """Polled too often: wait five seconds longer between polls from now on."""
    DENIED = "denied"
    EXPIRED = "expired"


class LoginProvider(Protocol):
    """Raises ForgeError if the forge does not answer, RefusedError if it refuses."""

    def authorize_url(self, state: str, challenge: str, redirect_uri: str) -> str:
        """Where a browser goes; `challenge` is PKCE's, made from the verifier by S256."""
        ...

    async def exchange(self, code: str, verifier: str, redirect_uri: str) -> Grant:
        """RefusedError if the code is invalid or expired."""
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
        super().__init__("your login at the forge has expired: log in again")

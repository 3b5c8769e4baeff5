"""Who somebody is, said by a forge: a browser's way, and a terminal's."""

from enum import StrEnum
from typing import Protocol

from pydantic import SecretStr

from yudai.kit.errors import ForbiddenError
from yudai.kit.value import Value


class GrantEndedError(ForbiddenError):
    """The forge itself says that a refresh token is dead: this person has to log in again."""


class Grant(Value):
    """What a forge gives for somebody's consent."""

    access: SecretStr
    refresh: SecretStr | None = None
    """Good once: it and the access it came with end when it is used. None: access does not end."""
    access_expires_in: float | None = None
    """Seconds from now; None: never."""
    refresh_expires_in: float | None = None


class DeviceCode(Value):
    """What a person types at the forge, and what we ask with meanwhile."""

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
        """Keep the grant before using it: the token that was given is dead afterwards.

        GrantEndedError when it was dead before, and for nothing else: people are signed out by it.
        LostAnswerError when nobody knows which of the two.
        """
        ...

    async def device_begin(self) -> DeviceCode: ...

    async def device_poll(self, device_code: SecretStr) -> Grant | DeviceState: ...

    async def close(self) -> None: ...


class SignedOutError(ForbiddenError):
    """The forge does not know this person by what we have any more."""

    def __init__(self) -> None:
        super().__init__("your login at the forge is over: log in again")

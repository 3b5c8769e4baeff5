"""Run tokens of command agents: JWTs that Yudai signs and verifies."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import jwt
from pydantic import ConfigDict, Field, SecretStr, ValidationError

from yudai.kit.clock import Clock
from yudai.kit.errors import RefusedError, UnknownCallerError
from yudai.kit.ids import RunId, SolveId
from yudai.kit.value import Value
from yudai.runs.domain.states import RunState

AUDIENCE = "yudai-model"
"""Separates these tokens from others that are signed with the same secret."""
MAX_TOKEN = 4096


class RunClaims(Value):
    """Claims fixed at the start of an attempt. Changing facts are read from the database."""

    # Signed by us, but read as any input: "5" is no number there, nor is true.
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    iss: str = Field(min_length=1, max_length=200)
    """The installation."""
    aud: str
    exp: int
    run: RunId = Field(min_length=1, max_length=64)
    solve: SolveId = Field(min_length=1, max_length=64)
    attempt: int = Field(ge=1)
    model: str = Field(min_length=1, max_length=300)
    cap_micros: int = Field(ge=0)
    """The cost cap of the run, for all attempts together."""


def read_claims(payload: Mapping[str, object], *, issuer: str, now: float) -> RunClaims:
    """The claims of a valid token, else UnknownCallerError."""
    try:
        claims = RunClaims.model_validate(dict(payload))
    except ValidationError:
        raise UnknownCallerError("this is not a run's token") from None
    if claims.aud != AUDIENCE or claims.iss != issuer:
        raise UnknownCallerError("this token is not for this installation")
    if now >= claims.exp:
        raise UnknownCallerError("this token has ended with its run's time")
    return claims


def check_run(claims: RunClaims, *, state: RunState, attempt: int, is_closed: bool = False) -> None:
    """Refuse a token whose attempt or agent has ended."""
    if attempt != claims.attempt:
        raise UnknownCallerError("this token is of an earlier attempt of its run")
    if is_closed or state is not RunState.RUNNING:
        raise UnknownCallerError("this token's run has ended")


MIN_SECRET = 32
_ALGORITHM = "HS256"
_BEARER = "bearer "
# Ours is the clock that the rest of the program has, and issuer and audience are read with it.
_OPTIONS: Any = {
    "verify_exp": False,
    "verify_aud": False,
    "verify_iss": False,
    "verify_iat": False,
    "verify_nbf": False,
}


@dataclass(frozen=True)
class RunTokens:
    secret: SecretStr
    issuer: str
    clock: Clock

    def sign(self, claims: RunClaims) -> SecretStr:
        key = self.secret.get_secret_value()
        return SecretStr(jwt.encode(claims.model_dump(), key, algorithm=_ALGORITHM))

    def read(self, authorization: str) -> RunClaims:
        """UnknownCallerError for any invalid token; its message never contains the token."""
        if not authorization.lower().startswith(_BEARER):
            raise UnknownCallerError("send the run's token: `Authorization: Bearer ...`")
        token = authorization[len(_BEARER) :].strip()
        if len(token) > MAX_TOKEN:
            raise UnknownCallerError("this is not a run's token")
        key = self.secret.get_secret_value()
        try:
            payload = jwt.decode(token, key, algorithms=[_ALGORITHM], options=_OPTIONS)
        except (jwt.PyJWTError, ValueError, RecursionError):
            raise UnknownCallerError("this is not a run's token") from None
        return read_claims(payload, issuer=self.issuer, now=self.clock.now())


def make_tokens(secret: SecretStr | None, *, issuer: str, clock: Clock) -> RunTokens:
    """Check the secret; RefusedError if it is missing or short."""
    if secret is None or len(secret.get_secret_value()) < MIN_SECRET:
        how = "is missing" if secret is None else "is too short"
        raise RefusedError(
            f"JWT_SECRET {how}: command agents need one of {MIN_SECRET} random characters or more,"
            " as `openssl rand -hex 32` makes them"
        )
    return RunTokens(secret, issuer, clock)

"""Tokens that command agents call models with: JWTs that we sign and that only we read."""

from dataclasses import dataclass
from typing import Any

import jwt
from pydantic import SecretStr

from yudai.agents.endpoint.runtoken import MAX_TOKEN, RunClaims, read_claims
from yudai.kit.clock import Clock
from yudai.kit.errors import RefusedError, UnknownCallerError

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
        """UnknownCallerError, which never repeats the token, for whatever is not good."""
        if not authorization.lower().startswith(_BEARER):
            raise UnknownCallerError("send the run's token: `Authorization: Bearer ...`")
        token = authorization[len(_BEARER) :].strip()
        if len(token) > MAX_TOKEN:
            raise UnknownCallerError("this is no token of a run")
        key = self.secret.get_secret_value()
        try:
            payload = jwt.decode(token, key, algorithms=[_ALGORITHM], options=_OPTIONS)
        except (jwt.PyJWTError, ValueError, RecursionError):
            raise UnknownCallerError("this is no token of a run") from None
        return read_claims(payload, issuer=self.issuer, now=self.clock.now())


def make_tokens(secret: SecretStr | None, *, issuer: str, clock: Clock) -> RunTokens:
    """RefusedError says what to do about a secret that is missing or short."""
    if secret is None or len(secret.get_secret_value()) < MIN_SECRET:
        how = "is missing" if secret is None else "is too short"
        raise RefusedError(
            f"JWT_SECRET {how}: command agents need one of {MIN_SECRET} random characters or more,"
            " as `openssl rand -hex 32` makes them"
        )
    return RunTokens(secret, issuer, clock)

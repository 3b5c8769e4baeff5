"""What a run's token says: which run may call which model, until when and for how much."""

from collections.abc import Mapping

from pydantic import ConfigDict, Field, ValidationError

from yudai.kit.errors import UnknownCallerError
from yudai.kit.ids import RunId, SolveId
from yudai.kit.value import Value
from yudai.runs.domain.states import RunState

AUDIENCE = "yudai-model"
"""Whatever else is ever signed with the same secret is for somebody else."""
MAX_TOKEN = 4096


class RunClaims(Value):
    """Frozen at the start of an attempt; what may change meanwhile is asked of the database."""

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
    """Of the run, all its attempts together."""


def read_claims(payload: Mapping[str, object], *, issuer: str, now: float) -> RunClaims:
    """Of a token whose signature fits; UnknownCallerError for one that is not good here and now."""
    try:
        claims = RunClaims.model_validate(dict(payload))
    except ValidationError:
        raise UnknownCallerError("this is no token of a run") from None
    if claims.aud != AUDIENCE or claims.iss != issuer:
        raise UnknownCallerError("this token is not for this installation")
    if now >= claims.exp:
        raise UnknownCallerError("this token has ended with its run's time")
    return claims


def check_run(claims: RunClaims, *, state: RunState, attempt: int, is_closed: bool = False) -> None:
    """Whether the attempt that the token is for still goes on; its agent may have ended before."""
    if attempt != claims.attempt:
        raise UnknownCallerError("this token is of an earlier attempt of its run")
    if is_closed or state is not RunState.RUNNING:
        raise UnknownCallerError("this token's run is over")

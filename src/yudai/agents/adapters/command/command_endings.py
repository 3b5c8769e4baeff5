"""How a command agent's run ended: from its exit, its last call and its patch to one cause."""

from typing import NamedTuple

from yudai.kit.causes import POLICIES, Cause
from yudai.runs.domain.exit_status import EXIT_CAUSES, SUBMITTED
from yudai.sandboxes.port import ExecResult

_STATUSES = {cause: status for status, cause in EXIT_CAUSES.items()}
# A cap that was reached counts for everybody alike, however gracefully an agent takes it.
_CAPS = frozenset({Cause.OUT_OF_BUDGET, Cause.OUT_OF_STEPS, Cause.OUT_OF_TIME})


class Ending(NamedTuple):
    exit_status: str
    cause: Cause | None
    reason: str

    @classmethod
    def of(cls, cause: Cause, reason: str = "") -> "Ending":
        status = _STATUSES.get(cause, _STATUSES[Cause.SANDBOX_FAILED])
        return cls(status, cause, reason or POLICIES[cause].message)


def ended(result: ExecResult, refusal: Cause | None, *, has_patch: bool, setup: str = "") -> Ending:
    """`refusal`: why its last call was not answered; `setup`: the set-up command that failed."""
    if result.timed_out:
        return Ending.of(Cause.OUT_OF_TIME)
    if refusal is not None and refusal in _CAPS:
        return Ending.of(refusal)
    how = f"exit code {result.exit_code}{_why(result)}"
    if setup:
        return Ending.of(Cause.AGENT_FAILED, f"its set-up `{setup[:200]}` ended with {how}")
    if refusal is not None and (result.exit_code or not has_patch):
        return Ending.of(refusal)
    if result.exit_code and not has_patch:
        return Ending.of(Cause.AGENT_FAILED, f"its command ended with {how} and changed nothing")
    # What it changed is proved like any other patch, and the record says how it ended.
    said = f"its command ended with {how}; its patch is taken as it is" if result.exit_code else ""
    return Ending(SUBMITTED, None, said)


def _why(result: ExecResult) -> str:
    facts = {"out of memory": result.oom, "disk full": result.disk_full}
    found = [fact for fact, holds in facts.items() if holds]
    return f" ({', '.join(found)})" if found else ""

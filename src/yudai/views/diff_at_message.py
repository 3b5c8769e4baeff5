"""What a run had changed when it said or printed one message."""

from pydantic import Field

from yudai.kit.ids import RunId
from yudai.kit.untyped import as_object, as_text
from yudai.kit.value import Value
from yudai.runs import messages as trajectories
from yudai.runs.domain.trajectory.kinds import DIFF, DIFF_TRUNCATED
from yudai.store.store import Store
from yudai.views.live_runs import body_of
from yudai.views.runs import NotYetError, Which, own_run


class DiffAt(Value):
    """The work tree as it stood after the newest edit up to a message."""

    run_id: RunId
    attempt: int
    seq: int = Field(description="Of the message after which it stood so; -1: nothing changed yet.")
    edit: int = Field(description="The first edit is 1; 0: none yet.")
    patch: str
    truncated: bool = Field(description="It was too large to be kept whole.")


async def diff_at(store: Store, which: Which, seq: int) -> DiffAt:
    """Never another answer once that message is stored: messages come in order."""
    async with store.read() as db:
        run = await own_run(db, which)
        attempt = which.attempt or run.attempt
        if not await trajectories.has(db, run.id, seq, attempt=attempt):
            raise NotYetError(f"attempt {attempt} of this run has no message {seq} so far")
        found = await trajectories.newest_edit(db, run.id, attempt=attempt, upto=seq)
        if found is None and (run.edits or run.files_changed):
            # Imported, or run by an earlier version: it would be wrong to say that none was.
            last = await trajectories.newest_edit(db, run.id, attempt=attempt)
            if last is None and attempt == run.attempt:
                raise NotYetError("what this run had changed at each step was not recorded")
    if found is None:
        return DiffAt(run_id=run.id, attempt=attempt, seq=-1, edit=0, patch="", truncated=False)
    extra = as_object(body_of(found.body).get("extra"))
    return DiffAt(
        run_id=run.id,
        attempt=attempt,
        seq=found.seq,
        edit=found.number,
        patch=as_text(extra.get(DIFF)),
        truncated=extra.get(DIFF_TRUNCATED) is True or DIFF not in extra,
    )

"""Workflows that ended long ago: DBOS keeps them for ever.

Nobody asks for them again. What became of a solve is in our own database, and whoever starts one
anew that has come to rest finds there that nothing is left to do.
"""

from datetime import UTC, datetime

from dbos import DBOSClient, WorkflowStatus, WorkflowStatusString

KEEP_S = 3 * 24 * 3600.0
"""Long enough to look into what went wrong."""
BATCH = 200
# In all a few seconds of work, as whoever ends the worker waits for it; the rest is for next time.
_BATCHES = 20
_UNFINISHED = [
    WorkflowStatusString.DELAYED.value,
    WorkflowStatusString.ENQUEUED.value,
    WorkflowStatusString.PENDING.value,
]
_ENDED = [
    WorkflowStatusString.SUCCESS.value,
    WorkflowStatusString.ERROR.value,
    WorkflowStatusString.CANCELLED.value,
    WorkflowStatusString.MAX_RECOVERY_ATTEMPTS_EXCEEDED.value,
]


def prune(client: DBOSClient, *, before: float, batch: int = BATCH) -> int:
    """Remove what ended before that time, and say how many that were; blocking.

    Workers may do it at the same time: what one has removed is no longer there for the others.
    """
    # A solve that goes on after a long break asks for the runs that it has waited for.
    unfinished = {row.workflow_id for row in _list(client, _UNFINISHED)}
    ended_by = datetime.fromtimestamp(before, UTC).isoformat()
    removed = kept = 0
    for _ in range(_BATCHES):
        found = _list(client, _ENDED, completed_before=ended_by, limit=batch, offset=kept)
        old = [row.workflow_id for row in found if row.parent_workflow_id not in unfinished]
        if old:
            client.delete_workflows(old)
        removed += len(old)
        kept += len(found) - len(old)
        if len(found) < batch:
            break
    return removed


def _list(
    client: DBOSClient,
    status: list[str],
    *,
    completed_before: str | None = None,
    limit: int | None = None,
    offset: int | None = None,
) -> list[WorkflowStatus]:
    return client.list_workflows(
        status=status,
        completed_before=completed_before,
        limit=limit,
        offset=offset,
        load_input=False,
        load_output=False,
    )

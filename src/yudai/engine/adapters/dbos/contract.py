"""Names under which queued work is stored. It outlives the code, so nothing here may change.

This version must understand work that an older version queued or started. A new way of working
gets a new workflow name; the old one stays as long as queued work may use it.
"""

from dbos import EnqueueOptions

from yudai.kit.ids import MessageId, RunId, SolveId

APPLICATION = "yudai"
VERSION = "1"
"""DBOS's default is a hash of the code: each edit would strand queued work."""

SOLVES, RUNS, ANSWERS, CONCLUSIONS = "solves", "runs", "answers", "conclusions"
"""Queues. Runs have their own, because solves that wait for their runs would take all slots."""
SOLVE, RUN, ANSWER, CONCLUSION = "solve", "run", "answer", "conclusion"
"""Names of workflows, and prefixes of their ids."""
PREPARE, CONCLUDE = "prepare", "conclude"
"""Steps of a solve. The other workflows have one step of their own name.

An answer is one to a message; a conclusion follows a person's answer to a question.
"""


def solve_key(solve_id: SolveId, turn: int = 0) -> str:
    """Of the flow, or of the conclusion after the `turn`-th answer."""
    return f"{CONCLUSION}-{solve_id}-{turn}" if turn else f"{SOLVE}-{solve_id}"


def solve_options(solve_id: SolveId, user_id: str) -> EnqueueOptions:
    return _options(SOLVE, SOLVES, solve_key(solve_id), partition=user_id)


def run_options(run_id: RunId, solve_id: SolveId) -> EnqueueOptions:
    return _options(RUN, RUNS, f"{RUN}-{run_id}", partition=solve_id)


def answer_options(message_id: MessageId) -> EnqueueOptions:
    return _options(ANSWER, ANSWERS, f"{ANSWER}-{message_id}")


def conclusion_options(solve_id: SolveId, turn: int) -> EnqueueOptions:
    return _options(CONCLUSION, CONCLUSIONS, solve_key(solve_id, turn))


def _options(
    workflow: str, queue: str, key: str, *, partition: str | None = None
) -> EnqueueOptions:
    options = EnqueueOptions(
        workflow_name=workflow,
        queue_name=queue,
        workflow_id=key,
        app_version=VERSION,
        application_name=APPLICATION,
    )
    if partition is not None:
        options["queue_partition_key"] = partition
    return options

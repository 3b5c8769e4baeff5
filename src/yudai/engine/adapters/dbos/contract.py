"""What queued work is stored under: it outlives the code that stored it, so nothing here changes.

Work that an older version of the code has queued or begun must be understood by this one. A new
way of working gets a new workflow name; the old one stays as long as there can be work of it.
"""

from dbos import EnqueueOptions

from yudai.kit.ids import MessageId, RunId, SolveId

APPLICATION = "yudai"
VERSION = "1"
"""DBOS's default is a hash of the code: each edit would strand what is queued."""

SOLVES, RUNS, ANSWERS = "solves", "runs", "answers"
"""Queues. Runs have their own, else solves that wait for theirs would take their places."""
SOLVE, RUN, ANSWER = "solve", "run", "answer"
"""Workflows, and for what is told apart by its id, the start of that."""
PREPARE, CONCLUDE = "prepare", "conclude"
"""Steps; the workflows of a run and of an answer have one, of their own name."""


def solve_key(solve_id: SolveId) -> str:
    return f"{SOLVE}-{solve_id}"


def solve_options(solve_id: SolveId, user_id: str) -> EnqueueOptions:
    return _options(SOLVE, SOLVES, solve_key(solve_id), partition=user_id)


def run_options(run_id: RunId, solve_id: SolveId) -> EnqueueOptions:
    return _options(RUN, RUNS, f"{RUN}-{run_id}", partition=solve_id)


def answer_options(message_id: MessageId) -> EnqueueOptions:
    return _options(ANSWER, ANSWERS, f"{ANSWER}-{message_id}")


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

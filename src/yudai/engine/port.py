"""Runs flows to their end, also when the process that started them dies."""

from enum import StrEnum
from typing import Protocol

from yudai.kit.ids import MessageId, RunId, SolveId
from yudai.kit.value import Value


class FlowStatus(StrEnum):
    UNKNOWN = "unknown"
    QUEUED = "queued"
    RUNNING = "running"
    ENDED = "ended"
    """However it ended: the solve's own state says how."""


class RunBatch(Value):
    """The runs of a solve, and how many of them may run at once."""

    runs: tuple[RunId, ...]
    parallel: int


class Flow(Protocol):
    """What an engine executes.

    After a crash any worker may start a part again: it reads the database first and does only what
    is left. Failures of a solve or a run are recorded, not raised. An exception means that Yudai
    failed, and the engine tries again.
    """

    async def prepare(self, solve_id: SolveId) -> RunBatch:
        """Start the solve and prepare its base; no runs when the solve is no longer open."""
        ...

    async def run(self, run_id: RunId) -> None:
        """One run, up to its verdict."""
        ...

    async def conclude(self, solve_id: SolveId) -> None:
        """Cross-examine, rank, offer; nothing when the solve is no longer open.

        After a person's answer once more, from what is stored.
        """
        ...

    async def answer(self, message_id: MessageId) -> None:
        """Answer a message of a conversation, once."""
        ...


class Engine(Protocol):
    async def start(self, solve_id: SolveId, *, user_id: str) -> None:
        """Start the flow of a solve. Idempotent."""
        ...

    async def answer(self, message_id: MessageId) -> None:
        """Have a message answered. Idempotent."""
        ...

    async def conclude(self, solve_id: SolveId, *, turn: int) -> None:
        """Conclude a solve again that was answered for the `turn`-th time. Idempotent."""
        ...

    async def status(self, solve_id: SolveId, *, turn: int = 0) -> FlowStatus:
        """Of the flow, or of the conclusion after the `turn`-th answer."""
        ...

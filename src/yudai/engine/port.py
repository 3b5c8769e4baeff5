"""Runs flows: to their end, whatever becomes of the process they began in."""

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


class Field(Value):
    """The runs of a solve, and how many of them may go at once."""

    runs: tuple[RunId, ...]
    parallel: int


class Flow(Protocol):
    """What an engine carries out.

    Each part may be begun again after a crash, by any worker: it looks at the database first, and
    does only what is left to do. No part raises for what belongs to the solve or the run; what it
    raises is ours, and the engine tries again.
    """

    async def prepare(self, solve_id: SolveId) -> Field:
        """Start the solve and prepare its base; no runs when it has come to rest."""
        ...

    async def run(self, run_id: RunId) -> None:
        """One run, up to its verdict."""
        ...

    async def conclude(self, solve_id: SolveId) -> None:
        """Cross-examine, rank, offer; nothing when it has come to rest."""
        ...

    async def answer(self, message_id: MessageId) -> None:
        """Answer a message of a conversation, once."""
        ...


class Engine(Protocol):
    async def start(self, solve_id: SolveId, *, user_id: str) -> None:
        """Start the flow of a solve; starting it twice is the same as once."""
        ...

    async def answer(self, message_id: MessageId) -> None:
        """Have a message answered; asking twice is the same as once."""
        ...

    async def status(self, solve_id: SolveId) -> FlowStatus: ...

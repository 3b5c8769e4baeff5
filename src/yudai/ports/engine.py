"""Runs flows; the durable one comes with the service."""

from enum import StrEnum
from typing import Protocol

from yudai.domain.ids import SolveId


class FlowStatus(StrEnum):
    UNKNOWN = "unknown"
    RUNNING = "running"
    ENDED = "ended"


class Engine(Protocol):
    async def start(self, solve_id: SolveId) -> None:
        """Start the flow of a solve; starting it twice is the same as once."""
        ...

    async def cancel(self, solve_id: SolveId) -> bool: ...

    async def status(self, solve_id: SolveId) -> FlowStatus: ...

    async def wait(self, solve_id: SolveId) -> None: ...

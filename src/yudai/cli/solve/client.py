"""Executes `yudai solve` and `yudai demo`: in this process or on a server."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple, Protocol

from yudai.cli.publish import PublishClient
from yudai.cli.records.records import Records
from yudai.decisions.apply import Applier
from yudai.kit.ids import SolveId
from yudai.solves.domain.again import AgainAsk
from yudai.solves.domain.request import SolveAsk
from yudai.views.domain.document import SolveEntry


class Planned(NamedTuple):
    """A checked and displayed solve. Only opening it costs money."""

    is_free: bool
    open: Callable[[], Awaitable[SolveId]]


class Client(Protocol):
    @property
    def records(self) -> Records: ...

    @property
    def where(self) -> str:
        """The server to name in advice; empty: commands find it by themselves."""
        ...

    @property
    def applier(self) -> Applier | None: ...

    @property
    def publish_client(self) -> PublishClient | None: ...

    async def follow(self, solve_id: SolveId) -> None:
        """Show the runs until the solve has ended or awaits review."""
        ...


class PlanningClient(Client, Protocol):
    """One that takes requests."""

    async def plan(self, asked: SolveAsk) -> Planned:
        """Check the request and print the plan; nothing is spent yet."""
        ...

    async def plan_again(self, earlier: SolveEntry, asked: AgainAsk) -> Planned:
        """The same for the patches of an earlier solve."""
        ...

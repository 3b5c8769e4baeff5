"""Who does the work of `yudai solve`: this process, or a server."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple, Protocol

from yudai.cli.publish import Desk
from yudai.cli.records.records import Records
from yudai.decisions.apply import Applier
from yudai.kit.ids import SolveId
from yudai.solves.domain.budget import Entrants
from yudai.solves.domain.request import SolveAsk


class Planned(NamedTuple):
    entrants: Entrants
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
    def desk(self) -> Desk: ...

    async def plan(self, asked: SolveAsk) -> Planned:
        """Look, check, and print the plan; nothing is spent yet."""
        ...

    async def follow(self, solve_id: SolveId) -> None:
        """Show the runs until the solve has come to rest."""
        ...

"""A solve's rows as they stand now."""

from collections.abc import Sequence
from typing import NamedTuple

from yudai.runs import queries as runs
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.tables import EventRow, SolveRow
from yudai.store.store import Store


class SolveRows(NamedTuple):
    solve: SolveRow
    runs: Sequence[RunRow]
    events: Sequence[EventRow]


async def rows_of_solve(store: Store, ending: str) -> SolveRows:
    async with store.read() as db:
        solve = await solves.find(db, ending)
        return SolveRows(solve, await runs.of_solve(db, solve.id), await events.after(db, solve.id))

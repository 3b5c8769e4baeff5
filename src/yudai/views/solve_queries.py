"""Queries of solves page by page, newest first, with the totals of their runs."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, func, or_, select, tuple_
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import load_only

from yudai.forge.ports.folder import Snapshot
from yudai.kit.ids import SolveId
from yudai.kit.text import clean
from yudai.runs.domain.states import RunState
from yudai.runs.tables import RunRow
from yudai.solves.domain.states import SolveState
from yudai.solves.tables import SolveRow
from yudai.testing.domain.report import Baseline
from yudai.verification.domain.verdict import Verdict

_NEWEST_FIRST = (SolveRow.created_at.desc(), SolveRow.id.desc())
# Baselines, issues and matrices are long, and a list shows none of them.
_LISTED = load_only(
    SolveRow.id,
    SolveRow.user_id,
    SolveRow.conversation_id,
    SolveRow.repo,
    SolveRow.issue_number,
    SolveRow.issue_title,
    SolveRow.state,
    SolveRow.champion_run_id,
    SolveRow.reason,
    SolveRow.error,
    SolveRow.created_at,
    SolveRow.started_at,
    SolveRow.finished_at,
    SolveRow.deadline_at,
    raiseload=True,
)


class Mark(NamedTuple):
    """The last solve of the page before."""

    created_at: float
    id: str


class Which(NamedTuple):
    user_id: str
    states: tuple[SolveState, ...] = ()
    """Any of these; none: all."""
    conversation_id: str | None = None
    repo: str = ""
    words: str = ""
    """Part of the issue's title or of the repository's name."""
    repo_urls: frozenset[str] | None = None
    """Solves of these repositories, and the user's own without a forge. None: all of the user's."""


class Tally(NamedTuple):
    states: Counter[RunState]
    cost_micros: int


class Champion(NamedTuple):
    handle: str
    verdict: Verdict | None
    baseline: Baseline | None
    """The baseline of its tests."""


class UsedRepository(NamedTuple):
    repo: str
    repo_url: str
    snapshot: Snapshot | None
    at: float


NOTHING = Tally(Counter(), 0)


async def page(
    db: AsyncSession, which: Which, *, limit: int, after: Mark | None = None
) -> list[SolveRow]:
    query = select(SolveRow).options(_LISTED).where(*_conditions(which))
    if after is not None:
        query = query.where(tuple_(SolveRow.created_at, SolveRow.id) < after)
    return list(await db.scalars(query.order_by(*_NEWEST_FIRST).limit(limit)))


def _conditions(which: Which) -> Iterator[ColumnElement[bool]]:
    yield _whose(which)
    if which.states:
        yield SolveRow.state.in_(which.states)
    if which.conversation_id is not None:
        yield SolveRow.conversation_id == which.conversation_id
    if which.repo:
        yield SolveRow.repo == which.repo
    if which.words:
        words = clean(which.words)
        yield or_(
            SolveRow.issue_title.icontains(words, autoescape=True),
            SolveRow.repo.icontains(words, autoescape=True),
        )


def _whose(which: Which) -> ColumnElement[bool]:
    mine = SolveRow.user_id == which.user_id
    if which.repo_urls is None:
        return mine
    return or_(and_(mine, SolveRow.repo_url == ""), SolveRow.repo_url.in_(sorted(which.repo_urls)))


async def listed(db: AsyncSession, solve_id: SolveId) -> SolveRow | None:
    """One solve of a page."""
    query = select(SolveRow).options(_LISTED).where(SolveRow.id == solve_id)
    return (await db.scalars(query)).one_or_none()


async def tallies(db: AsyncSession, solve_ids: Sequence[SolveId]) -> dict[SolveId, Tally]:
    """Number of runs per state and total cost, for each solve."""
    cost = func.sum(RunRow.cost_micros + RunRow.earlier_cost_micros)
    query = (
        select(RunRow.solve_id, RunRow.state, func.count(), cost)
        .where(RunRow.solve_id.in_(solve_ids))
        .group_by(RunRow.solve_id, RunRow.state)
    )
    found: dict[SolveId, Tally] = {}
    for solve_id, state, count, micros in await db.execute(query):
        so_far = found.get(solve_id, NOTHING)
        states = so_far.states + Counter({state: count})
        found[solve_id] = Tally(states, so_far.cost_micros + int(micros))
    return found


async def champions(db: AsyncSession, solve_ids: Sequence[SolveId]) -> dict[SolveId, Champion]:
    """The champions of these solves."""
    query = (
        select(SolveRow.id, RunRow.handle, RunRow.verdict, SolveRow.baseline)
        .join(RunRow, RunRow.id == SolveRow.champion_run_id)
        .where(SolveRow.id.in_(solve_ids))
    )
    return {
        solve_id: Champion(handle, verdict, baseline)
        for solve_id, handle, verdict, baseline in await db.execute(query)
    }


async def used(db: AsyncSession, user_id: str, *, limit: int) -> list[UsedRepository]:
    """Repositories of a user's solves, newest first."""
    query = (
        select(SolveRow.repo, SolveRow.repo_url, SolveRow.snapshot, SolveRow.created_at)
        .where(SolveRow.user_id == user_id)
        .order_by(*_NEWEST_FIRST)
        .limit(limit)
    )
    return [UsedRepository(*row) for row in await db.execute(query)]

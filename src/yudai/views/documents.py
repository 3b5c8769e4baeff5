"""Builds the `--json` documents: a solve, a list of solves, a run in full."""

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar

from sqlalchemy.ext.asyncio import AsyncSession

from yudai.arena.blocked_hosts import KINDS, blocked_of
from yudai.artifacts.context import Context
from yudai.artifacts.port import ArtifactKind
from yudai.artifacts.queries import artifact_of
from yudai.forge.domain.issue import Issue
from yudai.gateway.domain.models import Usage
from yudai.kit.errors import NotFoundError
from yudai.kit.ids import RunId, SolveId
from yudai.kit.money import usd
from yudai.kit.value import from_attributes
from yudai.ranking.rank import ranked, stopped_by
from yudai.runs import messages as trajectories
from yudai.runs import queries as runs
from yudai.runs.domain.trajectory.steps import Step, step_of
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage, export
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.domain.states import SolveState
from yudai.solves.queries import elapsed_s
from yudai.solves.tables import EventRow, QuestionRow, SolveRow
from yudai.testing.domain.shortfall import shortfall
from yudai.verification.domain.verdict import NOTHING
from yudai.views.domain.document import (
    PlaceEntry,
    QuestionView,
    RunEntry,
    SolveDocument,
    SolveEntry,
)

Entry = TypeVar("Entry", bound=RunEntry)


async def document(context: Context, ending: str) -> SolveDocument:
    async with context.store.read() as db:
        return await _document(db, await solves.find(db, ending), now=context.clock.now())


async def recent(context: Context, limit: int) -> list[SolveDocument]:
    now = context.clock.now()
    async with context.store.read() as db:
        return [await _document(db, row, now=now) for row in await solves.recent(db, limit=limit)]


async def find_run(context: Context, ending: str, *, solve: str = "") -> RunRow:
    """By id ending, or by handle within a solve (the newest unless named)."""
    async with context.store.read() as db:
        row = await solves.find(db, solve)
        for run in await runs.of_solve(db, SolveId(row.id)):
            if ending in (run.handle, run.id):
                return run
        return await runs.find(db, ending)


async def find_solve(context: Context, ending: str = "") -> SolveRow:
    """By id ending. Unnamed: the newest active solve, else the newest."""
    async with context.store.read() as db:
        if ending not in solves.NEWEST:
            return await solves.find(db, ending)
        active = await solves.in_states(db, (SolveState.QUEUED, SolveState.RUNNING))
        newest = max(active, key=lambda row: (row.created_at, row.id), default=None)
        return newest or await solves.find(db, ending)


async def messages(context: Context, run_id: RunId) -> list[TrajectoryMessage]:
    async with context.store.read() as db:
        return await trajectories.messages(db, run_id)


async def trajectory(context: Context, run: RunRow) -> dict[str, Any]:
    """In mini-SWE-agent's format; for an active or interrupted run, up to now."""
    with suppress(NotFoundError):
        return json.loads(await artifact_of(context, run.id, ArtifactKind.TRAJECTORY))
    return export(await messages(context, run.id), so_far(run))


async def _document(db: AsyncSession, solve: SolveRow, *, now: float) -> SolveDocument:
    return document_of(
        solve,
        await runs.of_solve(db, solve.id),
        await events.of_kinds(db, solve.id, KINDS),
        await solves.questions(db, solve.id),
        now=now,
    )


class SoFar(NamedTuple):
    """An outcome built from the trajectory of a run that has none."""

    exit_status: str
    steps: int
    usage: Usage
    patch: str = ""
    config: Mapping[str, object] = MappingProxyType({})


def so_far(run: RunRow) -> SoFar:
    return SoFar(run.exit_status or str(run.state), run.steps, run.usage)


def chosen_step(messages: Sequence[TrajectoryMessage], number: int) -> Step:
    """One step in full. 0 is everything before the first; negative ones count from the end."""
    if not messages:
        raise NotFoundError("this run has no steps")
    last = max(message.step for message in messages)
    wanted = number if number >= 0 else last + 1 + number
    if not 0 <= wanted <= last:
        raise NotFoundError(f"there is no step {number}: this run has steps 0 to {last}")
    return step_of(wanted, [message for message in messages if message.step == wanted])


def entry(view: type[Entry], run: RunRow, **computed: object) -> Entry:
    verdict = run.verdict or NOTHING
    return from_attributes(
        view,
        run,
        run_id=run.id,
        verdict=verdict,
        size=verdict.evidence.size,
        same_as=verdict.same_as or None,
        cost_usd=usd(run.total_cost_micros),
        **computed,
    )


def head_of(solve: SolveRow, cost_micros: int, *, now: float) -> dict[str, object]:
    """Fields of a SolveHead that are not columns."""
    return {
        "issue": Issue(title=solve.issue_title, number=solve.issue_number).label,
        "cost_usd": usd(cost_micros),
        "elapsed_s": round(elapsed_s(solve, now=now), 3),
        "champion": solve.champion_run_id,
    }


def document_of(
    solve: SolveRow,
    rows: Sequence[RunRow],
    timeline: Iterable[EventRow],
    asked: Iterable[QuestionRow],
    *,
    now: float,
) -> SolveDocument:
    """Of the timeline, only blocked hosts are included."""
    cost_micros = sum(run.total_cost_micros for run in rows)
    folder = None if solve.snapshot is None else str(solve.snapshot.root)
    return SolveDocument(
        solve=from_attributes(
            SolveEntry, solve, folder=folder, **head_of(solve, cost_micros, now=now)
        ),
        ranking=tuple(entry(PlaceEntry, run, rank=rank) for rank, run in ranked(rows)),
        questions=tuple(from_attributes(QuestionView, row) for row in asked),
        not_started=tuple(contestant.handle for contestant in solve.not_started),
        reason=solve.reason or solve.error,
        budget_ended=stopped_by(solve, rows, now=now),
        blocked=blocked_of(timeline),
        partial="" if solve.baseline is None else shortfall(solve.baseline),
    )

"""Solves as the API shows them: a line of a list, or everything about one."""

import base64
import binascii
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.artifacts.context import Context
from yudai.forge.domain.issue import IssueFacts
from yudai.kit.errors import NotFoundError
from yudai.kit.ids import RunId, SolveId
from yudai.kit.money import usd
from yudai.kit.value import Value, from_attributes
from yudai.publishing import queries as publications
from yudai.publishing.tables import PublicationRow
from yudai.publishing.views import PublicationView, view_of
from yudai.runs import queries as runs
from yudai.runs.domain.states import RunState
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.domain.budget import Budget
from yudai.solves.domain.matrix import Contestant, Matrix
from yudai.solves.domain.origin import Origin, PublishMode
from yudai.solves.tables import EventRow, SolveRow
from yudai.verification.domain.verdict import Tally as Tests
from yudai.verification.domain.verdict import Verdict
from yudai.verification.domain.verdict import tally as tally_of
from yudai.views import solve_queries as pages
from yudai.views.decisions import Decisions, decisions_of
from yudai.views.documents import document_of, head_of
from yudai.views.domain.document import RunFacts, SolveDocument, SolveHead, Tokens
from yudai.views.solve_queries import Champion, Mark, Tally, Which

_MAX_EVENTS = 10_000
_RUN_PARTS = ("plan", "tests", "messages", "steps", "attempts", "patch")


class Progress(Value):
    """How many runs are in which state."""

    total: int
    queued: int
    running: int
    verifying: int
    completed: int
    failed: int
    cancelled: int


class SolveFacts(Value):
    """Fields that the views of a solve share: a column that is named here is in all of them."""

    progress: Progress
    created_at: float = Field(description="Seconds since the epoch, like all times.")
    started_at: float | None
    finished_at: float | None
    deadline_at: float | None


class SolveSummary(SolveHead, SolveFacts):
    champion_handle: str
    tests: Tests | None = Field(description="The champion's tests, once it is verified.")
    reason: str = Field(description="One line: why this champion, or why none.")
    conversation_id: str | None
    links: dict[str, str]


class SolvePage(Value):
    solves: tuple[SolveSummary, ...]
    cursor: str | None = Field(description="For the next page; null on the last one.")
    reset: bool = Field(
        default=False, description="The cursor was invalid, so this is the first page."
    )


class RunView(RunFacts):
    position: int
    contestant: Contestant
    attempt: int = Field(description="The attempt of the other numbers, except the cost.")
    exit_status: str
    edits_capped: bool
    """Whether max_edits was reached; the patch is from that point."""
    message_count: int
    tokens: Tokens
    cost_usd: float = Field(description="Cost of all attempts.")
    earlier_cost_usd: float = Field(description="Cost of the earlier attempts.")
    latency_ms: int
    verdict: Verdict | None
    why: str
    queued_at: float
    deadline_at: float | None
    links: dict[str, str]


class EventView(Value):
    """One moment of the timeline."""

    id: int
    at: float
    kind: str
    run_id: RunId | None
    data: dict[str, object]


class SolveView(SolveDocument, Decisions, SolveFacts):
    """A solve with everything except the trajectories."""

    matrix: Matrix
    budget: Budget
    runs: tuple[RunView, ...]
    events: tuple[EventView, ...]
    conversation_id: str | None
    issue_title: str
    issue_body: str
    issue_number: int | None
    issue_facts: IssueFacts | None = Field(description="null: the issue is not from a forge.")
    origin: Origin | None = Field(description="How it was requested.")
    publication: PublicationView | None = Field(description="Its pull request or comment.")
    repo_url: str
    publish: PublishMode | None = Field(description="null: the solve is not from a forge.")
    base_branch: str
    base_commit: str
    reducer: str
    require_proof: bool
    test_command: str
    error: str
    links: dict[str, str]


async def solve_page(context: Context, which: Which, *, limit: int, cursor: str = "") -> SolvePage:
    after = mark_of(cursor)
    async with context.store.read() as db:
        rows = await pages.page(db, which, limit=limit + 1, after=after)
        shown = rows[:limit]
        known = await _known(db, [row.id for row in shown])
    now = context.clock.now()
    return SolvePage(
        solves=tuple(_summary(row, known, now=now) for row in shown),
        cursor=cursor_of(shown[-1]) if len(rows) > limit else None,
        reset=bool(cursor) and after is None,
    )


async def solve_summary(context: Context, solve_id: SolveId, *, user_id: str) -> SolveSummary:
    async with context.store.read() as db:
        row = await pages.listed(db, solve_id)
        if row is None or row.user_id != user_id:
            raise _not_found(solve_id)
        known = await _known(db, [solve_id])
    return _summary(row, known, now=context.clock.now())


async def solve_view(context: Context, solve_id: SolveId, *, user_id: str) -> SolveView:
    async with context.store.read() as db:
        row = await solves.get(db, solve_id)
        if row.user_id != user_id:
            raise _not_found(solve_id)
        rows = await runs.of_solve(db, solve_id)
        timeline = await events.after(db, solve_id, limit=_MAX_EVENTS)
        asked = await solves.questions(db, solve_id)
        published = await publications.find(db, solve_id)
    document = document_of(row, rows, timeline, asked, now=context.clock.now())
    return _view(row, rows, timeline, document=document, published=published)


def cursor_of(row: SolveRow) -> str:
    return base64.urlsafe_b64encode(f"{row.created_at.hex()} {row.id}".encode()).decode()


def mark_of(cursor: str) -> Mark | None:
    try:
        text = base64.urlsafe_b64decode(cursor.encode("ascii")).decode("ascii")
        moment, _, solve_id = text.partition(" ")
        created_at = float.fromhex(moment)
    except (ValueError, OverflowError, binascii.Error):
        return None
    if not math.isfinite(created_at) or not solve_id or not solve_id.isprintable():
        return None
    return Mark(created_at, solve_id)


def _not_found(solve_id: SolveId) -> NotFoundError:
    return NotFoundError(f"there is no solve {solve_id}")


class _Known(NamedTuple):
    """Facts from other rows than the solves' own."""

    tallies: Mapping[SolveId, Tally]
    champions: Mapping[SolveId, Champion]


async def _known(db: AsyncSession, solve_ids: Sequence[SolveId]) -> _Known:
    return _Known(await pages.tallies(db, solve_ids), await pages.champions(db, solve_ids))


def _summary(row: SolveRow, known: _Known, *, now: float) -> SolveSummary:
    tally = known.tallies.get(row.id, pages.NOTHING)
    champion = known.champions.get(row.id)
    return from_attributes(
        SolveSummary,
        row,
        **head_of(row, tally.cost_micros, now=now),
        progress=progress_of(tally),
        champion_handle="" if champion is None else champion.handle,
        tests=champion and _tests(champion),
        reason=row.reason or row.error,
        links=_solve_links(row.id),
    )


def _tests(champion: Champion) -> Tests | None:
    verdict = champion.verdict
    return None if verdict is None else tally_of(verdict, champion.baseline)


def progress_of(tally: Tally) -> Progress:
    counts = {state.value: tally.states[state] for state in RunState}
    return Progress(total=tally.states.total(), **counts)


def _solve_links(solve_id: SolveId) -> dict[str, str]:
    here = f"/api/solves/{solve_id}"
    return {"self": here, "updates": f"{here}/updates", "cancel": f"{here}/cancel"}


def _run_links(run_id: RunId) -> dict[str, str]:
    here = f"/api/runs/{run_id}"
    parts = {part: f"{here}/{part}" for part in _RUN_PARTS}
    return {
        "self": here,
        **parts,
        "trajectory": f"{here}/trajectory.json",
        "test_log": f"{here}/logs/test",
        "baseline_log": f"{here}/logs/baseline",
    }


def _view(
    row: SolveRow,
    rows: Sequence[RunRow],
    timeline: Sequence[EventRow],
    *,
    document: SolveDocument,
    published: PublicationRow | None,
) -> SolveView:
    cost_micros = sum(run.total_cost_micros for run in rows)
    tally = Tally(Counter(run.state for run in rows), cost_micros)
    return from_attributes(
        SolveView,
        row,
        **dict(decisions_of(row, timeline)),
        **dict(document),
        progress=progress_of(tally),
        runs=tuple(map(run_view, rows)),
        events=tuple(from_attributes(EventView, event) for event in timeline),
        publication=None if published is None else view_of(published),
        links=_solve_links(row.id),
    )


def run_view(run: RunRow) -> RunView:
    return from_attributes(
        RunView,
        run,
        tokens=from_attributes(Tokens, run),
        cost_usd=usd(run.total_cost_micros),
        earlier_cost_usd=usd(run.earlier_cost_micros),
        links=_run_links(run.id),
    )

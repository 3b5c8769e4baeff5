"""Posts milestones of solves to their conversation, from the solves' timelines."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from yudai.conversations import queries as conversations
from yudai.conversations.domain.conversation import ChatRole, Milestone
from yudai.conversations.domain.milestones import (
    REACHED,
    Facts,
    Happened,
    Reached,
    links_of,
    reached,
    text_of,
)
from yudai.kit.ids import ConversationId, RunId, SolveId
from yudai.kit.money import usd
from yudai.runs import queries as runs
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves.queries import issue_of
from yudai.solves.tables import SolveRow
from yudai.store.store import Store
from yudai.verification.domain.verdict import VerdictStatus

_MOST_AT_ONCE = 200
_ABOUT_CHAMPION = frozenset({Milestone.CHAMPION, Milestone.AWAITING_REVIEW, Milestone.COMPLETED})


async def post_milestones(store: Store, solve_id: SolveId) -> int:
    """Post the solve's milestones that are not posted yet; return how many.

    Any process may call it at any time: each milestone is posted once. They are in the order
    of the timeline, because a call posts everything before the next one reads.
    """
    async with store.read() as db:
        solve = await solves.get(db, solve_id)
        if solve.conversation_id is None or not await _unposted(db, solve_id):
            return 0
    conversation_id = ConversationId(solve.conversation_id)
    async with store.change() as db:
        await conversations.hold(db, conversation_id)
        # Read again under the lock: another process may have posted it.
        unposted = await _unposted(db, solve_id)
        solve = await solves.get(db, solve_id)
        rows = await runs.of_solve(db, solve_id)
        return sum([await _say(db, solve, rows, item) for item in unposted])


async def post_all_milestones(store: Store, conversation_id: ConversationId | None = None) -> int:
    """Post new milestones of one conversation, before it is read.

    Without one, of all: a process may have died before it posted them.
    """
    async with store.read() as db:
        found = await conversations.with_unposted_milestones(
            db, conversation_id, limit=_MOST_AT_ONCE
        )
    return sum([await post_milestones(store, solve_id) for solve_id in found])


async def _unposted(db: AsyncSession, solve_id: SolveId) -> list[Reached]:
    events = await conversations.timeline(db, solve_id, tuple(REACHED))
    posted = await conversations.posted_milestones(db, solve_id)
    happened = (Happened(event.kind, event.at, event.run_id, event.data) for event in events)
    return [item for item in reached(happened) if item.milestone not in posted]


async def _say(db: AsyncSession, solve: SolveRow, rows: Sequence[RunRow], item: Reached) -> bool:
    run = _run_of(solve, rows, item)
    # Without a run there is no patch to link to.
    links = links_of(solve.id, None if run is None else run.id)
    return await conversations.add_once(
        db,
        ConversationId(solve.conversation_id or ""),
        role=ChatRole.YUDAI,
        text=text_of(item.milestone, _facts(solve, rows, run), item.event.data),
        at=item.event.at,
        solve_id=solve.id,
        milestone=item.milestone,
        links=links,
    )


def _run_of(solve: SolveRow, rows: Sequence[RunRow], item: Reached) -> RunRow | None:
    """The run that a milestone is about, if it is about one."""
    wanted: RunId | None = item.event.run_id
    if item.milestone in _ABOUT_CHAMPION:
        wanted = solve.champion_run_id
    return next((run for run in rows if run.id == wanted), None)


def _facts(solve: SolveRow, rows: Sequence[RunRow], run: RunRow | None) -> Facts:
    verdict = None if run is None else run.verdict
    return Facts(
        solve_id=solve.id,
        issue=issue_of(solve).label,
        contestants=len(rows),
        not_started=len(solve.not_started),
        handle="" if run is None else run.handle,
        summary="" if verdict is None else verdict.summary,
        files=0 if run is None else run.files_changed,
        lines=0 if run is None else run.lines_changed,
        reason=solve.reason or solve.error,
        is_passed=verdict is not None and verdict.status is VerdictStatus.PASSED,
        cost_usd=usd(sum(row.total_cost_micros for row in rows)),
    )

"""Queries of publications: their lease and state."""

from typing import NamedTuple

from sqlalchemy import ColumnElement, and_, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import InstrumentedAttribute

from yudai.kit.errors import ClaimLostError, NotFoundError
from yudai.kit.ids import SolveId
from yudai.publishing.domain import publication
from yudai.publishing.domain.publication import RESTING, PublicationEvent, PublicationState
from yudai.publishing.tables import PublicationRow
from yudai.solves import timeline as events
from yudai.solves.domain.origin import Origin, PublishMode
from yudai.solves.domain.states import SolveState
from yudai.solves.tables import EventRow, QuestionRow, SolveRow
from yudai.solves.timeline import hold_solve
from yudai.store.rows import Data

REQUESTED = "publication.requested"
KINDS: dict[PublicationEvent, str] = {
    event: f"publication.{event}"
    for event in PublicationEvent
    if event not in (PublicationEvent.OUTDATED, PublicationEvent.ASKED_AGAIN)
} | {
    PublicationEvent.OUTDATED: "publication.stale",
    PublicationEvent.ASKED_AGAIN: REQUESTED,
}
"""Kinds of timeline events."""
DISMISSED = "dismissed by a person"
"""Reason of a publication whose solve was dismissed; no comment is written."""
_ENDED = (SolveState.AWAITING_REVIEW, SolveState.COMPLETED, SolveState.FAILED)
_P = PublicationRow


class Move(NamedTuple):
    """Result of a step, stored before the next one."""

    event: PublicationEvent
    columns: Data
    data: Data
    """For the timeline."""
    kind: str = ""
    """On the timeline, where it is not the event's own."""


class Ended(NamedTuple):
    solve_id: SolveId
    publish: PublishMode | None
    origin: Origin | None


async def find(db: AsyncSession, solve_id: SolveId) -> PublicationRow | None:
    return await db.get(PublicationRow, solve_id, populate_existing=True)


async def get(db: AsyncSession, solve_id: SolveId) -> PublicationRow:
    row = await find(db, solve_id)
    if row is None:
        raise NotFoundError(f"solve {solve_id} was not published: request it first")
    return row


async def add(db: AsyncSession, row: PublicationRow, *, data: Data) -> PublicationRow:
    await hold_solve(db, row.solve_id)
    db.add(row)
    await db.flush()
    at = row.created_at
    await events.append(db, row.solve_id, kind=REQUESTED, at=at, run_id=row.run_id, data=data)
    return row


async def take(
    db: AsyncSession, solve_id: SolveId, holder: str, *, forge: str, at: float, until: float
) -> PublicationRow | None:
    """Take the lease of a publication; None when another worker has it or nothing is due.

    Publications at another forge than the configured one are never due.
    """
    free = and_(_P.solve_id == solve_id, _is_due(at), _is_at(_P.repo_url, forge))
    return await _changed(db, free, {"holder": holder, "held_until": until})


async def renew(db: AsyncSession, solve_id: SolveId, holder: str, *, until: float) -> bool:
    """Renew the lease; False when it was lost."""
    mine = and_(_P.solve_id == solve_id, _P.holder == holder)
    return await _changed(db, mine, {"held_until": until}) is not None


async def hold(db: AsyncSession, row: PublicationRow) -> None:
    """Lock the publication; ClaimLostError when its lease was lost or its state has changed."""
    await hold_solve(db, row.solve_id)
    as_seen = and_(_P.solve_id == row.solve_id, _P.state == row.state, _P.holder == row.holder)
    _ours(await _changed(db, as_seen, {"holder": row.holder}), row.solve_id)


async def is_dismissed(db: AsyncSession, solve: SolveRow) -> bool:
    """Whether a person dismissed the solve."""
    if solve.state is SolveState.CANCELLED:
        return True
    if solve.state is not SolveState.COMPLETED:
        return False
    settled = (EventRow.solve_id == solve.id) & (EventRow.kind == "solve.settled")
    event_data = await db.scalars(select(EventRow.data).where(settled))
    return any("dismissed" in data for data in event_data)


async def cancel(db: AsyncSession, solve_id: SolveId, *, at: float) -> None:
    """Cancel a publication of a dismissed solve and end its lease.

    One that has, or after PUSHED may have, a pull request stays as it is: the next step looks for
    the pull request and opens none for a dismissed solve.
    """
    await hold_solve(db, solve_id)
    row = await find(db, solve_id)
    may_be_open = row is None or row.pull_number is not None or row.state is PublicationState.PUSHED
    if row is None or may_be_open or not is_owed(row):
        return
    columns: Data = {"holder": "", "held_until": 0.0, "due_at": 0.0, "error": "", "tries": 0}
    if row.state not in RESTING:
        why: Data = {"reason": DISMISSED}
        await advance(db, row, Move(PublicationEvent.REFUSED, columns | why, why), at=at)
        return
    await _changed(db, _P.solve_id == solve_id, columns | {"updated_at": at})


async def comment_ids(db: AsyncSession, repo_url: str, issue_number: int) -> list[int]:
    """Our comments on this issue, newest first."""
    query = (
        select(_P.comment_id)
        .join(SolveRow, SolveRow.id == _P.solve_id)
        .where(
            _P.repo_url == repo_url,
            SolveRow.issue_number == issue_number,
            _P.comment_id.is_not(None),
        )
        .order_by(_P.updated_at.desc())
    )
    return [found for found in await db.scalars(query) if found is not None]


async def change(
    db: AsyncSession, solve_id: SolveId, holder: str, *, at: float, **changes: object
) -> PublicationRow:
    """Set columns without a change of state; ClaimLostError when the lease was lost."""
    if "state" in changes:
        raise ValueError("a state changes through advance()")
    mine = and_(_P.solve_id == solve_id, _P.holder == holder)
    return _ours(await _changed(db, mine, {**changes, "updated_at": at}), solve_id)


async def advance(
    db: AsyncSession, row: PublicationRow, move: Move, *, at: float
) -> PublicationRow:
    """Move to the event's next state and append to the timeline.

    ClaimLostError when the lease was lost or the state has changed.
    """
    await hold_solve(db, row.solve_id)
    was = row.state
    state = publication.advance(was, move.event)
    as_seen = and_(_P.solve_id == row.solve_id, _P.state == was, _P.holder == row.holder)
    columns = {**move.columns, "state": state, "updated_at": at}
    changed = _ours(await _changed(db, as_seen, columns), row.solve_id)
    kind, event_data = move.kind or KINDS[move.event], {"from": was, "to": state, **move.data}
    await events.append(db, row.solve_id, kind=kind, at=at, run_id=changed.run_id, data=event_data)
    return changed


async def due(db: AsyncSession, *, forge: str, at: float, limit: int) -> list[SolveId]:
    """Publications at this forge that are due, the longest waiting first."""
    is_ours = and_(_is_due(at), _is_at(_P.repo_url, forge))
    query = select(_P.solve_id).where(is_ours).order_by(_P.due_at, _P.solve_id).limit(limit)
    return list(await db.scalars(query))


async def answered_since(db: AsyncSession, row: PublicationRow) -> bool:
    """Whether a person has answered a question of the solve since then."""
    newer = (QuestionRow.solve_id == row.solve_id) & (QuestionRow.answered_at > row.updated_at)
    return await db.scalar(select(QuestionRow.id).where(newer).limit(1)) is not None


async def forgotten(
    db: AsyncSession, *, forge: str, since: float, until: float, limit: int
) -> list[Ended]:
    """Solves that ended in this period without a publication, newest first.

    Also those that were answered in it, while a comment is all that is published.
    """
    # A solve's time of the end is that of its first one.
    answered = select(QuestionRow.solve_id).where(
        QuestionRow.answered_at > since, QuestionRow.answered_at <= until
    )
    is_new = and_(SolveRow.finished_at > since, SolveRow.finished_at <= until)
    is_comment = and_(_P.state == PublicationState.DONE, _P.run_id.is_(None))
    query = (
        select(SolveRow.id, SolveRow.publish, SolveRow.origin)
        .outerjoin(PublicationRow, _P.solve_id == SolveRow.id)
        .where(
            or_(
                and_(_P.solve_id.is_(None), or_(is_new, SolveRow.id.in_(answered))),
                and_(is_comment, SolveRow.id.in_(answered)),
            ),
            _is_at(SolveRow.repo_url, forge),
            SolveRow.publish.in_((PublishMode.AUTO, PublishMode.ASK)),
            SolveRow.state.in_(_ENDED),
        )
        .order_by(SolveRow.finished_at.desc())
        .limit(limit)
    )
    return [Ended(*found) for found in await db.execute(query)]


def _is_at(url: InstrumentedAttribute[str], forge: str) -> ColumnElement[bool]:
    return url.istartswith(f"{forge}/", autoescape=True)


def _is_due(at: float) -> ColumnElement[bool]:
    """A final publication has a due time while its comment is missing."""
    is_owed = or_(_P.state.not_in(RESTING), _P.due_at > 0)
    return and_(is_owed, _P.due_at <= at, _P.held_until <= at)


async def _changed(
    db: AsyncSession, condition: ColumnElement[bool], columns: Data
) -> PublicationRow | None:
    statement = update(PublicationRow).where(condition).values(**columns)
    returning = statement.returning(PublicationRow).execution_options(
        synchronize_session=False, populate_existing=True
    )
    return (await db.scalars(returning)).one_or_none()


def _ours(row: PublicationRow | None, solve_id: SolveId) -> PublicationRow:
    if row is None:
        raise ClaimLostError(f"solve {solve_id}: its publication was taken over by another worker")
    return row


def is_owed(row: PublicationRow) -> bool:
    """Whether something is left to do at the forge."""
    return row.state not in RESTING or row.due_at > 0

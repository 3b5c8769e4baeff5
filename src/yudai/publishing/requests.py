"""Requests to publish: which are allowed, and when a solve is published without one."""

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy.ext.asyncio import AsyncSession

from yudai.forge.domain.repository import parse_target
from yudai.kit.clock import Clock
from yudai.kit.errors import ConflictError, RefusedError
from yudai.kit.hints import APPLY
from yudai.kit.ids import SolveId, short
from yudai.publishing import queries as publications
from yudai.publishing.domain.publication import RESTING, PublicationEvent, PublicationState
from yudai.publishing.domain.pull_request import branch_name
from yudai.publishing.queries import Move
from yudai.publishing.tables import PublicationRow
from yudai.publishing.views import PublicationView, view_of
from yudai.runs import queries as runs
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.domain.origin import Origin, OriginKind, PublishMode
from yudai.solves.domain.states import SolveState
from yudai.solves.tables import SolveRow
from yudai.store.rows import Data
from yudai.store.store import Store
from yudai.verification.domain.verdict import VerdictStatus

# Columns that a new request resets; the comment stays.
_RESET = ("run_id", "actor", "branch", "head_repo", "commit", "reason", "error", "tries", "due_at")
_PUBLISHABLE = (VerdictStatus.PASSED, VerdictStatus.UNPROVED)


@dataclass(frozen=True)
class Publications:
    """Creates and shows publications; a worker executes them."""

    store: Store
    clock: Clock
    forge_url: str

    async def request(self, solve_id: SolveId, *, actor: str) -> PublicationView:
        """Request a publication in a person's name.

        ConflictError when nothing may be published, or publishing has already started.
        """
        now = self.clock.now()
        async with self.store.change() as db:
            row = await _ask(db, solve_id, actor=actor, forge=self.forge_url, at=now)
        return view_of(row)

    async def view(self, solve_id: SolveId) -> PublicationView:
        async with self.store.read() as db:
            return view_of(await publications.get(db, solve_id))


async def _ask(
    db: AsyncSession, solve_id: SolveId, *, actor: str, forge: str, at: float
) -> PublicationRow:
    solve = await solves.hold(db, solve_id)
    run = await _answer(db, solve)
    made = _new(solve, run, actor=actor, forge=forge, at=at)
    there = await publications.find(db, solve_id)
    if there is None:
        return await publications.add(db, made, data={"by": actor})
    _check_again(there)
    move = Move(PublicationEvent.ASKED_AGAIN, _anew(made), {"by": actor, "again": True})
    return await publications.advance(db, there, move, at=at)


def _anew(made: PublicationRow) -> Data:
    return {name: getattr(made, name) for name in _RESET}


async def request_automatically(
    db: AsyncSession,
    solve_id: SolveId,
    *,
    comments_on: Callable[[SolveRow], bool],
    forge: str,
    at: float,
) -> PublicationRow | None:
    """Create a publication without a request; None when there is nothing to do or one exists.

    One that only said that the solve asks a question is done again after the answer.
    """
    solve = await solves.hold(db, solve_id)
    if not _is_at(solve.repo_url, forge) or not _has_ended(solve):
        return None
    run = None
    if solve.champion_run_id is not None:
        run = await runs.get(db, solve.champion_run_id)
    by_itself = solve.publish is PublishMode.AUTO and _status(run) is VerdictStatus.PASSED
    if not by_itself and not (may_comment(solve.publish, solve.origin) and comments_on(solve)):
        return None
    there = await publications.find(db, solve_id)
    if there is not None and not await _is_outdated(db, there, by_itself=by_itself):
        return None
    # A person who asked at the forge may have no account here.
    actor = "" if _is_from_forge(solve.origin) else solve.user_id
    row = _new(solve, run if by_itself else None, actor=actor, forge=forge, at=at)
    facts: Data = {"by": "", "only_comment": not by_itself}
    if there is None:
        return await publications.add(db, row, data=facts)
    move = Move(PublicationEvent.ASKED_AGAIN, _anew(row), facts | {"again": True})
    return await publications.advance(db, there, move, at=at)


async def _is_outdated(db: AsyncSession, there: PublicationRow, *, by_itself: bool) -> bool:
    """Whether it only said that the solve asks, and there is more to say after an answer."""
    if there.state is not PublicationState.DONE or there.run_id is not None:
        return False
    # It may have been written while the answer came.
    is_found = by_itself and await events.has(db, there.solve_id, events.ANSWERED)
    return is_found or await publications.answered_since(db, there)


def may_comment(publish: PublishMode | None, origin: Origin | None) -> bool:
    """Comment only if the solve was requested at the forge, or its owner publishes by default."""
    if publish in (None, PublishMode.NEVER):
        return False
    return publish is PublishMode.AUTO or _is_from_forge(origin)


def _is_at(url: str, forge: str) -> bool:
    if not url:
        return False
    try:
        parse_target(url, forge=forge)
    except RefusedError:
        return False
    return True


def _is_from_forge(origin: Origin | None) -> bool:
    return origin is not None and origin.kind is not OriginKind.PERSON


def _has_ended(solve: SolveRow) -> bool:
    """Whether the flow has ended and no person has decided since."""
    if solve.state is SolveState.COMPLETED:
        return solve.champion_run_id is None
    return solve.state in (SolveState.AWAITING_REVIEW, SolveState.FAILED)


def _status(run: RunRow | None) -> VerdictStatus:
    return VerdictStatus.NONE if run is None or run.verdict is None else run.verdict.status


async def _answer(db: AsyncSession, solve: SolveRow) -> RunRow:
    name = f"solve {short(solve.id)}"
    if solve.publish is None or not solve.repo_url:
        raise ConflictError(f"{name} is not at a forge: ", APPLY, " takes its answer")
    if solve.publish is PublishMode.NEVER:
        raise ConflictError(f"{name} was opened with `publish: never`: open another one")
    if solve.champion_run_id is None:
        raise ConflictError(
            f"{name} is {solve.state} and has no champion: choose one first", state=solve.state
        )
    is_open = solve.state is SolveState.AWAITING_REVIEW
    if not is_open and not await events.has(db, solve.id, "solve.abstained"):
        raise ConflictError(
            f"{name} is {solve.state}: only what is awaiting review is published",
            state=solve.state,
        )
    run = await runs.get(db, solve.champion_run_id)
    if _status(run) not in _PUBLISHABLE:
        raise ConflictError(
            f"{run.handle} is {_status(run)}: only what was verified is published,"
            " choose another one",
            state=solve.state,
        )
    return run


def _check_again(there: PublicationRow) -> None:
    if there.state not in RESTING:
        raise ConflictError("it is being published already: watch it", state=there.state)
    if there.state is PublicationState.DONE and there.pull_number is not None:
        raise ConflictError(f"it is published already: {there.pull_url}", state=there.state)


def _new(
    solve: SolveRow, run: RunRow | None, *, actor: str, forge: str, at: float
) -> PublicationRow:
    return PublicationRow(
        solve_id=solve.id,
        run_id=None if run is None else run.id,
        actor=actor,
        repo_url=parse_target(solve.repo_url, forge=forge).repo.url,
        branch=None if run is None else branch_name(solve.issue_number, solve.id),
        base_branch=solve.base_branch,
        base_commit=solve.base_commit,
        created_at=at,
        updated_at=at,
    )

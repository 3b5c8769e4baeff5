"""Stores a pull request's state as the forge reported it."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from sqlalchemy.ext.asyncio import AsyncSession

from yudai.forge.domain.repository import PullRequest, PullState
from yudai.kit.text import line
from yudai.publishing import outcome_queries as outcomes
from yudai.publishing import queries as publications
from yudai.publishing.domain.publication import OutcomeKind
from yudai.publishing.tables import OutcomeRow, PublicationRow
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.domain.states import SolveEvent, SolveState
from yudai.solves.tables import SolveRow
from yudai.store.rows import Data

MAX_WORDS = 200
UNSEEN = "cannot look at pull request"
"""Prefix of an error that is cleared once the pull request is visible again."""
_GONE = "gone"

_ENDED = {PullState.MERGED: OutcomeKind.MERGED, PullState.CLOSED: OutcomeKind.CLOSED}
_MOVED = {
    (PullState.CLOSED, PullState.OPEN): "pull.reopened",
    (PullState.MERGED, PullState.OPEN): "pull.reopened",
}
_DRAFTED = {(True, False): "pull.ready", (False, True): "pull.drafted"}


LoginOf = Callable[[AsyncSession, str], Awaitable[str]]
"""The forge's name of a user; "" when it is not known."""


class Seen(NamedTuple):
    """A pull request's present state, or why it is gone."""

    pull: PullRequest | None
    why_gone: str = ""
    self_logins: frozenset[str] = frozenset()
    """Logins of the person who asked for the solve."""

    @property
    def state(self) -> PullState:
        return PullState.CLOSED if self.pull is None else self.pull.state


async def note_pull(
    db: AsyncSession, row: PublicationRow, seen: Seen, login_of: LoginOf, *, now: float
) -> None:
    """Store columns, timeline, outcome and the solve's state in the caller's transaction."""
    solve = await solves.hold(db, row.solve_id)
    kept = await publications.find(db, row.solve_id)
    if kept is None:
        return
    for kind in _moves(kept, seen):
        await events.append(db, solve.id, kind=kind, at=now, data={"pull": kept.pull_number})
    columns = _columns(kept, seen)
    if kept.error.startswith(UNSEEN):
        columns["error"] = ""
    await outcomes.change(db, solve.id, **columns, updated_at=now)
    if seen.state in _ENDED:
        if seen.pull is not None and seen.pull.merged_by:
            known = await _logins(db, solve, kept, login_of)
            seen = seen._replace(self_logins=seen.self_logins | known)
        await _end(db, solve, kept, seen, now=now)


async def _end(
    db: AsyncSession, solve: SolveRow, kept: PublicationRow, seen: Seen, *, now: float
) -> None:
    is_new = await outcomes.add(db, _outcome(solve, kept, seen, now=now))
    if is_new and solve.state is SolveState.AWAITING_REVIEW:
        told: Data = {"pull": kept.pull_number, "pull_state": seen.state, "run": kept.run_id}
        await solves.advance(db, solve.id, SolveEvent.SETTLED, at=now, data=told)


def _outcome(solve: SolveRow, kept: PublicationRow, seen: Seen, *, now: float) -> OutcomeRow:
    happened_at, key, by, evidence = _facts(kept, seen, now)
    if by:
        evidence["self_merge"] = by.lower() in seen.self_logins
    return OutcomeRow(
        solve_id=solve.id,
        run_id=kept.run_id,
        kind=_ENDED[seen.state],
        key=key,
        at=happened_at,
        seen_at=now,
        by=by,
        evidence=evidence,
    )


class _Facts(NamedTuple):
    at: float
    key: str
    by: str
    evidence: Data


def _facts(kept: PublicationRow, seen: Seen, now: float) -> _Facts:
    number, pull = kept.pull_number, seen.pull
    if pull is None:
        return _Facts(
            now, _GONE, "", {"pull": number, "reason": line(seen.why_gone, width=MAX_WORDS)}
        )
    evidence: Data = {"pull": number, "url": pull.url, "base": pull.base_branch}
    if pull.state is PullState.CLOSED:
        closed_at = pull.closed_at or now
        key = "closed" if pull.closed_at is None else f"closed-{int(closed_at)}"
        return _Facts(closed_at, key, "", evidence | {"reason": "closed without being merged"})
    evidence |= {"commit": pull.merge_commit, "as_published": pull.head_commit == kept.commit}
    return _Facts(pull.merged_at or now, f"pull-{number}", pull.merged_by, evidence)


async def _logins(
    db: AsyncSession, solve: SolveRow, kept: PublicationRow, login_of: LoginOf
) -> frozenset[str]:
    """Known logins of the people who asked for the solve or its publication."""
    known = {"" if solve.origin is None else solve.origin.login}
    for user_id in {solve.user_id, kept.actor} - {""}:
        known.add(await login_of(db, user_id))
    return frozenset(login.lower() for login in known if login)


def _columns(kept: PublicationRow, seen: Seen) -> Data:
    pull = seen.pull
    if pull is None:
        return {"pull_state": PullState.CLOSED}
    columns: Data = {
        "pull_state": pull.state,
        "pull_title": pull.title,
        "merged_at": pull.merged_at,
        # Before a merge the forge reports the sha of a trial merge here.
        "merge_commit": pull.merge_commit if pull.state is PullState.MERGED else "",
    }
    if pull.state is not PullState.CLOSED:
        # A merged pull request is no draft, even if we missed the change.
        columns["is_draft"] = pull.is_draft and pull.state is PullState.OPEN
    if kept.pull_url != pull.url and pull.url:
        columns["pull_url"] = pull.url
    return columns


def _moves(kept: PublicationRow, seen: Seen) -> list[str]:
    found = [_MOVED.get((kept.pull_state or PullState.OPEN, seen.state))]
    if seen.pull is not None and seen.state is PullState.OPEN:
        found.append(_DRAFTED.get((kept.is_draft, seen.pull.is_draft)))
    return [kind for kind in found if kind is not None]

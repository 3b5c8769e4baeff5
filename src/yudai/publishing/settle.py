"""Records what happens to a pull request: merged, closed, landed by hand, reverted, reapplied.

The forge is always asked; a webhook is only a hint to ask now.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NamedTuple

import structlog
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.artifacts.context import Context
from yudai.forge.domain.repository import PullRequest, PullState, RepoRef, parse_target
from yudai.forge.ports.remote import Credential, CredentialKind, Credentials, Mirrors, RemoteForge
from yudai.kit.errors import (
    ForbiddenError,
    InfrastructureError,
    NotFoundError,
    RefusedError,
    retry_after_s,
)
from yudai.kit.text import line
from yudai.publishing import outcome_queries as outcomes
from yudai.publishing import outcome_queries as pulls
from yudai.publishing import queries as publications
from yudai.publishing.branch_history import BranchHistories, ForgeAccess
from yudai.publishing.context import is_own
from yudai.publishing.domain.publication import OutcomeKind
from yudai.publishing.outcome_queries import Due
from yudai.publishing.tables import OutcomeRow, PublicationRow
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.domain.states import SolveEvent, SolveState
from yudai.solves.tables import SolveRow
from yudai.store.rows import Data

log: structlog.stdlib.BoundLogger = structlog.get_logger()

OPEN_EVERY_S = 600.0
HISTORY_EVERY_S = 3600.0
WINDOW_S = 30 * 86_400.0
_AGAIN_S = 60.0


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


class UnseenError(RefusedError):
    """The credential cannot see the pull request, so nothing is known about it."""


@dataclass(frozen=True)
class Settler:
    """Checks pull requests. Every worker may check; each due one is claimed by one worker."""

    context: Context
    forge: RemoteForge
    mirrors: Mirrors
    credentials: Credentials
    login_of: LoginOf
    open_every_s: float = OPEN_EVERY_S
    history_every_s: float = HISTORY_EVERY_S
    window_s: float = WINDOW_S
    """How long after its end a pull request is checked."""

    async def check_due(self) -> int:
        """Check all due pull requests; return how many. Works without webhooks."""
        now, looked = self.context.clock.now(), 0
        histories = BranchHistories(self.context, self.forge, self.mirrors)
        which = Due(
            forge=self.forge.url,
            open_before=now - self.open_every_s,
            ended_before=now - self.history_every_s,
            young=now - self.window_s,
        )
        async with self.context.store.read() as db:
            rows = await pulls.due(db, which)
        for row in rows:
            if not await self._take(row):
                continue
            try:
                await self._settle(row, histories)
            except (InfrastructureError, RefusedError) as error:
                await self._postpone(row, error)
                if retry_after_s(error) > 0:
                    break
            else:
                looked += 1
        return looked

    async def check_pull(self, repo: RepoRef, number: int | None) -> int:
        """Check now; on ForgeError the caller keeps the hint."""
        young = self.context.clock.now() - self.window_s
        async with self.context.store.read() as db:
            rows = await pulls.at(db, repo.url, number, young=young)
        histories, looked = BranchHistories(self.context, self.forge, self.mirrors), 0
        for row in rows:
            async with self.context.store.change() as db:
                await pulls.change(db, row.solve_id, looked_at=self.context.clock.now())
            try:
                await self._settle(row, histories)
            except RefusedError as error:
                # The next one uses another credential and may be visible.
                await self._postpone(row, error)
            else:
                looked += 1
        return looked

    async def _settle(self, row: PublicationRow, histories: BranchHistories) -> None:
        repo = parse_target(row.repo_url, forge=self.forge.url).repo
        by = await self.credentials.reading(repo, user_id=row.actor)
        seen = await self._see(row, repo, by)
        if seen is not None:
            async with self.context.store.change() as db:
                await note_pull(db, row, seen, self.login_of, now=self.context.clock.now())
            if seen.pull is None or seen.state is PullState.OPEN:
                return
        await histories.note(row.solve_id, ForgeAccess(repo, by))

    async def _see(self, row: PublicationRow, repo: RepoRef, by: Credential) -> Seen | None:
        """The pull request's state; None when it was merged, which is final."""
        if row.pull_number is None or (row.pull_state is PullState.MERGED and row.merge_commit):
            return None
        try:
            pull = await self.forge.pull(repo, row.pull_number, by=by)
        except ForbiddenError as error:
            raise _unseen(row, str(error)) from error
        except NotFoundError as error:
            await self._check_sight(row, repo, by)
            return Seen(None, why_gone=f"it is gone: {error}")
        login = await self._login(row, by) if pull.state is PullState.MERGED else ""
        return Seen(pull, self_logins=frozenset({login.lower()} - {""}))

    async def _check_sight(self, row: PublicationRow, repo: RepoRef, by: Credential) -> None:
        """Forges answer 404 for hidden things: it is gone only if its repository is visible."""
        if by.kind is CredentialKind.ANONYMOUS:
            raise _unseen(row, "no login has access to it")
        try:
            await self.forge.repository(repo, by=by)
        except (NotFoundError, ForbiddenError) as error:
            raise _unseen(row, str(error)) from error

    async def _login(self, row: PublicationRow, by: Credential) -> str:
        """Login of the requester if the credential is theirs, else ""."""
        is_theirs = is_own(by, row.actor)
        if by.login or not is_theirs:
            return by.login if is_theirs else ""
        try:
            return (await self.forge.whoami(by=by)).login
        except RefusedError:
            return ""

    async def _take(self, row: PublicationRow) -> bool:
        async with self.context.store.change() as db:
            return await pulls.take(db, row, at=self.context.clock.now())

    async def _postpone(
        self, row: PublicationRow, error: InfrastructureError | RefusedError
    ) -> None:
        """Check again earlier than usual, but not before the forge allows it."""
        log.warning("pull.not_looked_at", solve_id=row.solve_id, error=str(error))
        is_open = row.pull_state in (None, PullState.OPEN)
        every = self.open_every_s if is_open else self.history_every_s
        wait = every if isinstance(error, RefusedError) else max(retry_after_s(error), _AGAIN_S)
        columns: dict[str, object] = {"looked_at": self.context.clock.now() + wait - every}
        async with self.context.store.change() as db:
            kept = await publications.find(db, row.solve_id)
            # Do not overwrite the publisher's own error.
            is_free = kept is not None and (not kept.error or kept.error.startswith(UNSEEN))
            if isinstance(error, UnseenError) and is_free:
                columns["error"] = str(error)
            await pulls.change(db, row.solve_id, **columns)


def _unseen(row: PublicationRow, why: str) -> UnseenError:
    return UnseenError(line(f"{UNSEEN} #{row.pull_number}: {why}", width=MAX_WORDS))


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
        event_data: Data = {"pull": kept.pull_number, "pull_state": seen.state, "run": kept.run_id}
        await solves.advance(db, solve.id, SolveEvent.SETTLED, at=now, data=event_data)


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

"""Records what happens to a pull request: merged, closed, landed by hand, reverted, reapplied.

The forge is always asked; a webhook is only a hint to ask now.
"""

from dataclasses import dataclass

import structlog

from yudai.artifacts.context import Context
from yudai.forge.domain.repository import PullState, RepoRef, parse_target
from yudai.forge.ports.remote import Credential, CredentialKind, Credentials, Mirrors, RemoteForge
from yudai.kit.errors import (
    ForbiddenError,
    InfrastructureError,
    NotFoundError,
    RefusedError,
    retry_after_s,
)
from yudai.kit.ids import LOCAL_USER
from yudai.kit.text import line
from yudai.publishing import outcome_queries as pulls
from yudai.publishing import queries as publications
from yudai.publishing.branch_history import BranchHistories, ForgeAccess
from yudai.publishing.outcome_queries import Due
from yudai.publishing.pull_state import MAX_WORDS, UNSEEN, LoginOf, Seen, note_pull
from yudai.publishing.tables import PublicationRow

log: structlog.stdlib.BoundLogger = structlog.get_logger()

OPEN_EVERY_S = 600.0
HISTORY_EVERY_S = 3600.0
WINDOW_S = 30 * 86_400.0
_AGAIN_S = 60.0


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
            raise _unseen(row, "no login can see it")
        try:
            await self.forge.repository(repo, by=by)
        except (NotFoundError, ForbiddenError) as error:
            raise _unseen(row, str(error)) from error

    async def _login(self, row: PublicationRow, by: Credential) -> str:
        """Login of the requester if the credential is theirs, else ""."""
        is_theirs = by.kind is CredentialKind.USER or (
            # In local mode the server's token is the user's own.
            by.kind is CredentialKind.SERVER and row.actor == LOCAL_USER
        )
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

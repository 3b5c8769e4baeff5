"""What becomes of a pull request: merged, closed, landed by hand, reverted, brought again.

The forge is asked, always: a webhook is only a hint to ask now.
"""

from dataclasses import dataclass

import structlog

from yudai.artifacts.context import Context
from yudai.forge.domain.repository import PullState, RepoRef, parse_target
from yudai.forge.ports.remote import Credential, CredentialKind, Credentials, Mirrors, RemoteForge
from yudai.kit.errors import ForbiddenError, NotFoundError, RefusedError, WorldError, retry_after_s
from yudai.kit.ids import LOCAL_USER
from yudai.kit.text import line
from yudai.publishing import outcome_queries as pulls
from yudai.publishing import queries as publications
from yudai.publishing.branch_history import Asked, Histories
from yudai.publishing.outcome_queries import Due
from yudai.publishing.pull_state import MAX_WORDS, UNSEEN, LoginOf, Seen, note_pull
from yudai.publishing.tables import PublicationRow

log: structlog.stdlib.BoundLogger = structlog.get_logger()

OPEN_EVERY_S = 600.0
HISTORY_EVERY_S = 3600.0
WINDOW_S = 30 * 86_400.0
_AGAIN_S = 60.0


class UnseenError(RefusedError):
    """What we ask with cannot tell whether it is there: that is no outcome."""


@dataclass(frozen=True)
class Settler:
    """Every worker may look: whoever finds a pull request due first looks at it alone."""

    context: Context
    forge: RemoteForge
    mirrors: Mirrors
    credentials: Credentials
    login_of: LoginOf
    open_every_s: float = OPEN_EVERY_S
    history_every_s: float = HISTORY_EVERY_S
    window_s: float = WINDOW_S
    """How long after its end a pull request is looked after."""

    async def look(self) -> int:
        """Those that are due; says how many were looked at. It is complete without webhooks."""
        now, histories, looked = (
            self.context.clock.now(),
            Histories(self.context, self.forge, self.mirrors),
            0,
        )
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
            except (WorldError, RefusedError) as error:
                await self._put_off(row, error)
                if retry_after_s(error) > 0:
                    break
            else:
                looked += 1
        return looked

    async def look_at(self, repo: RepoRef, number: int | None) -> int:
        """Ask now; ForgeError when nobody answers: the hint is to be kept."""
        young = self.context.clock.now() - self.window_s
        async with self.context.store.read() as db:
            rows = await pulls.at(db, repo.url, number, young=young)
        histories, looked = Histories(self.context, self.forge, self.mirrors), 0
        for row in rows:
            async with self.context.store.change() as db:
                await pulls.change(db, row.solve_id, looked_at=self.context.clock.now())
            try:
                await self._settle(row, histories)
            except RefusedError as error:
                # Asked in another one's name, the next may be seen.
                await self._put_off(row, error)
            else:
                looked += 1
        return looked

    async def _settle(self, row: PublicationRow, histories: Histories) -> None:
        repo = parse_target(row.repo_url, forge=self.forge.url).repo
        by = await self.credentials.reading(repo, user_id=row.actor)
        seen = await self._see(row, repo, by)
        if seen is not None:
            async with self.context.store.change() as db:
                await note_pull(db, row, seen, self.login_of, now=self.context.clock.now())
            if seen.pull is None or seen.state is PullState.OPEN:
                return
        await histories.note(row.solve_id, Asked(repo, by))

    async def _see(self, row: PublicationRow, repo: RepoRef, by: Credential) -> Seen | None:
        """None: it was merged, and that does not change any more."""
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
        """A forge hides what may not be seen: only where all else is there, one thing is gone."""
        if by.kind is CredentialKind.ANONYMOUS:
            raise _unseen(row, "nobody is logged in who could see it")
        try:
            await self.forge.repository(repo, by=by)
        except (NotFoundError, ForbiddenError) as error:
            raise _unseen(row, str(error)) from error

    async def _login(self, row: PublicationRow, by: Credential) -> str:
        """Whose token this is, if that of whoever asked for the publication; "" else."""
        is_theirs = by.kind is CredentialKind.USER or (
            # On a machine of one person the server's token is theirs.
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

    async def _put_off(self, row: PublicationRow, error: WorldError | RefusedError) -> None:
        """Sooner than it would be due, not before the forge wants to be asked again."""
        log.warning("pull.not_looked_at", solve_id=row.solve_id, error=str(error))
        is_open = row.pull_state in (None, PullState.OPEN)
        every = self.open_every_s if is_open else self.history_every_s
        wait = every if isinstance(error, RefusedError) else max(retry_after_s(error), _AGAIN_S)
        columns: dict[str, object] = {"looked_at": self.context.clock.now() + wait - every}
        async with self.context.store.change() as db:
            kept = await publications.find(db, row.solve_id)
            # What the publisher has to say comes first.
            is_free = kept is not None and (not kept.error or kept.error.startswith(UNSEEN))
            if isinstance(error, UnseenError) and is_free:
                columns["error"] = str(error)
            await pulls.change(db, row.solve_id, **columns)


def _unseen(row: PublicationRow, why: str) -> UnseenError:
    return UnseenError(line(f"{UNSEEN} #{row.pull_number}: {why}", width=MAX_WORDS))

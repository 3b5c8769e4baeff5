"""The poller: finds requests for solves at a forge, also without webhooks."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import structlog

from yudai.forge.domain.repository import Comment, ForgeIssue, RepoRef, parse_target
from yudai.forge.ports.remote import Credential, CredentialKind, IssueQuery
from yudai.kit.errors import ForgeError, RefusedError
from yudai.kit.text import line
from yudai.triggers import queries
from yudai.triggers.domain.commands import find_command
from yudai.triggers.open_solves import FIRST, OVERLAP_S, Triggers, watch_key
from yudai.triggers.tables import WatchRow

log: structlog.stdlib.BoundLogger = structlog.get_logger()

MOST_OPENED = 5
"""Solves opened per poll of a repository; the next poll continues."""
# After this time nothing older appears, and the overlap can be skipped.
_QUIET_S = 60.0
_MAX_PAGES = 20
_MAX_ERROR = 300

_APP = Credential(kind=CredentialKind.APP)


@dataclass
class _Installed:
    """Repositories where the App is installed, cached."""

    repos: tuple[RepoRef, ...] = ()
    asked_at: float = 0.0


class _Seen(NamedTuple):
    comments: Sequence[Comment]
    issues: Sequence[ForgeIssue]


@dataclass(frozen=True)
class Poller:
    """Polls repositories. Every worker polls; each repository is claimed by one at a time.

    From the first poll on, new commands count. A label is a state: one that is already on an open
    issue counts once for each time that it was added, unless we have answered there before.
    """

    triggers: Triggers
    watched: tuple[str, ...] = ()
    """GITHUB_WATCH: `owner/name`."""
    poll_s: float = 60.0
    has_app: bool = False
    """Whether an App is configured: then all repositories where it is installed are watched."""
    _app: _Installed = field(default_factory=_Installed, compare=False, repr=False)

    async def poll(self) -> int:
        """Poll every repository that is due; return how many solves were opened."""
        asked = self._named(self.watched)
        known = await self._installed()
        # Only these repositories: people at others could spend our money.
        wanted = {watch_key(repo): repo for repo in (*asked, *known)}
        opened = 0
        for key, repo in wanted.items():
            watch = await self._claim(key)
            if watch is not None:
                opened += await self._try(repo, watch)
        return opened

    def _named(self, names: Iterable[str]) -> list[RepoRef]:
        found: list[RepoRef] = []
        for name in names:
            try:
                found.append(parse_target(name, forge=self.triggers.forge.url).repo)
            except RefusedError as error:
                # At a forge that was configured before, or a typo in the setting.
                log.debug("watch.passed_over", name=name, error=str(error))
        return found

    async def _installed(self) -> Sequence[RepoRef]:
        now = self.triggers.clock.now()
        if not self.has_app or self._app.asked_at > now - self.poll_s:
            return self._app.repos
        self._app.asked_at = now
        try:
            found = await self.triggers.forge.repositories(by=_APP)
        except (ForgeError, RefusedError) as error:
            # Continue with the known ones.
            log.warning("watch.app_not_asked", error=str(error))
        else:
            self._app.repos = tuple(one.ref for one in found if not one.is_archived)
        return self._app.repos

    async def _claim(self, key: str) -> WatchRow | None:
        now = self.triggers.clock.now()
        async with self.triggers.store.read() as db:
            row = await queries.find_watch(db, key)
        if row is not None and row.looked_at > now - self.poll_s:
            return None
        async with self.triggers.store.change() as db:
            await queries.begin_watch(db, key, at=now)
            return await queries.claim_poll(db, key, at=now, every_s=self.poll_s)

    async def _try(self, repo: RepoRef, watch: WatchRow) -> int:
        """Poll a repository. An error is stored, and the next poll tries again."""
        try:
            return await self._check_repository(repo, watch)
        except (ForgeError, RefusedError) as error:
            changes: dict[str, object] = {"error": line(str(error), width=_MAX_ERROR)}
            if isinstance(error, ForgeError) and error.retry_after_s > self.poll_s:
                changes["looked_at"] = self.triggers.clock.now() + error.retry_after_s - self.poll_s
            async with self.triggers.store.change() as db:
                await queries.change_watch(db, watch.repo_url, **changes)
            log.warning("watch.failed", repo=repo.full, error=str(error))
            return 0

    async def _check_repository(self, repo: RepoRef, watch: WatchRow) -> int:
        by = await self.triggers.credentials.reading(repo, user_id="")
        since = watch.comments_since - OVERLAP_S
        comments = await self.triggers.forge.comments_since(repo, since, by=by)
        issues = await self._labelled(repo, watch, by=by)
        numbers = {one.issue_number for one in comments if _asks(one, since)}
        numbers |= {issue.number for issue in issues}
        opened, failed, left = 0, None, sorted(numbers, reverse=True)
        while left and opened < MOST_OPENED:
            try:
                opened += await self.triggers.check_issue(repo, left.pop())
            except (ForgeError, RefusedError) as error:
                # Continue with the other issues.
                failed = failed or error
        if failed is not None:
            raise failed
        # Issues that are left are found again from the same position; the others are recorded.
        await self._note(watch, _Seen((), ()) if left else _Seen(comments, issues), is_all=not left)
        return opened

    async def _labelled(
        self, repo: RepoRef, watch: WatchRow, *, by: Credential
    ) -> list[ForgeIssue]:
        since = None if watch.issues_since == FIRST else max(1.0, watch.issues_since - OVERLAP_S)
        query = IssueQuery(label=self.triggers.label, since=since)
        found: list[ForgeIssue] = []
        for page in range(1, _MAX_PAGES + 1):
            asked = query.model_copy(update={"page": page})
            answer = await self.triggers.forge.issues(repo, asked, by=by)
            found += answer.issues
            if not answer.has_more:
                break
        return found

    async def _note(self, watch: WatchRow, seen: _Seen, *, is_all: bool) -> None:
        """Advance the position, in the forge's time."""
        now = self.triggers.clock.now()
        comments_since = _onwards(
            watch.comments_since, [one.updated_at for one in seen.comments], now=now
        )
        issues_since = _onwards(
            watch.issues_since, [one.updated_at for one in seen.issues], now=now
        )
        async with self.triggers.store.change() as db:
            await queries.change_watch(
                db,
                watch.repo_url,
                comments_since=comments_since,
                # The first poll is over, also when it found nothing.
                issues_since=issues_since or (1.0 if is_all else FIRST),
                error="",
            )


def _asks(comment: Comment, since: float) -> bool:
    return comment.created_at >= since and find_command(comment.body) is not None


def _onwards(since: float, times: Sequence[float], *, now: float) -> float:
    """The position after these times; past the newest one when nothing newer came for long."""
    newest = max(times, default=0.0)
    if newest > since:
        return newest
    is_over = bool(times) and newest < now - _QUIET_S
    return max(since, newest + OVERLAP_S + 1.0) if is_over else since

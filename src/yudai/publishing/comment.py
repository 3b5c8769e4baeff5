"""The one comment on an issue, shared by all its solves: found and updated."""

import asyncio
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

from yudai.forge.domain.repository import Comment
from yudai.kit.errors import LostAnswerError
from yudai.publishing import queries as publications
from yudai.publishing.context import PublishContext, Work
from yudai.publishing.domain.publication import PublicationEvent, PublicationState
from yudai.publishing.domain.pull_request import comment, names_a_solve
from yudai.publishing.domain.summary import CommentFacts
from yudai.publishing.queries import Move
from yudai.publishing.tables import PublicationRow
from yudai.solves.tables import SolveRow


@dataclass(frozen=True)
class IssueComment:
    publishing: PublishContext
    comments: bool = True
    """Whether issues are commented on."""
    _issues: WeakValueDictionary[str, asyncio.Lock] = field(
        default_factory=WeakValueDictionary[str, asyncio.Lock]
    )

    def comments_on(self, solve: SolveRow) -> bool:
        return self.comments and solve.issue_number is not None

    async def upsert(self, work: Work) -> Move:
        number = work.solve.issue_number
        if number is None or not self.comments:
            return Move(PublicationEvent.COMMENTED, {}, {}, kind="publication.done")
        text = self.publishing.redact(
            comment(await self.publishing.published(work), _comment_facts(work.row))
        )
        # Of two solves of one issue, the later one must see the comment of the first.
        lock = self._issues.setdefault(work.repo.issue_url(number).lower(), asyncio.Lock())
        async with lock:
            said = await self._say(work, number, text)
        columns: dict[str, object] = {"comment_id": said.id, "comment_url": said.url}
        return Move(PublicationEvent.COMMENTED, columns, {"url": said.url})

    async def _say(self, work: Work, number: int, text: str) -> Comment:
        # Take the turn before looking, so that comments of other processes are visible.
        await self.publishing.write_turn(work)
        said = await self._find(work, number)
        if said is None:
            said = await self._add(work, number, text)
        elif said.body.strip() != text.strip():
            said = await self.publishing.forge.edit_comment(work.repo, said.id, text, by=work.by)
        return said

    async def _find(self, work: Work, number: int) -> Comment | None:
        forge, by = self.publishing.forge, work.by
        us = by.login or (await forge.whoami(by=by)).login
        said = await forge.comments(work.repo, number, by=by)
        ours = {one.id: one for one in said if one.author.login.lower() == us.lower()}
        async with self.publishing.context.store.read() as db:
            known = await publications.comment_ids(db, work.row.repo_url, number)
        written = (ours[comment_id] for comment_id in known if comment_id in ours)
        marked = (one for one in ours.values() if names_a_solve(one.body))
        return next(written, None) or next(marked, None)

    async def _add(self, work: Work, number: int, text: str) -> Comment:
        try:
            return await self.publishing.forge.add_comment(work.repo, number, text, by=work.by)
        except LostAnswerError:
            said = await self._find(work, number)
            if said is None:
                raise
            return said


def _comment_facts(row: PublicationRow) -> CommentFacts:
    is_refused = row.state in (PublicationState.REFUSED, PublicationState.STALE)
    return CommentFacts(
        pull_number=row.pull_number,
        pull_url=row.pull_url,
        refused=row.reason if is_refused else "",
    )

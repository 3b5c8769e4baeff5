"""The one comment on the issue: found by our mark and our name, and kept up to date."""

from dataclasses import dataclass

from yudai.domain.errors import LostAnswerError
from yudai.domain.forge import Comment
from yudai.domain.publication import PublicationEvent, PublicationState
from yudai.domain.pullrequest import comment, has_marker
from yudai.domain.story import Told
from yudai.services.publishing_desk import Desk, Work
from yudai.store.forge_tables import PublicationRow
from yudai.store.publications import Move
from yudai.store.tables import SolveRow


@dataclass(frozen=True)
class Teller:
    desk: Desk
    comments: bool = True
    """Whether issues are told anything."""

    def tells(self, solve: SolveRow) -> bool:
        return self.comments and solve.issue_number is not None

    async def tell(self, work: Work) -> Move:
        number = work.solve.issue_number
        if number is None or not self.comments:
            return Move(PublicationEvent.COMMENTED, {}, {}, kind="publication.done")
        text = self.desk.redact(comment(await self.desk.story(work), _told(work.row)))
        said = await self._find(work, number)
        if said is None:
            said = await self._add(work, number, text)
        elif said.body.strip() != text.strip():
            await self.desk.turn(work)
            said = await self.desk.forge.edit_comment(work.repo, said.id, text, by=work.by)
        columns: dict[str, object] = {"comment_id": said.id, "comment_url": said.url}
        return Move(PublicationEvent.COMMENTED, columns, {"url": said.url})

    async def _find(self, work: Work, number: int) -> Comment | None:
        forge, by = self.desk.forge, work.by
        us = by.login or (await forge.whoami(by=by)).login
        for one in await forge.comments(work.repo, number, by=by):
            if one.author.login.lower() == us.lower() and has_marker(one.body, work.solve.id):
                return one
        return None

    async def _add(self, work: Work, number: int, text: str) -> Comment:
        await self.desk.turn(work)
        try:
            return await self.desk.forge.add_comment(work.repo, number, text, by=work.by)
        except LostAnswerError:
            said = await self._find(work, number)
            if said is None:
                raise
            return said


def _told(row: PublicationRow) -> Told:
    is_refused = row.state in (PublicationState.REFUSED, PublicationState.STALE)
    return Told(
        pull_number=row.pull_number,
        pull_url=row.pull_url,
        refused=row.reason if is_refused else "",
    )

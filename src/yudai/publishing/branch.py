"""Builds a commit from a patch and pushes it to a branch at the forge."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from yudai.forge.domain.repository import RepoRef, Role, repo_ref
from yudai.forge.ports.remote import BaseMove, Built, CommitText, CredentialKind, Mirrors
from yudai.kit.errors import ConflictError
from yudai.kit.ids import RunId, SolveId
from yudai.publishing.compare_issues import compare_with_open_issues
from yudai.publishing.context import PublishContext, Work
from yudai.publishing.domain.publication import PublicationEvent
from yudai.publishing.domain.pull_request import commit_message
from yudai.publishing.queries import Move
from yudai.publishing.tables import PublicationRow

BOT = "yudai-bot"
BOT_EMAIL = "bot@yudai.app"
_STALE = {
    BaseMove.CONFLICT: "the base branch has changed the same lines since: solve the issue again",
    BaseMove.NEAR: "the base branch has changed files of this patch since, and the combination"
    " is not proved: solve the issue again",
}
_EDITED = "branch {} in {} was changed by another person: their work is never overwritten"

Revalidate = Callable[[SolveId, RunId, str], Awaitable[bool]]
"""Whether our commit merged with the present base branch passes."""


@dataclass(frozen=True)
class BranchWriter:
    publishing: PublishContext
    mirrors: Mirrors
    revalidate: Revalidate | None = None
    """None: a patch whose files changed on the base branch is not published."""

    async def commit(self, work: Work) -> Move:
        row, by = work.row, work.by
        # Stored with this step, so that a commit that is built again says the same.
        work = work._replace(comparison=await compare_with_open_issues(self.publishing, work))
        built = await self._build(work)
        base = row.base_branch
        if not base:
            base = (await self.publishing.forge.repository(work.repo, by=by)).default_branch
        move = await self.mirrors.base_move(work.repo, base, built.commit, by=by)
        if not await self._is_fresh(row, move, built.commit):
            stale = _STALE[move]
            return Move(PublicationEvent.OUTDATED, {"reason": stale}, {"reason": stale})
        columns: dict[str, object] = {
            "base_branch": base,
            "commit": built.commit,
            "patch_id": built.patch_id,
            "inverse_patch_id": built.inverse_patch_id,
        }
        data: dict[str, object] = {
            "commit": built.commit,
            "base_commit": row.base_commit,
            "base_move": move,
            **work.comparison.model_dump(mode="json", exclude_defaults=True),
        }
        return Move(PublicationEvent.COMMITTED, columns, data)

    async def push(self, work: Work) -> Move:
        row, branch = work.row, work.row.branch or ""
        head = await self._head_repo(work)
        commit = row.commit
        there = await self.mirrors.branch_head(head, branch, by=work.by)
        if there != commit:
            # Build it again: the commit may be in another machine's mirror.
            commit = (await self._build(work)).commit
            await self._put(work, head, commit, there)
        data: dict[str, object] = {"repo": head.full, "branch": branch, "commit": commit}
        return Move(PublicationEvent.PUSHED, {}, data)

    async def _build(self, work: Work) -> Built:
        prepared = await self.publishing.prepare(work)
        is_app = work.by.kind is CredentialKind.APP and work.by.login and work.by.email
        text = CommitText(
            message=self.publishing.redact(commit_message(prepared.published)),
            author=work.by.login if is_app else BOT,
            email=work.by.email if is_app else BOT_EMAIL,
            at=int(work.solve.finished_at or work.solve.created_at),
        )
        base = work.row.base_commit
        return await self.mirrors.build(work.repo, base, prepared.content, text, by=work.by)

    async def _is_fresh(self, row: PublicationRow, move: BaseMove, commit: str) -> bool:
        if move is BaseMove.NEAR and self.revalidate is not None:
            return await self.revalidate(row.solve_id, RunId(row.run_id or ""), commit)
        return move not in _STALE

    async def _put(self, work: Work, head: RepoRef, commit: str, there: str | None) -> None:
        branch = work.row.branch or ""
        if there not in (None, commit):
            raise ConflictError(_EDITED.format(branch, head.full))
        if commit != work.row.commit:
            await self.publishing.note(work.row, commit=commit)
        if there is None:
            await self.publishing.write_turn(work)
            await self.mirrors.push(head, commit, branch, by=work.by)

    async def _head_repo(self, work: Work) -> RepoRef:
        """Repository to push to, chosen once and stored before the push."""
        if work.row.head_repo:
            return repo_ref(self.publishing.forge.url, *work.row.head_repo.split("/", 1))
        role = (await self.publishing.forge.repository(work.repo, by=work.by)).role
        head = work.repo
        if not role.allows(Role.WRITE):
            await self.publishing.write_turn(work)
            head = await self.publishing.forge.fork(work.repo, by=work.by)
        await self.publishing.note(work.row, head_repo=head.full)
        return head

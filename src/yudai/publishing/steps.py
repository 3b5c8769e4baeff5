"""The next step of a publication, by its state."""

from dataclasses import dataclass
from functools import partial

from yudai.publishing.branch import BranchWriter
from yudai.publishing.comment import IssueComment
from yudai.publishing.context import PublishContext
from yudai.publishing.domain.publication import PublicationState
from yudai.publishing.pull_request import open_pull_request
from yudai.publishing.queries import Move
from yudai.publishing.tables import PublicationRow


@dataclass(frozen=True)
class Steps:
    """Each step checks the forge first, so it can be repeated after a crash or a lost answer."""

    publishing: PublishContext
    branch_writer: BranchWriter
    issue_comment: IssueComment

    async def next(self, row: PublicationRow) -> Move:
        """Execute the next step. After RefusedError or ForgeError nothing has changed."""
        acts = {
            PublicationState.REQUESTED: self.branch_writer.commit
            if row.run_id
            else self.issue_comment.upsert,
            PublicationState.COMMITTED: self.branch_writer.push,
            PublicationState.PUSHED: partial(open_pull_request, self.publishing),
            PublicationState.OPENED: self.issue_comment.upsert,
            # Final, except for a comment that says why.
            PublicationState.REFUSED: self.issue_comment.upsert,
            PublicationState.STALE: self.issue_comment.upsert,
        }
        return await acts[row.state](await self.publishing.work(row))

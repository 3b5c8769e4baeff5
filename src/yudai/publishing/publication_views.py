"""Publications as the API shows them."""

from pydantic import Field

from yudai.forge.domain.repository import PullState
from yudai.kit.ids import RunId, SolveId
from yudai.kit.value import Value
from yudai.publishing.domain.publication import PublicationState
from yudai.publishing.tables import PublicationRow


class PublicationView(Value):
    solve_id: SolveId
    run_id: RunId | None = Field(description="Whose patch it is; null: only a comment is written.")
    state: PublicationState
    reason: str = Field(description="Why it was refused or is stale: one line.")
    error: str = Field(description="What the world said last; it is tried again at `due_at`.")
    tries: int
    due_at: float | None = Field(description="When it is tried again, after something failed.")
    repo_url: str
    base_branch: str
    base_commit: str
    branch: str
    head_repo: str = Field(description="Where the branch is: a fork, without the right to push.")
    commit: str
    pull_number: int | None
    pull_url: str
    pull_title: str
    pull_state: PullState | None
    is_draft: bool
    merged_at: float | None
    comment_url: str
    created_at: float
    updated_at: float


def view_of(row: PublicationRow) -> PublicationView:
    return PublicationView(
        solve_id=row.solve_id,
        run_id=row.run_id,
        state=row.state,
        reason=row.reason,
        error=row.error,
        tries=row.tries,
        due_at=(row.due_at or None) if row.error else None,
        repo_url=row.repo_url,
        base_branch=row.base_branch,
        base_commit=row.base_commit,
        branch=row.branch or "",
        head_repo=row.head_repo,
        commit=row.commit,
        pull_number=row.pull_number,
        pull_url=row.pull_url,
        pull_title=row.pull_title,
        pull_state=row.pull_state,
        is_draft=row.is_draft,
        merged_at=row.merged_at,
        comment_url=row.comment_url,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )

"""API views of publications and outcomes."""

from pydantic import ConfigDict, Field

from yudai.forge.domain.repository import PullState
from yudai.kit.errors import NotFoundError
from yudai.kit.ids import RunId, SolveId
from yudai.kit.value import Value, from_attributes
from yudai.publishing import outcome_queries as outcomes
from yudai.publishing import queries as publications
from yudai.publishing.domain.publication import OutcomeKind, PublicationState
from yudai.publishing.tables import OutcomeRow, PublicationRow
from yudai.solves import queries as solves
from yudai.store.store import Store


class ConfirmAsk(Value):
    model_config = ConfigDict(json_schema_extra={"examples": [{"is_revert": True}]})

    is_revert: bool = Field(
        strict=True, description="Whether the change was really taken back there."
    )


class OutcomeView(Value):
    id: int
    kind: OutcomeKind
    run_id: RunId | None = Field(description="The run of the patch.")
    at: float = Field(description="When it happened at the forge.")
    seen_at: float
    by: str = Field(description="Who did it, if known.")
    key: str = Field(description="What identifies it, such as a commit.")
    evidence: dict[str, object] = Field(
        description="What shows it: the sign, the commit, the pull request that did it; of a merge "
        "`self_merge`, whether the requester merged it."
    )
    waits: bool = Field(description="Whether a suspected revert waits for a person's answer.")
    confirmed: bool | None = Field(description="A person's answer to a suspicion.")


class PullView(Value):
    """The pull request as it was when the forge was last asked."""

    state: PullState | None = Field(description="null: there is none yet.")
    number: int | None
    url: str
    title: str
    is_draft: bool
    merge_commit: str
    merged_at: float | None
    looked_at: float
    publication: PublicationState
    reason: str = Field(description="Why it was refused or is stale; empty otherwise.")


class OutcomeList(Value):
    pull: PullView | None = Field(description="null: nothing was published.")
    outcomes: tuple[OutcomeView, ...] = Field(description="In the order they were seen.")


async def outcomes_of(
    store: Store, solve_id: SolveId, *, user_id: str | None = None
) -> OutcomeList:
    """Outcomes of the user's own solve; without a user, of any solve."""
    async with store.read() as db:
        solve = await solves.get(db, solve_id)
        if user_id not in (None, solve.user_id):
            raise NotFoundError(f"there is no solve {solve_id}")
        publication = await publications.find(db, solve_id)
        rows = await outcomes.of_solve(db, solve_id)
    return OutcomeList(
        pull=None if publication is None else _pull(publication),
        outcomes=tuple(map(outcome_view, rows)),
    )


def outcome_view(row: OutcomeRow) -> OutcomeView:
    is_suspicion = row.kind is OutcomeKind.SUSPECTED_REVERT
    return from_attributes(OutcomeView, row, waits=is_suspicion and row.confirmed is None)


def _pull(row: PublicationRow) -> PullView:
    return from_attributes(
        PullView,
        row,
        state=row.pull_state,
        number=row.pull_number,
        url=row.pull_url,
        title=row.pull_title,
        publication=row.state,
    )


class PublicationView(Value):
    solve_id: SolveId
    run_id: RunId | None = Field(description="The run of the patch; null: only a comment.")
    state: PublicationState
    reason: str = Field(description="Why it was refused or is stale: one line.")
    error: str = Field(description="The last error; the next try is at `due_at`.")
    tries: int
    due_at: float | None = Field(description="Time of the next try, after an error.")
    repo_url: str
    base_branch: str
    base_commit: str
    branch: str
    head_repo: str = Field(description="Repository of the branch; a fork without push access.")
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
    return from_attributes(
        PublicationView,
        row,
        due_at=(row.due_at or None) if row.error else None,
        branch=row.branch or "",
    )

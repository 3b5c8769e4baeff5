"""Finds the pull request, or opens it once."""

from yudai.forge.domain.repository import NewPull, PullRequest, PullState
from yudai.kit.errors import LostAnswerError, RefusedError
from yudai.publishing.context import PublishContext, Work
from yudai.publishing.domain.publication import PublicationEvent
from yudai.publishing.domain.pull_request import body, has_marker, title
from yudai.publishing.queries import Move
from yudai.publishing.tables import PublicationRow

_REJECTED = "pull request #{} was closed by a person: no other one is opened for this solve"


async def open_pull_request(publishing: PublishContext, work: Work) -> Move:
    pull = await _find(publishing, work) or await _open_new(publishing, work)
    columns: dict[str, object] = {
        "pull_number": pull.number,
        "pull_url": pull.url,
        "pull_title": pull.title,
        # `settle.py` records when it has ended.
        "pull_state": pull.state if pull.state is PullState.OPEN else None,
        "is_draft": pull.is_draft,
    }
    data: dict[str, object] = {"number": pull.number, "url": pull.url, "draft": pull.is_draft}
    if pull.state is PullState.CLOSED:
        reason = _REJECTED.format(pull.number)
        return Move(
            PublicationEvent.REFUSED, columns | {"reason": reason}, data | {"reason": reason}
        )
    return Move(PublicationEvent.OPENED, columns, data)


async def _find(publishing: PublishContext, work: Work) -> PullRequest | None:
    """Find our own: a fork may have a branch of the same name, and bodies can be copied."""
    row = work.row
    found = await publishing.forge.pulls_of(work.repo, _head(row), row.base_branch, by=work.by)
    ours = [
        pull
        for pull in found
        if has_marker(pull.body, row.solve_id) and pull.head_repo.lower() == row.head_repo.lower()
    ]
    order = [PullState.OPEN, PullState.MERGED, PullState.CLOSED]
    return min(ours, key=lambda pull: (order.index(pull.state), -pull.number), default=None)


async def _open_new(publishing: PublishContext, work: Work) -> PullRequest:
    published = (await publishing.prepare(work)).published
    new = NewPull(
        title=publishing.redact(title(published)),
        body=publishing.redact(body(published)),
        head=_head(work.row),
        base=work.row.base_branch,
    )
    await publishing.write_turn(work)
    try:
        return await _open_once(publishing, work, new)
    except (LostAnswerError, RefusedError):
        # It may exist although the answer was lost or an error.
        pull = await _find(publishing, work)
        if pull is None:
            raise
        return pull


async def _open_once(publishing: PublishContext, work: Work, new: NewPull) -> PullRequest:
    try:
        return await publishing.forge.open_pull(work.repo, new, by=work.by)
    except RefusedError as error:
        # Not every plan of the forge has drafts.
        if "draft" not in str(error).lower():
            raise
    await publishing.write_turn(work)
    ready = new.model_copy(update={"draft": False})
    return await publishing.forge.open_pull(work.repo, ready, by=work.by)


def _head(row: PublicationRow) -> str:
    return f"{row.head_repo.split('/')[0]}:{row.branch}"

"""The pull request itself: found, or opened once."""

from yudai.forge.domain.repository import NewPull, PullRequest, PullState
from yudai.kit.errors import LostAnswerError, RefusedError
from yudai.publishing.context import Desk, Work
from yudai.publishing.domain.publication import PublicationEvent
from yudai.publishing.domain.pull_request import body, has_marker, title
from yudai.publishing.queries import Move
from yudai.publishing.tables import PublicationRow

_REJECTED = "pull request #{} was closed by a person: no other one is opened for this solve"


async def open_pull_request(desk: Desk, work: Work) -> Move:
    pull = await _find(desk, work) or await _open_new(desk, work)
    columns: dict[str, object] = {
        "pull_number": pull.number,
        "pull_url": pull.url,
        "pull_title": pull.title,
        # That it ended is for whoever settles it to see, and to write down.
        "pull_state": pull.state if pull.state is PullState.OPEN else None,
        "is_draft": pull.is_draft,
    }
    told: dict[str, object] = {"number": pull.number, "url": pull.url, "draft": pull.is_draft}
    if pull.state is PullState.CLOSED:
        reason = _REJECTED.format(pull.number)
        return Move(
            PublicationEvent.REFUSED, columns | {"reason": reason}, told | {"reason": reason}
        )
    return Move(PublicationEvent.OPENED, columns, told)


async def _find(desk: Desk, work: Work) -> PullRequest | None:
    """Ours: a fork may have a branch of the same name, and anybody can copy a body."""
    row = work.row
    found = await desk.forge.pulls_of(work.repo, _head(row), row.base_branch, by=work.by)
    ours = [
        pull
        for pull in found
        if has_marker(pull.body, row.solve_id) and pull.head_repo.lower() == row.head_repo.lower()
    ]
    order = [PullState.OPEN, PullState.MERGED, PullState.CLOSED]
    return min(ours, key=lambda pull: (order.index(pull.state), -pull.number), default=None)


async def _open_new(desk: Desk, work: Work) -> PullRequest:
    story = (await desk.prepare(work)).story
    new = NewPull(
        title=desk.redact(title(story)),
        body=desk.redact(body(story)),
        head=_head(work.row),
        base=work.row.base_branch,
    )
    await desk.turn(work)
    try:
        return await _open_once(desk, work, new)
    except (LostAnswerError, RefusedError):
        # It may be there although we were told nothing, or told that it cannot be.
        pull = await _find(desk, work)
        if pull is None:
            raise
        return pull


async def _open_once(desk: Desk, work: Work, new: NewPull) -> PullRequest:
    try:
        return await desk.forge.open_pull(work.repo, new, by=work.by)
    except RefusedError as error:
        # Not every plan of the forge has drafts.
        if "draft" not in str(error).lower():
            raise
    await desk.turn(work)
    ready = new.model_copy(update={"draft": False})
    return await desk.forge.open_pull(work.repo, ready, by=work.by)


def _head(row: PublicationRow) -> str:
    return f"{row.head_repo.split('/')[0]}:{row.branch}"

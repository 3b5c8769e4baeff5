"""Actions of the pages' buttons, in the name of the chosen person."""

from collections.abc import Callable
from typing import NamedTuple

from yudai.dev.fake_github import issues, pulls
from yudai.dev.fake_github.access import Caller, require, seen
from yudai.dev.fake_github.errors import Refusal
from yudai.dev.fake_github.pulls import Merging
from yudai.dev.fake_github.records import Token
from yudai.dev.fake_github.state import State
from yudai.forge.domain.repository import Role

Fields = dict[str, str]


class Place(NamedTuple):
    state: State
    repo: str
    number: int
    by: str


class _Act(NamedTuple):
    permission: str
    role: Role
    do: Callable[[Place, Fields], object]


def act(place: Place, fields: Fields) -> None:
    """Refusal when there is no such button, or when its person may not press it."""
    state = place.state
    wanted = ACTS.get(fields.get("act", ""))
    if wanted is None:
        raise Refusal(422, "there is no such button")
    with state.lock:
        caller = Caller(place.by, Token(kind="pat", login=state.person(place.by).login))
        repo = seen(state, caller, place.repo)
        require(state, caller, repo, wanted.permission, wanted.role)
        wanted.do(place, fields)
        state.save()


def _label(place: Place, fields: Fields) -> None:
    name = fields.get("label", "").strip()
    if not name:
        raise Refusal(422, "name a label")
    issues.add_label(place.state, place.repo, place.number, name, by=place.by)


def _unlabel(place: Place, fields: Fields) -> None:
    name = fields.get("label", "")
    issues.remove_label(place.state, place.repo, place.number, name, by=place.by)


def _comment(place: Place, fields: Fields) -> None:
    body = fields.get("body", "").replace("\r\n", "\n")
    if not body.strip():
        raise Refusal(422, "write something first")
    issues.add_comment(place.state, place.repo, place.number, body, by=place.by)


def _close(place: Place, _: Fields) -> None:
    issues.set_state(place.state, place.repo, place.number, "closed", by=place.by)


def _reopen(place: Place, _: Fields) -> None:
    repo = place.state.repo(place.repo)
    reopening = pulls if issues.find(repo, place.number).pull else issues
    reopening.set_state(place.state, place.repo, place.number, "open", by=place.by)


def _ready(place: Place, _: Fields) -> None:
    repo = place.state.repo(place.repo)
    pulls.find_pull(place.state, repo, place.number)[1].draft = False


def _merge(place: Place, fields: Fields) -> None:
    how = Merging(method=fields["act"])
    pulls.merge(place.state, place.repo, place.number, how, by=place.by)


def _revert(place: Place, _: Fields) -> None:
    pulls.revert(place.state, place.repo, place.number, by=place.by)


ACTS = {
    "label": _Act("issues", Role.TRIAGE, _label),
    "unlabel": _Act("issues", Role.TRIAGE, _unlabel),
    "comment": _Act("issues", Role.READ, _comment),
    "close": _Act("issues", Role.TRIAGE, _close),
    "reopen": _Act("issues", Role.TRIAGE, _reopen),
    "ready": _Act("pull_requests", Role.WRITE, _ready),
    "merge": _Act("contents", Role.WRITE, _merge),
    "squash": _Act("contents", Role.WRITE, _merge),
    "rebase": _Act("contents", Role.WRITE, _merge),
    "revert": _Act("contents", Role.WRITE, _revert),
}

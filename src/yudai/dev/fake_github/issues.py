"""What people do to issues, and to pull requests as far as they are issues."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from yudai.dev.fake_github import events
from yudai.dev.fake_github.errors import check_text, not_found
from yudai.dev.fake_github.records import Comment, Event, Item, Repo
from yudai.dev.fake_github.state import State

_CLOSING = re.compile(
    r"\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#([0-9]{1,9})\b", re.IGNORECASE
)


def new_item(state: State, repo: Repo, *, title: str, body: str | None, by: str) -> Item:
    check_text("Issue", title, "title")
    check_text("Issue", body)
    now = state.now()
    item = Item(
        id=state.new_id(),
        number=len(repo.items) + 1,
        title=title,
        body=body,
        author=state.person(by).login,
        created_at=now,
        updated_at=now,
    )
    repo.items[item.number] = item
    return item


def open_issue(
    state: State, full: str, *, title: str, body: str | None, by: str, labels: Iterable[str] = ()
) -> Item:
    with state.lock:
        repo = state.repo(full)
        item = new_item(state, repo, title=title, body=body, by=by)
        events.about_issue(state, repo, item, action="opened", by=by)
        for name in labels:
            add_label(state, full, item.number, name, by=by)
        return item


def find(repo: Repo, number: int) -> Item:
    if number not in repo.items:
        raise not_found()
    return repo.items[number]


def add_comment(state: State, full: str, number: int, body: str, *, by: str) -> Comment:
    with state.lock:
        repo = state.repo(full)
        item = find(repo, number)
        check_text("IssueComment", body)
        now = state.now()
        said = Comment(
            id=state.new_id(),
            author=state.person(by).login,
            body=body,
            created_at=now,
            updated_at=now,
        )
        item.comments.append(said)
        item.updated_at = now
        events.about_comment(state, repo, item, said, action="created", by=by)
        return said


def edit_comment(
    state: State, full: str, item: Item, said: Comment, *, body: str, by: str
) -> Comment:
    with state.lock:
        check_text("IssueComment", body)
        said.body, said.updated_at = body, state.now()
        item.updated_at = said.updated_at
        events.about_comment(state, state.repo(full), item, said, action="edited", by=by)
        return said


def add_label(state: State, full: str, number: int, name: str, *, by: str) -> Item:
    with state.lock:
        repo = state.repo(full)
        item = find(repo, number)
        repo.labels.setdefault(name, "ededed")
        if name not in item.labels:
            item.labels.append(name)
            note(state, item, "labeled", by=by, label=name)
            events.about_issue(state, repo, item, action="labeled", by=by, label=name)
        return item


def remove_label(state: State, full: str, number: int, name: str, *, by: str) -> Item:
    with state.lock:
        repo = state.repo(full)
        item = find(repo, number)
        if name not in item.labels:
            raise not_found()
        item.labels.remove(name)
        note(state, item, "unlabeled", by=by, label=name)
        events.about_issue(state, repo, item, action="unlabeled", by=by, label=name)
        return item


class Closing(NamedTuple):
    """Why it was closed: a reason in GitHub's words, or a commit that did it."""

    reason: str = "completed"
    commit: str = ""


COMPLETED = Closing()


def set_state(
    state: State, full: str, number: int, wanted: str, *, by: str, why: Closing = COMPLETED
) -> Item:
    """`open` or `closed`; nothing happens where it is so already."""
    with state.lock:
        repo = state.repo(full)
        item = find(repo, number)
        if wanted == item.state:
            return item
        if wanted == "closed":
            item.state, item.closed_at, item.closed_by = "closed", state.now(), by
            item.state_reason = None if item.pull else why.reason
        else:
            item.state, item.closed_at, item.closed_by = "open", None, ""
            item.state_reason = None if item.pull else "reopened"
        kind = "closed" if wanted == "closed" else "reopened"
        note(state, item, kind, by=by, commit=why.commit)
        events.about_issue(state, repo, item, action=kind, by=by)
        return item


def close_named(state: State, full: str, text: str, *, by: str, commit: str) -> None:
    """What `Fixes #12` in merged text closes."""
    for number in map(int, _CLOSING.findall(text)):
        found = state.repo(full).items.get(number)
        if found is not None and found.pull is None:
            set_state(state, full, number, "closed", by=by, why=Closing(commit=commit))


def note(
    state: State, item: Item, kind: str, *, by: str, label: str = "", commit: str = ""
) -> None:
    now = state.now()
    item.updated_at = now
    item.events.append(
        Event(id=state.new_id(), kind=kind, actor=by, at=now, label=label, commit=commit)
    )

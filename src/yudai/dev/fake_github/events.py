"""What webhooks say, and that they are written down before they are sent."""

import json
import uuid
from typing import Any

from yudai.dev.fake_github import json_pull_views, json_views
from yudai.dev.fake_github.git_repositories import Commit
from yudai.dev.fake_github.records import Comment, Delivery, Item, Repo
from yudai.dev.fake_github.state import State, iso
from yudai.dev.fake_github.webhook_sender import sign

_KEPT = 200


def about_issue(
    state: State, repo: Repo, item: Item, *, action: str, by: str, label: str = ""
) -> None:
    """Or a pull request."""
    payload: dict[str, Any] = {"action": action}
    if item.pull is None:
        payload["issue"] = json_views.issue(state, repo, item)
    else:
        payload["number"] = item.number
        payload["pull_request"] = json_pull_views.full(state, repo, item)
    if label:
        payload["label"] = json_views.label(state, repo, label)
    deliver(state, repo, "pull_request" if item.pull else "issues", payload, by=by)


def about_comment(
    state: State, repo: Repo, item: Item, said: Comment, *, action: str, by: str
) -> None:
    payload = {
        "action": action,
        "issue": json_views.issue(state, repo, item),
        "comment": json_views.comment(state, repo, item, said),
    }
    deliver(state, repo, "issue_comment", payload, by=by)


def about_push(state: State, repo: Repo, branch: str, old: str, new: str, *, by: str) -> None:
    zero = "0" * 40
    made: list[Commit] = []
    if new:
        span = f"{old}..{new}" if old else new
        made = list(reversed(state.clone(repo.full).commits(span, limit=20)))
    payload = {
        "ref": f"refs/heads/{branch}",
        "before": old or zero,
        "after": new or zero,
        "created": not old,
        "deleted": not new,
        "forced": False,
        "base_ref": None,
        "compare": f"{state.url}/{repo.full}/compare/{(old or zero)[:12]}...{(new or zero)[:12]}",
        "commits": [_pushed(commit) for commit in made],
        "head_commit": _pushed(made[-1]) if made else None,
        "pusher": {"name": by},
    }
    deliver(state, repo, "push", payload, by=by)


def _pushed(commit: Commit) -> dict[str, Any]:
    return {
        "id": commit.sha,
        "tree_id": commit.tree,
        "distinct": True,
        "message": commit.message,
        "timestamp": iso(commit.committer.at),
        "author": {"name": commit.author.name, "email": commit.author.email},
        "committer": {"name": commit.committer.name, "email": commit.committer.email},
        "added": [],
        "removed": [],
        "modified": [],
    }


def deliver(state: State, repo: Repo, event: str, payload: dict[str, Any], *, by: str) -> None:
    """Signed as it is now: a redelivery is the same bytes."""
    hook, world = state.world.hook, state.world
    if event not in hook.events:
        return
    payload |= {
        "repository": json_views.repository(state, repo),
        "sender": json_views.user(state, by),
    }
    if installation := state.installation_of(repo):
        payload["installation"] = {
            "id": installation.id,
            "node_id": json_views.node_id("Installation", installation.id),
        }
    body = json.dumps(payload)
    world.last_delivery += 1
    delivery = Delivery(
        id=world.last_delivery,
        guid=str(uuid.uuid4()),
        event=event,
        action=payload.get("action"),
        repo=repo.full,
        body=body,
        signature=sign(body.encode(), hook.secret),
        at=state.now(),
    )
    _send(state, delivery)
    del world.deliveries[:-_KEPT]


def redeliver(state: State, old: Delivery) -> Delivery:
    """Send it again, with the same delivery id."""
    state.world.last_delivery += 1
    again = old.model_copy(
        update={
            "id": state.world.last_delivery,
            "at": state.now(),
            "redelivery": True,
            "status_code": 0,
            "seconds": 0.0,
        }
    )
    _send(state, again)
    return again


def _send(state: State, delivery: Delivery) -> None:
    state.world.deliveries.append(delivery)
    if url := state.world.hook.url:
        state.webhooks.send(url, delivery, lambda _: state.save())

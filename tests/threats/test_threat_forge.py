"""Forged webhooks, reputation that is gamed, and rights of somebody else."""

import hashlib
import hmac
import json
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import SecretStr

from tests.support.forge.accounts_world import Crowd
from tests.support.forge.trigger_world import Watch
from yudai.accounts.credentials import Keyring
from yudai.forge.domain.repository import (
    Account,
    ForgeCommit,
    PullRequest,
    PullState,
    RepoRef,
    Role,
)
from yudai.forge.ports.remote import CredentialKind
from yudai.kit.errors import ForbiddenError
from yudai.publishing.domain import branch_history
from yudai.publishing.domain.branch_history import Act, Change, acts_of
from yudai.publishing.domain.publication import OutcomeKind
from yudai.publishing.domain.reverts import read_history
from yudai.store.store import Store
from yudai.triggers import webhooks as hooks
from yudai.triggers.tables import DeliveryRow
from yudai.triggers.webhooks import Deliveries, Delivery, UnsignedError

KEY = SecretStr("a secret of thirty-two characters")
BODY = json.dumps({"repository": {"full_name": "ada/calc"}, "issue": {"number": 7}}).encode()


@dataclass
class Letterbox:
    """Takes webhooks, and says what they made us look at."""

    store: Store
    heard: list[int] = field(default_factory=list[int])

    async def deliver(self, *sent: Delivery) -> list[int]:
        async def hear(_: RepoRef, number: int | None) -> None:
            self.heard.append(number or 0)

        taken = Deliveries(self.store, Watch(), "https://forge.test", hear, hear, KEY)
        for delivery in sent:
            try:
                await taken.take(delivery)
            except UnsignedError:
                continue
            await taken.process()
        return self.heard


def _sign(body: bytes, key: bytes = KEY.get_secret_value().encode()) -> str:
    return f"sha256={hmac.new(key, body, hashlib.sha256).hexdigest()}"


FORGED = {
    "no signature": Delivery("1", "issues", "", BODY),
    "another key": Delivery("2", "issues", _sign(BODY, b"guessed"), BODY),
    "another body": Delivery("3", "issues", _sign(BODY), BODY.replace(b"7", b"8")),
    "another hash": Delivery("4", "issues", _sign(BODY).replace("sha256", "sha1"), BODY),
}


@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
async def test_a_forged_webhook_makes_us_do_nothing(store: Store, forged: Delivery):
    assert await Letterbox(store).deliver(forged) == []


@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
async def test_unverified_each_of_them_does(
    store: Store, forged: Delivery, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(hooks, "is_signed", lambda *_: True)
    assert len(await Letterbox(store).deliver(forged)) == 1


async def replay(store: Store) -> int:
    """A delivery that was overheard, sent again as it was, and under other ids."""
    heard = Delivery("1", "issues", _sign(BODY), BODY)
    again = [heard._replace(id=id) for id in ("1", "2", "3")]
    return len(await Letterbox(store).deliver(heard, *again))


async def test_a_replay_is_heard_once(store: Store):
    assert await replay(store) == 1


async def test_told_apart_by_their_ids_alone_replays_are_heard(
    store: Store, monkeypatch: pytest.MonkeyPatch
):
    def row(**columns: Any) -> DeliveryRow:
        columns["body_sha256"] = hashlib.sha256(columns["id"].encode()).hexdigest()
        return DeliveryRow(**columns)

    monkeypatch.setattr(hooks, "DeliveryRow", row)
    assert await replay(store) == 3


MERGED_AT = 1000.0
OURS = Change(
    repo="ada/calc", number=7, title="Fix it", base="main", shas=("a" * 40,), since=MERGED_AT
)


def _pull(number: int, state: PullState, base: str = "main") -> PullRequest:
    return PullRequest(
        number=number, url="", title='Revert "Fix it"', body="Reverts ada/calc#7", state=state,
        is_draft=False, author=Account(id=9, login="mallory"), head_repo="mallory/calc",
        head_branch="revert-7-fix", head_commit="b" * 40, base_branch=base,
        merge_commit="b" * 40 if state is PullState.MERGED else "", created_at=MERGED_AT + 1,
        merged_at=MERGED_AT + 2 if state is PullState.MERGED else None,
    )  # fmt: skip


GAMED = {
    "opened": _pull(8, PullState.OPEN),
    "closed": _pull(8, PullState.CLOSED),
    "merged elsewhere": _pull(8, PullState.MERGED, base="mallory-was-here"),
}


def game(pull: PullRequest, *, base: str = "main") -> list[OutcomeKind]:
    """What somebody's pull request that says "Reverts" has done to our change."""
    here = [ForgeCommit(sha="a" * 40, message="Fix it (#7)", at=MERGED_AT)]
    found = acts_of(base, here, [pull], patch_ids={})
    return [one.kind for one in read_history(OURS, found).reversals]


@pytest.mark.parametrize("pull", GAMED.values(), ids=GAMED)
def test_words_alone_take_no_reputation(pull: PullRequest):
    assert game(pull) == []


@pytest.mark.parametrize("name", ["opened", "closed"])
def test_where_unmerged_ones_count_they_do(name: str, monkeypatch: pytest.MonkeyPatch):
    pull, real = GAMED[name], branch_history._pull_act

    def told(sha: str, pull: PullRequest) -> Act:
        return real(sha, pull).model_copy(update={"at": pull.created_at})

    # Two defences: only what is merged is an act, and what never was has no time after ours.
    monkeypatch.setattr(branch_history, "PullState", SimpleNamespace(MERGED=pull.state))
    assert game(pull) == []
    monkeypatch.setattr(branch_history, "_pull_act", told)
    assert game(pull) == [OutcomeKind.REVERTED]


def test_where_any_branch_counts_they_do():
    pull = GAMED["merged elsewhere"]
    assert game(pull, base=pull.base_branch) == [OutcomeKind.REVERTED]


def test_what_was_merged_into_the_same_base_counts():
    assert game(_pull(8, PullState.MERGED)) == [OutcomeKind.REVERTED]


async def borrow(crowd: Crowd, login: str) -> str:
    """Whose right somebody gets who may only read, where the App and others may write."""
    roles = {"ada": Role.ADMIN, "wim": Role.WRITE, "rita": Role.READ}
    repo = crowd.forge.add_repository("ada/calc", roles=roles, is_private=True)
    crowd.forge.install(repo)
    person = await crowd.person(login)
    try:
        found = await crowd.keyring.writing(repo, user_id=person.id)
    except ForbiddenError:
        return ""
    return found.kind


@pytest.mark.parametrize("login", ["rita", "mallory"])
async def test_no_one_publishes_with_anothers_right(store: Store, login: str):
    assert await borrow(Crowd(store), login) == ""


async def test_anyone_who_may_push_does(store: Store):
    assert await borrow(Crowd(store), "wim") == CredentialKind.APP


@pytest.mark.parametrize("login", ["rita", "mallory"])
async def test_without_the_question_for_their_own_right_they_do(
    store: Store, login: str, monkeypatch: pytest.MonkeyPatch
):
    async def unasked(self: Keyring, *_: object) -> None:
        del self

    monkeypatch.setattr(Keyring, "_check_push", unasked)
    assert await borrow(Crowd(store), login) == CredentialKind.APP

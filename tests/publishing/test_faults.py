"""A fault at every step of publishing: one branch, one pull request, one comment."""

import asyncio
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from tests.support.forge.forge_in_memory import Faults
from tests.support.forge.mirrors_in_memory import KilledError, Press, server_credential
from tests.support.solve_rows import failed, passed
from yudai.forge.domain.repository import PullState, Role
from yudai.kit.errors import ForgeError
from yudai.publishing import publisher as publishing
from yudai.publishing.domain.publication import PublicationState
from yudai.publishing.publisher import LEASE_S, Publisher
from yudai.publishing.queries import Move
from yudai.publishing.tables import PublicationRow
from yudai.publishing.views import view_of
from yudai.solves import timeline as events
from yudai.store.store import Store

GIT = ("build", "base_move", "branch_head", "push")
API = (
    "app_credential",
    "repository",
    "pulls_of",
    "open_pull",
    "comments",
    "add_comment",
)
KINDS = [
    "publication.requested",
    "publication.committed",
    "publication.pushed",
    "publication.opened",
    "publication.commented",
]


@pytest.fixture
async def press(database_url: str, tmp_path: Path) -> AsyncGenerator[Press]:
    async with await Store.open(database_url) as store:
        press = Press(store, tmp_path / "artifacts")
        await press.solve(passed(), failed())
        yield press


def _faults(press: Press, act: str) -> Faults:
    return press.mirrors.faults if act in GIT else press.forge.faults


async def _check_whole(press: Press, *, head_repo: str = "acme/demo") -> None:
    row = await press.row()
    assert (row.state, row.error, row.tries) == (PublicationState.DONE, "", 0)
    assert press.branches == [f"{head_repo}:{row.branch}"]
    [pull] = press.pulls
    assert (pull.number, pull.head_repo, pull.head_commit) == (
        row.pull_number,
        head_repo,
        row.commit,
    )
    assert pull.state is PullState.OPEN
    assert pull.is_draft
    [comment] = press.comments
    assert comment.id == row.comment_id
    assert f"#{pull.number}" in comment.body
    assert await press.timeline() == KINDS


async def test_without_a_fault(press: Press):
    await press.publisher().auto(press.solve_id)
    await _check_whole(press)
    assert (await press.row()).held_until == 0.0


@pytest.mark.parametrize("act", [*GIT, *API])
@pytest.mark.parametrize("when", ["before", "after"])
async def test_an_answer_is_missing_or_lost(press: Press, act: str, when: str):
    faults = _faults(press, act)
    (faults.before if when == "before" else faults.after)(act)
    await press.publisher().auto(press.solve_id)
    await press.finish()
    await _check_whole(press)


@pytest.mark.parametrize("act", [*GIT, *API])
@pytest.mark.parametrize("when", ["before", "after"])
async def test_the_process_dies(press: Press, act: str, when: str):
    faults = _faults(press, act)
    (faults.before if when == "before" else faults.after)(act, error=KilledError())
    with pytest.raises(KilledError):
        await press.publisher().auto(press.solve_id)
    held = await press.row()
    assert held.held_until > press.clock.now()
    # Nobody else goes on before the lease has run out.
    assert await press.publisher("other").sweep() == 0
    press.clock.time += LEASE_S
    await press.finish()
    await _check_whole(press)


@pytest.mark.parametrize("act", ["fork", "push", "open_pull", "add_comment", "whoami"])
@pytest.mark.parametrize("when", ["before", "after", "killed before", "killed after"])
async def test_the_same_from_a_fork(press: Press, act: str, when: str):
    press.forge.uninstall(press.repo)
    press.credentials.server = server_credential(press.forge, "outsider").model_copy(
        update={"login": ""}
    )
    faults = _faults(press, act)
    strike = faults.before if when.endswith("before") else faults.after
    strike(act, error=KilledError() if when.startswith("killed") else None)
    if when.startswith("killed"):
        with pytest.raises(KilledError):
            await press.publisher().auto(press.solve_id)
    else:
        await press.publisher().auto(press.solve_id)
    await press.finish()
    await _check_whole(press, head_repo="outsider/demo")


@pytest.mark.parametrize("state", list(PublicationState)[1:5])
async def test_the_process_dies_between_two_steps(press: Press, state: PublicationState):
    """The state is committed, and nothing after it was begun."""
    publisher = press.publisher()

    class Dying(Publisher):
        async def _next(self, row: PublicationRow) -> Move:
            if row.state is state:
                raise KilledError
            return await super()._next(row)

    dying = Dying(publisher.publishing, publisher.branch_writer, publisher.issue_comment, "dying")
    if state is PublicationState.DONE:
        await dying.auto(press.solve_id)
    else:
        with pytest.raises(KilledError):
            await dying.auto(press.solve_id)
    assert (await press.row()).state is state
    await press.finish()
    await _check_whole(press)


async def test_two_at_the_same_time_are_one(press: Press):
    one, two = press.publisher("one"), press.publisher("two")
    async with asyncio.TaskGroup() as group:
        for publisher in (one, two, one, two):
            group.create_task(publisher.auto(press.solve_id))
            group.create_task(publisher.sweep())
    await _check_whole(press)
    assert press.forge.calls.count("open_pull") == 1
    assert press.mirrors.calls.count("push") == 1
    assert press.forge.calls.count("add_comment") == 1


async def test_a_frozen_one_that_wakes_up_writes_nothing_any_more(press: Press):
    frozen, going_on = asyncio.Event(), asyncio.Event()
    base_move = press.mirrors.base_move

    async def freezing(*args, **kwargs):
        frozen.set()
        await going_on.wait()
        return await base_move(*args, **kwargs)

    press.mirrors.base_move = freezing  # type: ignore[method-assign]
    task = asyncio.create_task(press.publisher("frozen").auto(press.solve_id))
    await frozen.wait()
    press.clock.time += LEASE_S + 1
    await press.finish()
    going_on.set()
    await task
    await _check_whole(press)
    assert press.forge.calls.count("open_pull") == 1


async def test_a_cancelled_one_lets_go(press: Press):
    frozen = asyncio.Event()

    async def freezing(*_args, **_kwargs):
        frozen.set()
        await asyncio.Event().wait()

    base_move, press.mirrors.base_move = press.mirrors.base_move, freezing  # type: ignore[assignment]
    task = asyncio.create_task(press.publisher("stopped").auto(press.solve_id))
    await frozen.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    press.mirrors.base_move = base_move  # type: ignore[method-assign]
    assert await press.publisher("next").sweep() == 1
    await _check_whole(press)


async def test_who_takes_long_keeps_it(press: Press, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(publishing, "LEASE_S", 0.04)
    frozen, going_on = asyncio.Event(), asyncio.Event()
    base_move = press.mirrors.base_move

    async def slow(*args, **kwargs):
        frozen.set()
        await going_on.wait()
        return await base_move(*args, **kwargs)

    press.mirrors.base_move = slow  # type: ignore[method-assign]
    task = asyncio.create_task(press.publisher().auto(press.solve_id))
    await frozen.wait()
    press.clock.time += 1000.0
    async with asyncio.timeout(30):
        while (await press.row()).held_until < press.clock.now():  # noqa: ASYNC110 - no event
            await asyncio.sleep(0.01)
    assert await press.publisher("other").sweep() == 0
    going_on.set()
    await task
    await _check_whole(press)


async def test_pauses_grow_and_the_forge_says_how_long(press: Press):
    press.forge.faults.before("pulls_of", times=2)
    slow = ForgeError("slow down", retry_after_s=3000.0)
    press.forge.faults.before("pulls_of", error=slow)
    publisher = press.publisher()
    await publisher.auto(press.solve_id)
    waits = []
    for _ in range(3):
        row = await press.row()
        waits.append(row.due_at - press.clock.now())
        assert await publisher.sweep() == 0
        press.clock.time = row.due_at
        assert await publisher.sweep() == 1
    assert waits == [5.0, 10.0, 3000.0]
    await _check_whole(press)


async def test_waits_that_the_forge_asks_for_are_no_tries(press: Press):
    slow = ForgeError("slow down", retry_after_s=60.0)
    press.forge.faults.before("pulls_of", times=20, error=slow)
    await press.publisher().auto(press.solve_id)
    row = await press.row()
    assert (row.tries, row.error) == (0, "slow down")
    assert view_of(row).due_at == row.due_at == press.clock.now() + 60.0
    await press.finish(turns=30)
    await _check_whole(press)


async def test_who_lost_it_stops_at_once(press: Press, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(publishing, "LEASE_S", 0.04)
    frozen, stopped = asyncio.Event(), asyncio.Event()

    async def freezing(*_args, **_kwargs):
        frozen.set()
        try:
            await asyncio.Event().wait()
        finally:
            stopped.set()

    press.mirrors.base_move = freezing  # type: ignore[method-assign]
    task = asyncio.create_task(press.publisher("frozen").auto(press.solve_id))
    await frozen.wait()
    await _steal(press)
    async with asyncio.timeout(30):
        await stopped.wait()
        await task
    row = await press.row()
    assert (row.holder, row.state) == ("thief", PublicationState.REQUESTED)


@pytest.mark.parametrize("act", ["push", "open_pull", "add_comment"])
async def test_who_lost_it_right_before_a_write_does_not_write(press: Press, act: str):
    """Somebody else took it while we waited for our turn, and no renewal has told us yet."""
    publisher = press.publisher()
    publish_context = publisher.publishing
    turns = ["push", "open_pull", "add_comment"].index(act)

    async def sleep(seconds: float) -> None:
        press.clock.time += seconds

    async def credential(*args):
        nonlocal turns
        if (await press.row()).state is list(PublicationState)[turns + 1]:
            await _steal(press)
        return await type(publish_context)._credential(publish_context, *args)

    object.__setattr__(publish_context, "sleep", sleep)
    object.__setattr__(publish_context, "_credential", credential)
    await publisher.auto(press.solve_id)
    assert act not in press.forge.calls + press.mirrors.calls
    assert (await press.row()).holder == "thief"


async def _steal(press: Press) -> None:
    async with press.store.change() as db:
        row = await db.merge(await press.row())
        row.holder, row.held_until = "thief", press.clock.now() + 1000.0


async def test_after_twelve_tries_it_is_refused_with_the_last_error(press: Press):
    press.forge.faults.before("pulls_of", times=12)
    await press.publisher().auto(press.solve_id)
    await press.finish()
    row = await press.row()
    assert row.state is PublicationState.REFUSED
    assert "12 tries" in row.reason
    assert "the forge does not answer" in row.reason
    assert press.pulls == []
    [comment] = press.comments
    assert "no pull request was opened" in comment.body


async def test_a_comment_that_never_works_leaves_the_pull_request_published(press: Press):
    press.forge.faults.before("comments", times=12)
    await press.publisher().auto(press.solve_id)
    await press.finish()
    row = await press.row()
    assert row.state is PublicationState.DONE
    assert "12 tries" in row.error
    assert len(press.pulls) == 1
    assert press.comments == []


async def test_a_bug_of_ours_is_put_off_and_the_others_go_on(press: Press):
    press.mirrors.faults.before("build", error=ValueError("secret text"))
    await press.publisher().auto(press.solve_id)
    assert (await press.row()).error == "Yudai failed: ValueError"
    await press.finish()
    await _check_whole(press)


async def test_writes_of_one_installation_are_a_second_apart(press: Press):
    await press.publisher().auto(press.solve_id)
    # Push, pull request, comment.
    assert press.slept == [1.0, 1.0]


async def test_events_tell_where_to_look(press: Press):
    press.forge.give(press.repo, "ada", Role.WRITE)
    await press.publisher().auto(press.solve_id)
    async with press.store.read() as db:
        told = {event.kind: event.data for event in await events.after(db, press.solve_id)}
    row = await press.row()
    assert told["publication.opened"]["url"] == row.pull_url
    assert told["publication.opened"]["number"] == row.pull_number
    assert told["publication.pushed"]["branch"] == row.branch
    assert told["publication.commented"]["url"] == row.comment_url

"""A watched solve over HTTP: pieces put together, breaks survived."""

import asyncio
import io
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from rich.console import Console
from starlette.responses import Response

from tests.cli.stub_answers import PATH, UPDATES, event, lane, updates
from tests.cli.stub_server import Asked, Stub, problem, serving
from tests.support.solve_rows import SOLVE, run_id
from yudai.cli.http.client import Remote, open_remote
from yudai.cli.records.http_records import UpdatesSource
from yudai.cli.watch import show_runs
from yudai.kit.errors import NotFoundError, YudaiError


@pytest.fixture
async def stub() -> AsyncIterator[Stub]:
    async with serving(Stub()) as stub:
        stub.on("GET", PATH, {"solve": {"issue": "x is \x1b[31mwrong"}})
        yield stub


@pytest.fixture
async def remote(stub: Stub) -> AsyncIterator[Remote]:
    async with open_remote(stub.url) as remote:
        yield remote


@pytest.fixture
def console() -> Console:
    return Console(file=io.StringIO(), width=120)


def said(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def source(remote: Remote, console: Console, **changes: float) -> UpdatesSource:
    fields = {"first_wait_s": 0.01, "patience_s": 5.0} | changes
    return UpdatesSource(remote, SOLVE, console, **fields)


async def test_what_changed_replaces_what_was_known(stub: Stub, remote: Remote, console: Console):
    stub.on(
        "GET",
        UPDATES,
        updates("1", lane(0), lane(1), reset=True),
        updates("2", lane(1, state="completed", verdict="passed", finished_at=1007.0), solve=None),
    )
    looking = source(remote, console)
    await looking.poll()
    seen = (await looking.poll()).seen
    assert [entry.state for entry in seen.runs] == ["running", "completed"]
    first, second = seen.runs
    assert (first.last_action, first.finished_at, first.cost_usd) == ("cat a.py", None, 0.25)
    assert (second.verdict, second.finished_at) == ("passed", 1007.0)
    assert [asked.query for asked in stub.asked if asked.path == UPDATES] == [{}, {"cursor": "1"}]


async def test_a_reset_forgets_what_was_known(stub: Stub, remote: Remote, console: Console):
    replies = [updates("1", lane(0), lane(1)), updates("2", lane(0), reset=True)]
    stub.on("GET", UPDATES, *replies)
    looking = source(remote, console)
    assert len((await looking.poll()).seen.runs) == 2
    assert len((await looking.poll()).seen.runs) == 1


async def test_no_event_is_reported_twice(stub: Stub, remote: Remote, console: Console):
    told = [event("solve.opened"), event("solve.started")]
    again = [*told, event("solve.abstained")]
    stub.on(
        "GET",
        UPDATES,
        updates("1", events=told),
        updates("2", events=again, reset=True, state="completed"),
    )
    await show_runs(source(remote, console), console)
    assert said(console).count("solve.opened") == 1
    assert said(console).count("solve.abstained") == 1


@pytest.mark.parametrize("state", ["awaiting_review", "cancelled"])
async def test_watching_ends_when_all_of_it_has_been_reported(
    stub: Stub, remote: Remote, console: Console, state: str
):
    stub.on(
        "GET",
        UPDATES,
        updates("1", lane(0), events=[event("solve.opened"), event("run.started", run_id(0))]),
        updates(
            "2", state=state, more=True, events=[event("run.judged", run_id(0), to="x\x1b[2J")]
        ),
        updates("3", state=state, events=[event(f"solve.{state}")]),
    )
    await show_runs(source(remote, console), console)
    lines = said(console).splitlines()
    assert [line.split()[2] for line in lines] == [
        "solve.opened", "run.started", "run.judged", f"solve.{state}"
    ]  # fmt: skip
    assert "fast-t0.0-e5-balanced" in lines[1]
    assert "\x1b" not in said(console)


async def test_a_terminal_sees_the_same_table(stub: Stub, remote: Remote):
    console = Console(file=io.StringIO(), width=120, force_terminal=True, color_system=None)
    first = updates("1", lane(0), events=[event("base.prepared")])
    stub.on("GET", UPDATES, first, updates("2", state="failed"))
    await show_runs(source(remote, console), console)
    shown = said(console)
    assert "fast-t0.0-e5-balanced" in shown
    assert "running the base's own tests twice" in shown
    assert "\x1b[31m" not in shown


async def test_a_server_that_comes_back_is_gone_on_with(
    stub: Stub, remote: Remote, console: Console
):
    stub.on(
        "GET",
        UPDATES,
        updates("1", lane(0), events=[event("solve.opened")]),
        problem(503, "the database is away"),
        Response("", 502),
        updates("2", state="completed", events=[event("solve.abstained")]),
    )
    await show_runs(source(remote, console), console)
    text = said(console)
    assert "the database is away; asking again in 0.01 s" in text
    assert "asking again in 0.02 s" in text
    assert "answers again" in text
    assert text.index("solve.opened") < text.index("answers again") < text.index("solve.abstained")
    assert [asked.query for asked in stub.asked if asked.path == UPDATES][1:] == [
        {"cursor": "1"}
    ] * 3


async def test_a_restart_at_the_same_address_is_survived(stub: Stub, console: Console):
    async with AsyncExitStack() as before, AsyncExitStack() as after:
        first = await before.enter_async_context(serving(Stub()))
        first.on("GET", PATH, {"solve": {"issue": "x"}})
        first.on("GET", UPDATES, updates("1", lane(0)))
        remote = await after.enter_async_context(open_remote(first.url))
        looking = source(remote, console, first_wait_s=0.05)
        await looking.poll()
        await before.aclose()
        polled = asyncio.create_task(looking.poll())
        stub.on("GET", UPDATES, updates("2", state="completed"))
        port = int(first.url.rpartition(":")[2])
        await after.enter_async_context(serving(stub, port=port))
        assert (await polled).is_last
    assert stub.asked[-1].query == {"cursor": "1"}


async def test_a_restart_at_another_address_is_found(stub: Stub, console: Console):
    async with AsyncExitStack() as before, AsyncExitStack() as after:
        first = await before.enter_async_context(serving(Stub()))
        first.on("GET", PATH, {"solve": {"issue": "x"}})
        first.on("GET", UPDATES, updates("1", lane(0)))
        remote = await after.enter_async_context(open_remote(first.url))
        remote.moves_to = lambda: stub.url
        looking = source(remote, console)
        await looking.poll()
        await before.aclose()
        stub.on("GET", UPDATES, updates("2", state="completed"))
        assert (await looking.poll()).is_last
    assert stub.asked[-1].query == {"cursor": "1"}
    assert f"cannot reach the server {first.url}" in " ".join(said(console).split())


async def test_patience_has_an_end(stub: Stub, remote: Remote, console: Console):
    stub.on("GET", UPDATES, problem(503, "away"))
    with pytest.raises(YudaiError, match=r"continues when the server is back: `.*watch 0000aaaa`"):
        await source(remote, console, patience_s=0.025).poll()


async def test_what_will_not_change_is_not_asked_again(
    stub: Stub, remote: Remote, console: Console
):
    stub.on("GET", UPDATES, problem(404, "there is no solve x"))
    with pytest.raises(NotFoundError, match="there is no solve x"):
        await source(remote, console).poll()
    assert len([asked for asked in stub.asked if asked.path == UPDATES]) == 1


async def test_words_that_no_one_knows_are_another_version(
    stub: Stub, remote: Remote, console: Console
):
    def strange(_: Asked) -> dict[str, Any]:
        return updates("1", lane(0, state="dancing"))

    stub.on("GET", UPDATES, strange)
    with pytest.raises(YudaiError, match="another version"):
        await source(remote, console).poll()

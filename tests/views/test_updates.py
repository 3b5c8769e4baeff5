"""What a watcher is sent: all of it, once, in order, in answers of bounded size."""

import asyncio
import itertools
import json
from collections.abc import AsyncGenerator, Coroutine, Iterator
from contextlib import AsyncExitStack
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import event as sql_event

from tests.support.servers.databases import Kind
from tests.support.updates_client import NOW, Scene, Watcher, solve_id
from yudai.kit.causes import Cause
from yudai.kit.errors import NotFoundError, RefusedError
from yudai.kit.text import MAX_BYTES
from yudai.runs import queries as runs
from yudai.runs.domain.states import RunEvent
from yudai.runs.tables import MessageRow
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.domain.states import SolveEvent, SolveState
from yudai.store.store import Store
from yudai.testing.domain.report import Baseline, Outcome, TestReport
from yudai.verification.domain.verdict import Evidence, Verdict, VerdictStatus
from yudai.views.domain.cursor import Cursor, Mark, decode, encode, epoch_of
from yudai.views.updates import FAR, MAX_OPEN, POLL_MS, TAIL, Ask, Updates, open_updates

# What only the store can get wrong is tried on both; the rest is the same code on either.
both = pytest.mark.parametrize("database_kind", ["sqlite", "postgresql"], indirect=True)


@pytest.fixture(params=["sqlite"])
def database_kind(request: pytest.FixtureRequest) -> Kind:
    return request.param


class FixedClock:
    def __init__(self, now: float = NOW) -> None:
        self.moment = now

    def now(self) -> float:
        return self.moment

    def new_id(self) -> str:
        raise AssertionError

    def token(self) -> str:
        raise AssertionError


@pytest.fixture
async def store(database_url: str) -> AsyncGenerator[Store]:
    async with await Store.open(database_url) as opened:
        yield opened


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
async def updates(store: Store, clock: FixedClock) -> AsyncGenerator[Updates]:
    async with open_updates(store, clock) as opened:
        yield opened


@pytest.fixture
def scene(store: Store) -> Scene:
    return Scene(store)


@pytest.fixture
def watcher(updates: Updates) -> Watcher:
    return Watcher(updates, solve_id())


@both
async def test_the_first_answer_is_a_snapshot_without_messages(scene: Scene, watcher: Watcher):
    await scene.open(lanes=3, deadline_at=NOW + 60)
    await scene.say(1, "hello")
    answer = await watcher.poll()
    assert answer["reset"]
    assert not answer["more"]
    assert [lane["id"] for lane in answer["lanes"]] == [scene.run(n) for n in range(3)]
    assert answer["messages"] == {}
    assert answer["solve"] == {
        "state": "running",
        "champion": None,
        "cost_usd": 0.0,
        "cost_cap_usd": 5.0,
        "created_at": NOW,
        "started_at": NOW,
        "finished_at": None,
        "deadline_at": NOW + 60,
        "reason": "",
        "progress": {
            "total": 3,
            "queued": 0,
            "running": 3,
            "verifying": 0,
            "completed": 0,
            "failed": 0,
            "cancelled": 0,
        },
    }


@both
async def test_a_run_says_how_far_it_is(scene: Scene, watcher: Watcher, clock: FixedClock):
    await scene.open(lanes=1)
    calls = [{"command": "ls"}, {"command": "sed -n 1p\n  a.py"}]
    body = {"role": "assistant", "content": "I look.", "extra": {"actions": calls}}
    await scene.say(0, "", body=body)
    await scene.say(0, "output")
    await scene.change(0, cost_micros=1500, earlier_cost_micros=500, output_tokens=7, edits=2)
    clock.moment = NOW + 2.5
    [lane] = (await watcher.poll())["lanes"]
    assert lane.pop("rev") == 3
    assert lane == {
        "id": scene.run(0),
        "handle": "fast-0",
        "state": "running",
        "phase": "working",
        "cause": None,
        "error": "",
        "attempt": 1,
        "steps": 1,
        "step_limit": 33,
        "edits": 2,
        "cost_usd": 0.002,
        "tokens": 8,
        "started_at": NOW,
        "submitted_at": None,
        "finished_at": None,
        "elapsed_ms": 2500,
        "last_action": "sed -n 1p a.py",
        "files_changed": 0,
        "lines": 0,
        "verdict": None,
        "verdict_summary": "",
        "tests": None,
        "rank": None,
        "marks": [],
        "url": f"/api/runs/{scene.run(0)}",
    }
    assert watcher.solve is not None
    assert watcher.solve["cost_usd"] == 0.002


@both
async def test_a_judged_run_counts_its_tests(scene: Scene, watcher: Watcher, store: Store):
    outcomes = {"a": Outcome.PASSED, "b": Outcome.FAILED, "c": Outcome.FAILED}
    report = TestReport(outcomes=outcomes, exit_code=1, finished=True)
    await scene.open(baseline=Baseline(first=report, second=report, command="pytest"))
    await watcher.poll()
    verdict = Verdict(
        status=VerdictStatus.PASSED, fixed=("b",), evidence=Evidence(executed=3), summary="red"
    )
    async with store.change() as db:
        await runs.advance(db, scene.run(0), RunEvent.SUBMITTED, at=NOW)
        await runs.advance(db, scene.run(0), RunEvent.JUDGED, at=NOW, verdict=verdict, rank=1)
    [lane] = (await watcher.poll())["lanes"]
    assert lane["tests"] == {"passed": 2, "failed": 1, "total": 3}
    assert (lane["verdict"], lane["rank"], lane["phase"]) == ("passed", 1, "done")


async def test_only_runs_that_have_changed_are_sent(scene: Scene, watcher: Watcher):
    await scene.open(lanes=3)
    await watcher.poll()
    idle = await watcher.poll()
    assert (idle["solve"], idle["lanes"], idle["events"], idle["messages"]) == (None, [], [], {})
    assert idle["cursor"] == watcher.answers[0]["cursor"]
    assert not idle["reset"]
    await scene.change(1, edits=1)
    assert [lane["id"] for lane in (await watcher.poll())["lanes"]] == [scene.run(1)]
    assert (await watcher.poll())["lanes"] == []


@both
async def test_events_come_once_and_in_order(scene: Scene, watcher: Watcher, store: Store):
    await scene.open()
    for some in (range(4), range(4, 241), range(241, 250)):
        async with store.change() as db:
            for number in some:
                data: dict[str, object] = {"n": number, "t": '"é\\'}
                await events.append(db, scene.id, kind="a.kind", at=NOW, data=data)
        await watcher.catch_up()
    told = [event for answer in watcher.answers for event in answer["events"]]
    assert [event["data"]["n"] for event in told] == list(range(250))
    assert told[0] | {"id": 0} == {
        "id": 0,
        "kind": "a.kind",
        "at": NOW,
        "run_id": None,
        "data": {"n": 0, "t": '"é\\'},
    }


async def test_messages_come_only_of_runs_that_are_open(scene: Scene, watcher: Watcher):
    await scene.open()
    await scene.say(0, "a", "b")
    await scene.say(1, "c")
    await watcher.poll(scene.run(1))
    assert watcher.messages.keys() == {scene.run(1)}
    await scene.say(0, "d")
    await scene.say(1, "e")
    await watcher.poll(scene.run(1))
    await watcher.poll(scene.run(0))
    assert watcher.texts(scene.run(0)) == ["a", "b", "d"]
    assert watcher.texts(scene.run(1)) == ["c", "e"]


async def test_a_run_that_was_closed_goes_on_where_it_was(scene: Scene, watcher: Watcher):
    await scene.open(lanes=1)
    await scene.say(0, "a")
    await watcher.poll(scene.run(0))
    await scene.say(0, "b")
    await watcher.poll()
    await watcher.poll()
    await watcher.poll(scene.run(0))
    assert watcher.texts(scene.run(0)) == ["a", "b"]
    assert (await watcher.poll(scene.run(0)))["messages"] == {}


async def test_a_message_says_what_happened(scene: Scene, watcher: Watcher):
    await scene.open(lanes=1)
    said = {
        "role": "assistant",
        "content": "I look.",
        "extra": {"actions": [{"command": "ls -a"}], "cost": 0.25},
    }
    await scene.say(0, "", body=said)
    observed = {"role": "tool", "content": "{}", "extra": {"raw_output": "é\n", "returncode": 2}}
    await scene.say(0, "", body=observed)
    await watcher.poll(scene.run(0))
    here = f"/api/runs/{scene.run(0)}/messages"
    turn, output = watcher.messages[scene.run(0)]
    assert turn == {
        "attempt": 1,
        "seq": 0,
        "step": 0,
        "role": "assistant",
        "kind": "command",
        "is_test": False,
        "edit": None,
        "text": "I look.",
        "commands": ["ls -a"],
        "truncated": False,
        "bytes": 12,
        "exit_code": None,
        "cost_usd": 0.25,
        "ms": None,
        "at": NOW,
        "raw": f"{here}/0/raw?attempt=1",
    }
    facts = {key: output[key] for key in ("text", "bytes", "exit_code", "ms", "cost_usd", "raw")}
    assert facts == {
        "text": "é\n",
        "bytes": 3,
        "exit_code": 2,
        "ms": 1000,
        "cost_usd": None,
        "raw": f"{here}/1/raw?attempt=1",
    }


@both
async def test_a_run_is_opened_at_its_tail(scene: Scene, watcher: Watcher):
    await scene.open(lanes=1)
    await scene.say(0, *map(str, range(TAIL + 70)))
    await watcher.catch_up(scene.run(0))
    assert watcher.texts(scene.run(0)) == [str(n) for n in range(70, TAIL + 70)]


async def test_who_is_far_behind_is_sent_the_tail_again(scene: Scene, watcher: Watcher):
    await scene.open(lanes=1)
    await scene.say(0, "first")
    await watcher.poll(scene.run(0))
    await scene.say(0, *map(str, range(1, FAR + 3)))
    first, *_ = await watcher.catch_up(scene.run(0))
    assert first["resets"] == [scene.run(0)]
    assert watcher.texts(scene.run(0)) == [str(n) for n in range(FAR + 3 - TAIL, FAR + 3)]
    await scene.say(0, "last")
    await watcher.catch_up(scene.run(0))
    assert watcher.texts(scene.run(0))[-1] == "last"


async def test_who_is_not_so_far_behind_is_sent_all(scene: Scene, watcher: Watcher):
    await scene.open(lanes=1)
    await scene.say(0, "0")
    await watcher.poll(scene.run(0))
    await scene.say(0, *map(str, range(1, 201)))
    answers = await watcher.catch_up(scene.run(0))
    assert all(answer["resets"] == [] for answer in answers)
    assert max(len(answer["messages"][scene.run(0)]) for answer in answers) == TAIL
    assert watcher.texts(scene.run(0)) == [str(n) for n in range(201)]


@both
async def test_a_new_attempt_begins_its_run_again(scene: Scene, watcher: Watcher):
    await scene.open()
    await scene.say(0, "old", "older")
    await watcher.poll(scene.run(0), scene.run(1))
    await scene.retry(0)
    await scene.say(0, "new")
    await scene.say(1, "other")
    answer = await watcher.poll(scene.run(0), scene.run(1))
    assert answer["resets"] == [scene.run(0)]
    assert not answer["reset"]
    assert watcher.texts(scene.run(0)) == ["new"]
    assert watcher.texts(scene.run(1)) == ["other"]
    assert watcher.lanes[scene.run(0)]["attempt"] == 2


async def test_a_late_message_of_an_old_attempt_is_nobodys(
    scene: Scene, watcher: Watcher, store: Store
):
    await scene.open(lanes=1)
    await scene.say(0, "a")
    await scene.retry(0)
    await watcher.poll(scene.run(0))
    scene.attempts[0], scene.counts[0] = 1, 1
    await scene.say(0, "late")
    assert (await watcher.poll(scene.run(0)))["messages"] == {}


async def test_messages_of_a_new_attempt_wait_until_its_run_was_reported(
    scene: Scene, watcher: Watcher
):
    await scene.open(lanes=3)
    for place in range(3):
        await scene.say(place, "old")
    opened = [scene.run(n) for n in range(3)]
    await watcher.catch_up(*opened)
    for place in range(3):
        await scene.retry(place)
        await scene.say(place, "new")
    # The watcher itself checks that no message comes before its attempt.
    answers = await watcher.catch_up(*opened, max_bytes=1)
    assert len(answers) >= 3
    assert all(watcher.texts(run) == ["new"] for run in opened)


async def test_one_byte_is_enough_to_get_on(scene: Scene, watcher: Watcher, store: Store):
    await scene.open(lanes=4)
    huge = "ü" * 3 * MAX_BYTES
    opened = [scene.run(n) for n in range(4)]
    for place in range(4):
        await scene.say(place, "small", huge, "last")
    await watcher.catch_up(*opened, max_bytes=1)
    for run in opened:
        small, cut, last = watcher.messages[run]
        assert (small["text"], last["text"]) == ("small", "last")
        assert cut["truncated"]
        assert cut["bytes"] == len(huge.encode())
        assert MAX_BYTES <= len(cut["text"].encode()) < MAX_BYTES + 60
        assert cut["text"].startswith("üüü")
        assert cut["text"].endswith("üüü")
    assert len(watcher.lanes) == 4


async def test_a_busy_run_starves_no_other(scene: Scene, watcher: Watcher):
    await scene.open(lanes=5)
    opened = [scene.run(n) for n in range(5)]
    for place in range(5):
        await scene.say(place, f"of {place}")
    for number in range(12):
        await watcher.poll(*opened, max_bytes=1)
        await scene.say(0, f"busy {number}")
    assert watcher.lanes.keys() == set(opened)
    assert [watcher.texts(run)[0] for run in opened] == [f"of {n}" for n in range(5)]


async def test_an_answer_has_at_most_as_many_bytes_as_asked_for(scene: Scene, watcher: Watcher):
    await scene.open(lanes=8)
    opened = [scene.run(n) for n in range(8)]
    for place in range(8):
        await scene.say(place, *(f"{n} " + "x" * 3000 for n in range(60)))
    most = 32 * 1024
    sizes: list[int] = []
    while not sizes or watcher.answers[-1]["more"]:
        ask = Ask(scene.id, cursor=watcher.cursor, open=tuple(opened), max_bytes=most)
        body = await watcher.updates.poll(ask)
        sizes.append(len(body))
        answer = json.loads(body)
        watcher.answers.append(answer)
        watcher._merge(answer)
    # The rest is the frame: the cursor, the numbers, the names.
    assert max(sizes) <= most + 1024
    assert len(sizes) < 120
    for run in opened:
        assert [text.split()[0] for text in watcher.texts(run)] == [str(n) for n in range(10, 60)]


async def test_a_poll_is_as_large_after_a_thousand_messages_as_after_ten(
    scene: Scene, watcher: Watcher
):
    await scene.open(lanes=1)
    sizes: list[int] = []
    for length in (10, 1000):
        await scene.say(0, *["x" * 100] * (length - scene.counts.get(0, 0)))
        await watcher.catch_up(scene.run(0))
        await scene.say(0, "y" * 4000)
        ask = Ask(scene.id, cursor=watcher.cursor, open=(scene.run(0),))
        sizes.append(len(await watcher.updates.poll(ask)))
        await watcher.catch_up(scene.run(0))
    assert sizes[1] <= sizes[0] + 32


@both
async def test_the_number_of_statements_does_not_grow(scene: Scene, watcher: Watcher, store: Store):
    await scene.open(lanes=6)
    opened = [scene.run(n) for n in range(6)]
    told: list[str] = []
    thread = watcher.updates.snapshot_reader._thread
    engine = store.database.engine.sync_engine if thread is None else thread._engine

    @sql_event.listens_for(engine, "before_cursor_execute")
    def tell(connection: object, cursor: object, statement: str, *_: object) -> None:
        if statement.startswith("SELECT"):
            told.append(statement)

    counts: list[int] = []
    for length in (3, 300):
        for place in range(6):
            await scene.say(place, *["x"] * length)
        told.clear()
        await watcher.poll(*opened)
        counts.append(len(told))
        await watcher.catch_up(*opened)
        told.clear()
        await watcher.poll(*opened)
        assert len(told) == 1, "an idle poll is one statement"
    assert counts[0] == counts[1] <= 7


@pytest.mark.parametrize("state", SolveState)
async def test_the_state_says_when_to_ask_again(
    state: SolveState, scene: Scene, watcher: Watcher, store: Store
):
    await scene.open(lanes=1, state=state)
    await scene.say(0, *"abcde")
    answer = await watcher.poll()
    is_over = state in ("completed", "failed", "cancelled")
    assert (answer["poll_ms"], answer["terminal"]) == (POLL_MS[state], is_over)
    first, *_, last = await watcher.catch_up(scene.run(0), max_bytes=1)
    assert first["more"]
    assert not first["terminal"], "nobody stops before the end"
    assert first["poll_ms"] > 0
    assert (last["terminal"], last["poll_ms"]) == (is_over, POLL_MS[state])


async def test_a_run_ends_while_it_is_open(scene: Scene, watcher: Watcher, store: Store):
    await scene.open()
    await scene.say(0, "a")
    await watcher.poll(scene.run(0))
    await scene.say(0, "b")
    async with store.change() as db:
        await runs.advance(
            db,
            scene.run(0),
            RunEvent.BROKE,
            at=NOW + 3,
            cause=Cause.OUT_OF_STEPS,
            error="e\nr " * 999,
        )
    async with store.change() as db:
        await runs.advance(db, scene.run(1), RunEvent.CANCELLED, at=NOW)
        await solves.advance(db, scene.id, SolveEvent.ABSTAINED, at=NOW, reason="none passed")
    answer = await watcher.poll(scene.run(0))
    lane = watcher.lanes[scene.run(0)]
    assert (lane["state"], lane["phase"], lane["cause"]) == ("failed", "done", "out_of_steps")
    assert lane["elapsed_ms"] == 3000
    assert lane["error"].startswith("e r e r")
    assert len(lane["error"]) == 500
    assert watcher.texts(scene.run(0)) == ["a", "b"]
    assert answer["terminal"]
    assert watcher.solve is not None
    assert watcher.solve["progress"]["failed"] == watcher.solve["progress"]["cancelled"] == 1
    kinds = [event["kind"] for event in answer["events"]]
    assert kinds == ["run.broke", "run.cancelled", "solve.abstained"]


@both
async def test_what_no_text_can_hold_is_replaced(scene: Scene, watcher: Watcher, store: Store):
    await scene.open(lanes=1)
    await scene.say(0, "a\ud800b\x00c", "\x1b[31mred\x07")
    async with store.change() as db:
        for seq, body in enumerate(
            ('{"role":"tool","content":"\\ud83d\\u0000"}', "no JSON", "[1]", "[" * 100_000), start=2
        ):
            db.add(
                MessageRow(
                    run_id=scene.run(0),
                    attempt=1,
                    seq=seq,
                    step=1,
                    role="r" * 99,
                    at=NOW,
                    body=body,
                )
            )
        await runs.change(db, scene.run(0), edits=1)
    await watcher.poll(scene.run(0))
    texts = watcher.texts(scene.run(0))
    assert texts == ["a\ufffdb\ufffdc", "\x1b[31mred\x07", "\ufffd\ufffd", "", "", ""]
    assert watcher.messages[scene.run(0)][-1]["role"] == "r" * 31 + "…"


async def test_numbers_that_are_missing_are_not_waited_for(
    scene: Scene, watcher: Watcher, store: Store
):
    await scene.open(lanes=1)
    await scene.say(0, "a")
    await watcher.poll(scene.run(0))
    async with store.change() as db:
        db.add(
            MessageRow(
                run_id=scene.run(0), attempt=1, seq=400, step=1, role="tool", at=NOW, body="{}"
            )
        )
        await runs.change(db, scene.run(0), edits=1)
    cursor, seen, answer = watcher.cursor, 0, {"more": True}
    for _ in range(20):
        if not answer["more"]:
            break
        ask = Ask(scene.id, cursor=cursor, open=(scene.run(0),))
        answer = json.loads(await watcher.updates.poll(ask))
        cursor = answer["cursor"]
        seen += sum(map(len, answer["messages"].values()))
    assert (seen, answer["more"]) == (1, False)


@both
async def test_unknown_runs_are_named_and_ignored(scene: Scene, watcher: Watcher, store: Store):
    await scene.open(lanes=1)
    other = Scene(store, number=7)
    await other.open(lanes=1)
    await other.say(0, "secret")
    strange = ("nobody", other.run(0), "\x00", "é\ud800"[:1])
    answer = await watcher.poll(scene.run(0), *strange)
    assert answer["unknown"] == list(strange)
    assert answer["messages"] == {}


async def test_seventeen_runs_are_refused(scene: Scene, updates: Updates):
    await scene.open(lanes=1)
    with pytest.raises(RefusedError, match="at most 16"):
        await updates.poll(Ask(scene.id, open=tuple(map(str, range(MAX_OPEN + 1)))))


@both
@pytest.mark.parametrize("wanted", ["nobody", "", "\x00", "é", solve_id(9)])
async def test_an_unknown_solve_is_not_found(wanted: Any, scene: Scene, updates: Updates):
    await scene.open(lanes=1)
    with pytest.raises(NotFoundError):
        await updates.poll(Ask(wanted))


async def test_anothers_solve_is_not_found(scene: Scene, updates: Updates):
    await scene.open(lanes=1, user_id="somebody")
    with pytest.raises(NotFoundError):
        await updates.poll(Ask(scene.id))
    assert await updates.poll(Ask(scene.id, user_id="somebody"))


@both
async def test_a_solve_without_runs_can_be_watched(scene: Scene, watcher: Watcher):
    await scene.open(lanes=0, state=SolveState.QUEUED)
    assert (await watcher.poll())["lanes"] == []
    assert not (await watcher.poll())["reset"]


async def test_a_cursor_of_another_solve_or_of_the_future_begins_again(
    scene: Scene, watcher: Watcher, store: Store
):
    await scene.open()
    other = Scene(store, number=1)
    await other.open()
    foreign = await Watcher(watcher.updates, other.id).poll()
    await watcher.poll()
    good = decode(watcher.cursor)
    assert good is not None
    first, second = good.marks
    bad: list[Cursor | str] = [
        foreign["cursor"],
        good._replace(rev=good.rev + 1),
        good._replace(event=good.event + 1),
        good._replace(marks=(*good.marks, Mark())),
        good._replace(marks=(first._replace(rev=first.rev + 1), second)),
        good._replace(marks=(first, second._replace(attempt=2))),
        good._replace(marks=(first._replace(read_rev=9), second)),
        good._replace(epoch=good.epoch ^ 1),
        watcher.cursor + "A",
        watcher.cursor[:-1],
        "A" * 100_000,
    ]
    for cursor in bad:
        text = cursor if isinstance(cursor, str) else encode(cursor)
        answer = json.loads(await watcher.updates.poll(Ask(scene.id, cursor=text)))
        assert answer["reset"], cursor
        assert len(answer["lanes"]) == 2
    assert not (await watcher.poll())["reset"]


async def test_a_message_number_of_the_future_begins_its_run_again(scene: Scene, watcher: Watcher):
    await scene.open(lanes=1)
    await scene.say(0, "a", "b")
    await watcher.poll(scene.run(0))
    cursor = decode(watcher.cursor)
    assert cursor is not None
    [mark] = cursor.marks
    watcher.cursor = encode(cursor._replace(marks=(mark._replace(seq=99, read_rev=0),)))
    answer = await watcher.poll(scene.run(0))
    assert answer["resets"] == [scene.run(0)]
    assert watcher.texts(scene.run(0)) == ["a", "b"]


small = st.integers(-1, 4)
marks = st.builds(Mark, attempt=st.integers(0, 3), rev=small, seq=small, read_rev=small)
cursors = st.builds(
    Cursor,
    epoch=st.just(epoch_of(solve_id(), NOW)),
    rev=small,
    event=st.integers(0, 3),
    turn=st.integers(0, 1 << 40),
    marks=st.lists(marks, max_size=4).map(tuple),
)


def test_any_marks_are_answered(stage: "Stage"):
    """Whatever a cursor of the right solve says, there is an answer, and an end."""
    scene = Scene(stage.store)

    @given(cursors, st.integers(1, 2000))
    @settings(max_examples=50)
    def answered(cursor: Cursor, max_bytes: int) -> None:
        opened = tuple(scene.run(n) for n in range(3))
        ask = Ask(scene.id, cursor=encode(cursor), open=opened, max_bytes=max_bytes)
        stage.run(_ask_on(stage, scene, ask))

    answered()


class Stage:
    """One store for all examples."""

    def __init__(self, url: str) -> None:
        self._runner = asyncio.Runner()
        self._stack = AsyncExitStack()
        self.numbers = itertools.count(1)
        self.run(self._open(url))

    async def _open(self, url: str) -> None:
        self.store = await self._stack.enter_async_context(await Store.open(url))
        self.updates = await self._stack.enter_async_context(open_updates(self.store, FixedClock()))

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        self._runner.run(work)

    def close(self) -> None:
        self.run(self._stack.aclose())
        self._runner.close()


@pytest.fixture
def stage(database_url: str) -> Iterator[Stage]:
    opened = Stage(database_url)
    yield opened
    opened.close()


async def _ask_on(stage: Stage, scene: Scene, ask: Ask) -> None:
    if not scene.counts:
        await scene.open(lanes=3)
        for place in range(3):
            await scene.say(place, *"abc")
        await scene.retry(1)
    for _ in range(40):
        answer = json.loads(await stage.updates.poll(ask))
        if not answer["more"]:
            return
        ask = ask._replace(cursor=answer["cursor"])
    raise AssertionError("there is always more")


LANES = 3
place = st.integers(0, LANES - 1)
operations = st.one_of(
    st.tuples(st.just("say"), place, st.lists(st.integers(0, 400), min_size=1, max_size=30)),
    st.tuples(st.just("retry"), place, st.none()),
    st.tuples(st.just("change"), place, st.none()),
    st.tuples(st.just("poll"), st.sets(place), st.sampled_from([1, 500, 2000, 10_000, 256 * 1024])),
)


@both
def test_nothing_is_lost_doubled_or_out_of_order(stage: Stage):
    """Polls with any lanes open and any sizes, between any changes, come to what is stored."""

    @given(st.lists(operations, max_size=20), st.sampled_from([1, 3000, 256 * 1024]))
    @settings(max_examples=25)
    def played(script: list[Any], size: int) -> None:
        stage.run(_play(stage, script, size))

    played()


async def _play(stage: Stage, script: list[Any], size: int) -> None:
    scene, told = Scene(stage.store, next(stage.numbers)), dict[tuple[int, int], list[str]]()
    await scene.open(lanes=LANES)
    watcher = Watcher(stage.updates, scene.id)
    for kind, where, what in script:
        match kind:
            case "say":
                texts = [
                    f"{where}.{scene.counts.get(where, 0) + n}" + "." * w
                    for n, w in enumerate(what)
                ]
                told.setdefault((where, scene.attempts.get(where, 1)), []).extend(texts)
                await scene.say(where, *texts)
            case "retry":
                await scene.retry(where)
            case "change":
                await scene.change(where, edits=1)
            case _:
                await watcher.poll(*map(scene.run, where), max_bytes=what)
    everybody = [scene.run(n) for n in range(LANES)]
    await watcher.catch_up(*everybody, max_bytes=size)
    _check_whole(scene, watcher, told)
    rows = await scene.stored()
    assert {run: lane["rev"] for run, lane in watcher.lanes.items()} == {
        run: row.rev for run, row in rows.items()
    }
    assert (await watcher.poll(*everybody))["cursor"] == watcher.answers[-2]["cursor"]


def _check_whole(scene: Scene, watcher: Watcher, told: dict[tuple[int, int], list[str]]) -> None:
    """All that was stored from where the watcher began, up to the end."""
    for where in range(LANES):
        stored = told.get((where, scene.attempts.get(where, 1)), [])
        held = watcher.texts(scene.run(where))
        assert len(held) >= min(len(stored), TAIL)
        assert held == stored[len(stored) - len(held) :]


@both
async def test_writers_and_watchers_at_once(scene: Scene, updates: Updates):
    """While messages are being committed, no look is half of one."""
    await scene.open(lanes=2)
    opened = [scene.run(0), scene.run(1)]
    watchers = [Watcher(updates, scene.id) for _ in range(3)]

    async def write() -> None:
        for number in range(40):
            await scene.say(number % 2, f"{number}")

    async with asyncio.TaskGroup() as group:
        writing = group.create_task(write())
        for watcher in watchers:
            group.create_task(_watch(watcher, opened, writing))
    for watcher in watchers:
        await watcher.catch_up(*opened)
        assert watcher.texts(opened[0]) == [str(n) for n in range(0, 40, 2)]
        assert watcher.texts(opened[1]) == [str(n) for n in range(1, 40, 2)]


async def _watch(watcher: Watcher, opened: list[Any], writing: asyncio.Task[None]) -> None:
    while not writing.done():
        answer = await watcher.poll(*opened)
        for run in opened:
            # The lane's own numbers and its messages are of the same moment.
            count = len(watcher.texts(run))
            assert answer["more"] or watcher.lanes[run]["steps"] == max(0, count - 1)


@both
async def test_a_look_that_fails_does_not_spoil_the_next(scene: Scene, updates: Updates):
    await scene.open(lanes=1)

    def fail(_: object) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await updates.snapshot_reader.run(fail)
    assert await updates.poll(Ask(scene.id))


def test_every_state_says_when_to_ask_again():
    assert POLL_MS.keys() == set(SolveState)

"""What a conversation is told of its solves: once each, in order, whoever tells it."""

import asyncio

import pytest

from tests.support.conversation_rows import HERE, OTHER, START, ChatRows, texts
from tests.support.servers.databases import Kind
from tests.support.solve_rows import SOLVE, failed, passed, run_id
from yudai.conversations.domain.conversation import ChatRole, Milestone
from yudai.conversations.milestones import post_all_milestones, post_milestones
from yudai.kit.ids import SolveId, short
from yudai.solves import timeline as events
from yudai.solves.domain.states import SolveEvent
from yudai.store.store import Store

NAMED = f"Solve {short(SOLVE)} (#12 Sums are wrong)"
SECOND = SolveId("0190a000-0000-7000-8000-00000000bbbb")
BOTH = pytest.mark.parametrize("database_kind", ["sqlite", "postgresql"])


@pytest.fixture
def database_kind() -> Kind:
    """Both where databases differ, else the quick one."""
    return "sqlite"


@BOTH
async def test_a_solve_is_reported_from_its_queue_to_its_review(chat_rows: ChatRows) -> None:
    await chat_rows.solve(not_started=())
    await chat_rows.play()
    assert await post_milestones(chat_rows.store, SOLVE) == 5
    said = await chat_rows.said()
    assert [message.milestone for message in said] == [
        Milestone.QUEUED,
        Milestone.RUNNING,
        Milestone.FIRST_PASSING_RUN,
        Milestone.CHAMPION,
        Milestone.AWAITING_REVIEW,
    ]
    assert texts(said) == [
        f"{NAMED} is queued: 2 contestants.",
        f"{NAMED} is running.",
        f"{NAMED} has its first passing run, fast-1: red to green",
        f"{NAMED} has a champion, fast-1: red to green; ahead of 1 other run",
        f"{NAMED} awaits review of its champion's patch: 1 file, 2 lines. All runs cost $0.01.",
    ]
    assert {(m.role, m.solve_id) for m in said} == {(ChatRole.YUDAI, SOLVE)}
    here, run = f"/api/solves/{SOLVE}", f"/api/runs/{run_id(1)}"
    patch = {"solve": here, "run": run, "patch": f"{run}/patch"}
    assert [m.links for m in said] == [{"solve": here}] * 2 + [patch] * 3


async def test_its_time_is_when_it_happened(chat_rows: ChatRows) -> None:
    await chat_rows.solve()
    await chat_rows.play()
    async with chat_rows.store.read() as db:
        happened = {event.kind: event.at for event in await events.after(db, SOLVE)}
    await post_milestones(chat_rows.store, SOLVE)
    at = {message.milestone: message.at for message in await chat_rows.said()}
    assert at[Milestone.QUEUED] == happened["solve.opened"]
    assert at[Milestone.RUNNING] == happened["solve.started"]
    assert at[Milestone.CHAMPION] == at[Milestone.AWAITING_REVIEW] == happened["solve.offered"]
    assert START < at[Milestone.QUEUED] < at[Milestone.RUNNING] < at[Milestone.CHAMPION]


@BOTH
async def test_five_tellers_at_every_step_say_each_thing_once_and_in_order(
    chat_rows: ChatRows, database_url: str
) -> None:
    """Two stores stand for two processes."""
    stopped = asyncio.Event()

    async def keep_telling(store: Store) -> int:
        told = 0
        while not stopped.is_set():
            told += await post_milestones(store, SOLVE)
            await asyncio.sleep(0)
        return told + await post_milestones(store, SOLVE)

    await chat_rows.solve()
    async with await Store.open(database_url) as other, asyncio.TaskGroup() as group:
        stores = (chat_rows.store, other, chat_rows.store, other, chat_rows.store)
        tellers = [group.create_task(keep_telling(store)) for store in stores]
        await chat_rows.play()
        await chat_rows.advance(SolveEvent.SETTLED, data={"branch": "fix"})
        stopped.set()
    said = await chat_rows.said()
    assert [message.milestone for message in said] == [
        Milestone.QUEUED,
        Milestone.RUNNING,
        Milestone.FIRST_PASSING_RUN,
        Milestone.CHAMPION,
        Milestone.AWAITING_REVIEW,
        Milestone.COMPLETED,
    ]
    assert said[-1].text == f"{NAMED} is completed: the patch is on branch fix."
    assert sum(teller.result() for teller in tellers) == len(said)


@BOTH
async def test_five_late_tellers_say_a_whole_story_once(chat_rows: ChatRows) -> None:
    await chat_rows.solve()
    await chat_rows.play()
    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(post_milestones(chat_rows.store, SOLVE))
    assert len(await chat_rows.said()) == 5
    assert await post_milestones(chat_rows.store, SOLVE) == 0


async def test_only_the_first_passing_run_is_news(chat_rows: ChatRows) -> None:
    await chat_rows.solve(number_of_runs=3)
    await chat_rows.advance(SolveEvent.STARTED)
    await chat_rows.judge(0, failed())
    await post_milestones(chat_rows.store, SOLVE)
    assert texts(await chat_rows.said())[-1] == f"{NAMED} is running."
    for position in (2, 1):
        await chat_rows.judge(position, passed())
        await post_milestones(chat_rows.store, SOLVE)
    assert texts(await chat_rows.said())[2:] == [
        f"{NAMED} has its first passing run, fast-2: red to green"
    ]


async def test_other_ends_are_reported_as_they_are(chat_rows: ChatRows) -> None:
    ends = {
        "a1": (SolveEvent.ABSTAINED, {"reason": "no champion: no run passed"}),
        "a2": (SolveEvent.BROKE, {"reason": "the base\nis\x1b[31m " + "x" * 900}),
        "a3": (SolveEvent.CANCELLED, {"reason": "cancelled"}),
    }
    said: dict[str, str] = {}
    for end, (event, changes) in ends.items():
        solve_id = await chat_rows.solve(SolveId(f"{SOLVE[:-2]}{end}"))
        await chat_rows.advance(SolveEvent.STARTED, solve_id)
        await chat_rows.advance(event, solve_id, **changes)
        await post_milestones(chat_rows.store, solve_id)
        last = (await chat_rows.said())[-1]
        said[end] = last.text.removeprefix(f"Solve {short(solve_id)} (#12 Sums are wrong) ")
        assert len(last.text) <= 500
        assert last.links == {"solve": f"/api/solves/{solve_id}"}
    assert said["a1"] == "is completed, no champion: no run passed"
    assert said["a2"].startswith("has failed: the base is")
    assert "\n" not in said["a2"]
    assert said["a3"] == "is cancelled."


async def test_solves_of_one_conversation_are_distinguished(chat_rows: ChatRows) -> None:
    await chat_rows.solve()
    await chat_rows.solve(SECOND, issue_number=None, issue_title="It is\nslow " + "x" * 400)
    for solve_id in (SOLVE, SECOND, SOLVE):
        await post_milestones(chat_rows.store, solve_id)
    first, second = texts(await chat_rows.said())
    assert first.startswith(f"{NAMED} is queued")
    assert second.startswith(f"Solve {short(SECOND)} (It is slow xxx")
    assert second.endswith("x…) is queued: 2 contestants.")
    assert len(second) < 150


@BOTH
async def test_a_sweep_tells_what_a_dead_process_did_not(chat_rows: ChatRows) -> None:
    await chat_rows.open(OTHER)
    await chat_rows.solve()
    await chat_rows.play()
    await chat_rows.solve(SECOND, conversation_id=OTHER)
    quiet = await chat_rows.solve(SolveId(f"{SOLVE[:-2]}f1"), conversation_id=None)
    await chat_rows.play(quiet)
    assert await post_all_milestones(chat_rows.store) == 6
    assert await post_all_milestones(chat_rows.store) == 0
    await chat_rows.advance(SolveEvent.STARTED, SECOND)
    await chat_rows.judge(0, passed(), SECOND)
    assert await post_all_milestones(chat_rows.store, HERE) == 0
    assert await post_all_milestones(chat_rows.store, OTHER) == 2
    await chat_rows.judge(1, passed(), SECOND)
    assert await post_all_milestones(chat_rows.store) == 0


async def test_a_solve_without_a_conversation_is_posted_nowhere(chat_rows: ChatRows) -> None:
    await chat_rows.solve(conversation_id=None)
    await chat_rows.play()
    assert await post_milestones(chat_rows.store, SOLVE) == 0
    assert await chat_rows.said() == []


async def test_a_question_is_reported_once(chat_rows: ChatRows) -> None:
    await chat_rows.solve()
    async with chat_rows.store.change() as db:
        for text in ("Should it be 4?", "And 5?"):
            data: dict[str, object] = {"question": text}
            await events.append(db, SOLVE, kind="solve.asked", at=START, data=data)
    await post_milestones(chat_rows.store, SOLVE)
    said = [one for one in await chat_rows.said() if one.milestone is Milestone.ASKED]
    assert texts(said) == [f"{NAMED} needs you, asked: Should it be 4?"]

import asyncio
import itertools
import threading
from collections.abc import AsyncGenerator, Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
import pytest_asyncio
from sqlalchemy import event, text
from structlog.testing import capture_logs

from yudai.gateway.domain.models import Usage
from yudai.kit.causes import Cause
from yudai.kit.ids import RunId
from yudai.runs import attempts
from yudai.runs import messages as trajectories
from yudai.runs import queries as runs
from yudai.runs.domain.progress import Progress, RunMark
from yudai.runs.domain.states import RunEvent
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.runs.message_writer import MessageWriter, writer_of
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves.tables import SolveRow
from yudai.store.outages import WriteError
from yudai.store.store import Store
from yudai.views import update_queries as queries

NewMessage = Callable[..., TrajectoryMessage]
NewProgress = Callable[[int], Progress]
MISSING = '(no such table|relation "trajectory_messages" does not exist$)'


class Commits:
    """Counts the commits of a store, and tells of each."""

    def __init__(self, store: Store) -> None:
        self.count = 0
        self.happened = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        event.listen(store.database._blocking_engine, "commit", self._note)

    def _note(self, _connection: object) -> None:
        self.count += 1
        self._loop.call_soon_threadsafe(self.happened.set)


async def _count(store: Store, run_id: RunId) -> int:
    async with store.read() as db:
        return len(await trajectories.messages(db, run_id))


async def _hide_messages(store: Store, *, hide: bool) -> None:
    """Make every commit of messages fail, as a full disk would."""
    names = ("trajectory_messages", "hidden")
    old, new = names if hide else names[::-1]
    async with store.database.transaction() as db:
        await db.execute(text(f"ALTER TABLE {old} RENAME TO {new}"))


async def test_what_is_pending_is_committed_together(
    store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    commits = Commits(store)
    for seq in range(100):
        writer_of(store).append(run.id, 1, new_message(seq), new_progress(seq))
    await writer_of(store).flush()
    assert commits.count == 1
    assert await _count(store, run.id) == 100


async def test_it_commits_without_being_asked(
    store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    commits = Commits(store)
    for seq in range(5):
        writer_of(store).append(run.id, 1, new_message(seq), new_progress(seq))
    await commits.happened.wait()
    await writer_of(store).flush()
    assert commits.count == 1
    assert await _count(store, run.id) == 5


async def test_a_flush_with_nothing_pending_commits_nothing(store: Store) -> None:
    commits = Commits(store)
    await writer_of(store).flush()
    assert commits.count == 0


async def test_the_newest_numbers_of_each_run_win(
    store: Store, run: RunRow, new_run: Callable[..., RunRow], new_message: NewMessage
) -> None:
    async with store.change() as db:
        await runs.add_all(db, [new_run("second", position=1)])
    big = Usage(input_tokens=1 << 40, cached_tokens=1, output_tokens=2, cost_micros=1 << 50)
    for steps in (1, 2, 3):
        progress = Progress(steps=steps, edits=steps - 1, usage=big)
        writer_of(store).append(run.id, 1, new_message(steps), progress)
    writer_of(store).append(
        RunId("second"), 1, new_message(0), Progress(steps=7, edits=0, usage=big)
    )
    await writer_of(store).flush()
    async with store.read() as db:
        first, second = await runs.of_solve(db, run.solve_id)
    assert (first.steps, first.edits, first.message_count, first.usage) == (3, 2, 4, big)
    assert (second.steps, second.message_count) == (7, 1)


async def test_a_late_message_of_an_earlier_attempt_changes_no_number(
    store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    async with store.change() as db:
        await runs.change(db, run.id, attempt=2, steps=0)
    writer_of(store).append(run.id, 1, new_message(8), new_progress(9))
    async with store.change() as db:
        assert (await runs.get(db, run.id)).steps == 0
        assert len(await trajectories.messages(db, run.id, attempt=1)) == 1


async def test_the_same_message_again_is_kept_once(
    store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    for content in ("first", "again"):
        writer_of(store).append(run.id, 1, new_message(0, content), new_progress(0))
        writer_of(store).append(run.id, 1, new_message(1, content), new_progress(1))
        await writer_of(store).flush()
    async with store.read() as db:
        said = await trajectories.messages(db, run.id)
    assert [message.body["content"] for message in said] == ["first", "first"]


async def test_hostile_text_neither_breaks_the_insert_nor_gets_lost(
    store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    body = {"role": "tool", "a\x00": "b\ud800c\x00", "kept": "\\u0000 ä"}
    writer_of(store).append(
        run.id, 1, new_message(0, role="r\x00\udfff", body=body), new_progress(0)
    )
    await writer_of(store).flush()
    async with store.read() as db:
        (message,) = await trajectories.messages(db, run.id)
    assert message.role == "r\ufffd\ufffd"
    assert message.body == {"role": "tool", "a\ufffd": "b\ufffdc\ufffd", "kept": "\\u0000 ä"}


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"body": {"x": object()}}, TypeError),
        ({"step": 1 << 31}, ValueError),
        ({"seq": -1}, ValueError),
        ({"at": float("nan")}, ValueError),
    ],
)
async def test_a_message_that_cannot_be_stored_fails_alone(
    store: Store,
    run: RunRow,
    new_message: NewMessage,
    new_progress: NewProgress,
    changes: dict[str, object],
    error: type[Exception],
) -> None:
    good = new_message(0)
    writer_of(store).append(run.id, 1, good, new_progress(0))
    with pytest.raises(error):
        writer_of(store).append(run.id, 1, good.model_copy(update=changes), new_progress(1))
    huge = Progress(steps=1, edits=0, usage=Usage(input_tokens=1 << 63))
    with pytest.raises(ValueError, match="out of the range"):
        writer_of(store).append(run.id, 1, new_message(1), huge)
    await writer_of(store).flush()
    assert await _count(store, run.id) == 1


async def test_messages_of_a_removed_run_do_not_fail_the_others(
    store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    writer_of(store).append(RunId("removed"), 1, new_message(0), new_progress(0))
    writer_of(store).append(run.id, 1, new_message(0), new_progress(0))
    await writer_of(store).flush()
    assert await _count(store, run.id) == 1


async def test_a_failed_commit_is_raised_and_nothing_is_lost(
    store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    writer_of(store).append(run.id, 1, new_message(0), new_progress(0))
    await _hide_messages(store, hide=True)
    with pytest.raises(WriteError, match=f"could not be stored: {MISSING}"):
        await writer_of(store).flush()
    with pytest.raises(WriteError, match=MISSING):
        writer_of(store).append(run.id, 1, new_message(1), new_progress(1))
    with pytest.raises(WriteError, match=MISSING):
        async with store.change():
            pass
    await _hide_messages(store, hide=False)
    await writer_of(store).flush()
    writer_of(store).append(run.id, 1, new_message(1), new_progress(1))
    await writer_of(store).flush()
    assert await _count(store, run.id) == 2


async def test_a_commit_that_failed_unasked_reaches_the_next_append(
    store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    rolled_back = asyncio.Event()
    await _hide_messages(store, hide=True)
    loop = asyncio.get_running_loop()
    event.listen(
        store.database._blocking_engine,
        "rollback",
        lambda _: loop.call_soon_threadsafe(rolled_back.set),
    )
    accepted: list[int] = []

    async def append_for_ever() -> None:
        for seq in itertools.count():
            writer_of(store).append(run.id, 1, new_message(seq), new_progress(seq))
            accepted.append(seq)
            await rolled_back.wait()
            # The rollback is told a few turns of the loop before the writer knows of it.
            await asyncio.sleep(0)

    with pytest.raises(WriteError, match=MISSING):
        await append_for_ever()
    await _hide_messages(store, hide=False)
    await writer_of(store).flush()
    assert await _count(store, run.id) == len(accepted)


async def test_closing_tells_what_could_not_be_stored(
    url: str, store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    other = await Store.open(url)
    await _hide_messages(store, hide=True)
    writer_of(other).append(run.id, 1, new_message(0), new_progress(0))
    with pytest.raises(WriteError, match=MISSING):
        await other.close()
    with pytest.raises(WriteError, match="closed"):
        writer_of(other).append(run.id, 1, new_message(0), new_progress(0))


async def test_many_threads_append_at_once(
    store: Store,
    new_solve: Callable[..., SolveRow],
    new_run: Callable[..., RunRow],
    new_message: NewMessage,
    new_progress: NewProgress,
) -> None:
    names = [RunId(f"run-{n}") for n in range(8)]
    async with store.change() as db:
        await solves.add(db, new_solve())
        await runs.add_all(db, [new_run(name, position=n) for n, name in enumerate(names)])
    barrier = threading.Barrier(len(names))
    writer = writer_of(store)

    def work(name: RunId) -> None:
        barrier.wait()
        for seq in range(100):
            writer.append(name, 1, new_message(seq), new_progress(seq))

    with ThreadPoolExecutor(len(names)) as threads:
        loop = asyncio.get_running_loop()
        for appending in [loop.run_in_executor(threads, work, name) for name in names]:
            await writer_of(store).flush()
            await appending
    await writer_of(store).flush()
    async with store.read() as db:
        for name in names:
            said = await trajectories.messages(db, name)
            assert [message.seq for message in said] == list(range(100))
            row = await runs.get(db, name)
            assert (row.steps, row.message_count) == (99, 100)


async def test_a_cancelled_flush_hurts_no_one(
    store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    writer_of(store).append(run.id, 1, new_message(0), new_progress(0))
    impatient = asyncio.create_task(writer_of(store).flush())
    await asyncio.sleep(0)
    impatient.cancel()
    await asyncio.wait([impatient])
    await writer_of(store).flush()
    assert await _count(store, run.id) == 1


async def test_a_flush_never_outlives_the_writer(
    store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    """When the loop is torn down, whoever waits is neither left hanging nor told a lie."""
    holding = await _hold_the_run(store, run)
    writer_of(store).append(run.id, 1, new_message(0), new_progress(0))
    during = asyncio.create_task(writer_of(store).flush())
    for _ in range(10):
        await asyncio.sleep(0)
    assert writer_of(store)._committing
    late = asyncio.create_task(writer_of(store).flush())
    await asyncio.sleep(0)
    writer_of(store)._task.cancel()
    await asyncio.wait([during, late])
    assert during.cancelled()
    assert late.cancelled()
    with pytest.raises(WriteError, match="closed"):
        await writer_of(store).flush()
    holding.cancel()
    await asyncio.wait([holding])


async def _hold_the_run(store: Store, run: RunRow) -> asyncio.Task[None]:
    is_held = asyncio.Event()

    async def hold() -> None:
        async with store.database.transaction() as db:
            await runs.change(db, run.id, why="held")
            is_held.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(hold())
    await is_held.wait()
    return task


async def test_a_flush_inside_a_transaction_is_refused_not_a_deadlock(
    store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    async with store.change():
        writer_of(store).append(run.id, 1, new_message(0), new_progress(0))
        with pytest.raises(RuntimeError, match="already"):
            await writer_of(store).flush()
    await writer_of(store).flush()
    assert await _count(store, run.id) == 1


@pytest_asyncio.fixture
async def patient(url: str, run: RunRow) -> AsyncGenerator[Store]:
    async with await Store.open(url, patience_s=30.0) as opened:
        yield opened


async def _until_it_fails(store: Store) -> None:
    while not writer_of(store)._failure:  # noqa: ASYNC110 - nobody is told while there is patience
        await asyncio.sleep(0.01)


async def test_with_patience_agents_wait_until_commits_succeed_again(
    patient: Store, store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    await _hide_messages(store, hide=True)
    writer_of(patient).append(run.id, 1, new_message(0), new_progress(0))
    await _until_it_fails(patient)

    def work() -> None:
        for seq in range(1, 20):
            writer_of(patient).append(run.id, 1, new_message(seq), new_progress(seq))

    working = asyncio.create_task(asyncio.to_thread(work))
    flushing = asyncio.create_task(writer_of(patient).flush())
    await asyncio.sleep(0.1)
    # While the writer tries again, it holds the message itself.
    while len(writer_of(patient)._pending.messages) != 1:  # noqa: ASYNC110 - as above
        await asyncio.sleep(0.001)
    assert not working.done()
    assert not flushing.done()
    await _hide_messages(store, hide=False)
    await working
    await flushing
    async with patient.change() as db:
        said = await trajectories.messages(db, run.id)
        assert [message.seq for message in said] == list(range(20))
        assert (await runs.get(db, run.id)).message_count == 20


async def test_one_failure_is_reported_once_and_its_end_too(
    patient: Store, store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    await _hide_messages(store, hide=True)
    with capture_logs() as logs:
        writer_of(patient).append(run.id, 1, new_message(0), new_progress(0))
        await _until_it_fails(patient)
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(writer_of(patient).flush(), 0.5)
        await _hide_messages(store, hide=False)
        await writer_of(patient).flush()
    told = [entry["event"] for entry in logs]
    assert told == ["messages.not_stored", "messages.stored_again"]


async def test_an_agent_of_a_cancelled_run_does_not_wait(
    patient: Store, store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    await _hide_messages(store, hide=True)
    writer_of(patient).append(run.id, 1, new_message(0), new_progress(0))
    await _until_it_fails(patient)
    ends: list[str] = []

    async def attempt() -> None:
        record = writer_of(patient).recorder(run.id, 1)

        def agent() -> None:
            try:
                record(new_message(1), new_progress(1))
            except WriteError as error:
                ends.append(str(error))

        done = asyncio.get_running_loop().run_in_executor(None, agent)
        try:
            await asyncio.wait([done])
        finally:
            await done

    running = asyncio.create_task(attempt())
    await asyncio.sleep(0.1)
    assert not running.done()
    running.cancel()
    await asyncio.wait_for(asyncio.wait([running]), 2)
    assert ends == ["the run ended before its message could be stored"]
    await _hide_messages(store, hide=False)
    await writer_of(patient).flush()
    assert await _count(patient, run.id) == 1


async def test_the_loop_itself_never_waits(
    patient: Store, store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    await _hide_messages(store, hide=True)
    writer_of(patient).append(run.id, 1, new_message(0), new_progress(0))
    await _until_it_fails(patient)
    with pytest.raises(WriteError, match=MISSING):
        writer_of(patient).append(run.id, 1, new_message(1), new_progress(1))
    await _hide_messages(store, hide=False)


async def test_what_is_pending_stays_within_bounds(
    store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    narrow = MessageWriter(store.database, max_bytes=50_000)
    holding = await _hold_the_run(store, run)
    most = 0

    def work() -> None:
        nonlocal most
        for seq in range(40):
            narrow.append(run.id, 1, new_message(seq, "x" * 10_000), new_progress(seq))
            most = max(most, narrow._bytes)

    working = asyncio.create_task(asyncio.to_thread(work))
    await asyncio.sleep(0.1)
    assert not working.done()
    assert narrow._bytes >= 50_000
    holding.cancel()
    await working
    await narrow.close()
    assert most < 50_000 + 2 * 10_000
    assert narrow._bytes == 0
    assert await _count(store, run.id) == 40


async def test_a_message_larger_than_the_bound_is_stored_too(
    store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    narrow = MessageWriter(store.database, max_bytes=1_000)
    for seq in range(3):
        message = new_message(seq, "x" * 10_000)
        await asyncio.to_thread(narrow.append, run.id, 1, message, new_progress(seq))
    await narrow.close()
    assert await _count(store, run.id) == 3


async def test_a_flush_during_the_commit_that_ends_a_failure_is_heard(
    patient: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    loop, is_committing, may_commit = asyncio.get_running_loop(), asyncio.Event(), threading.Event()
    faults = [LookupError()]

    def begin(_: object) -> None:
        if faults:
            raise faults.pop()
        loop.call_soon_threadsafe(is_committing.set)
        may_commit.wait()

    event.listen(patient.database._blocking_engine, "begin", begin)
    writer_of(patient).append(run.id, 1, new_message(0), new_progress(0))
    await is_committing.wait()
    assert writer_of(patient)._failure
    flushing = asyncio.create_task(writer_of(patient).flush())
    await asyncio.sleep(0)
    may_commit.set()
    await asyncio.wait_for(flushing, 10)
    assert await _count(patient, run.id) == 1


def _mark(step: int) -> RunMark:
    return RunMark(kind="test", at=float(step), step=step, cost_micros=1 << 50, ok=step % 2 == 0)


async def test_marks_are_written_with_the_other_numbers(
    store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    for steps in (1, 2):
        marks = tuple(map(_mark, range(steps)))
        progress = new_progress(steps).model_copy(update={"marks": marks})
        writer_of(store).append(run.id, 1, new_message(steps), progress)
    await writer_of(store).flush()
    async with store.read() as db:
        assert (await runs.get(db, run.id)).marks == (_mark(0), _mark(1))
        facts = await db.run_sync(lambda sync: queries.runs(sync.connection(), [run.id]))
    assert facts[run.id].marks == (_mark(0), _mark(1))


async def test_a_new_attempt_has_no_marks(
    store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    progress = new_progress(1).model_copy(update={"marks": (_mark(1),)})
    async with store.change() as db:
        await runs.advance(db, run.id, RunEvent.STARTED, at=1.0)
    writer_of(store).append(run.id, 1, new_message(0), progress)
    await writer_of(store).flush()
    async with store.change() as db:
        started = await runs.get(db, run.id)
        await attempts.give_up(db, started, Cause.WORKER_LOST, "died", at=2.0)
    writer_of(store).append(run.id, 1, new_message(1), progress)
    await writer_of(store).flush()
    async with store.read() as db:
        assert (await runs.get(db, run.id)).marks == ()


async def test_a_run_of_the_version_before_has_no_marks(store: Store, run: RunRow) -> None:
    async with store.change() as db:
        await db.execute(text("UPDATE runs SET marks = NULL"))
    async with store.read() as db:
        assert (await runs.get(db, run.id)).marks is None


async def test_what_calls_used_is_never_set_back(
    store: Store, run: RunRow, new_message: NewMessage
) -> None:
    """Of a command agent's calls another process may have told meanwhile."""
    async with store.change() as db:
        await runs.change(db, run.id, usage=Usage(input_tokens=9, cost_micros=500))
    older = Progress(steps=3, edits=1, usage=Usage(input_tokens=20, cost_micros=77))
    writer_of(store).append(run.id, 1, new_message(0), older)
    await writer_of(store).flush()
    async with store.read() as db:
        row = await runs.get(db, run.id)
    assert row.usage == Usage(input_tokens=20, cost_micros=500)
    assert (row.steps, row.edits) == (3, 1)

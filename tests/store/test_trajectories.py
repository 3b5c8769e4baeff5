from collections.abc import Callable

from yudai.domain.ids import RunId
from yudai.domain.trajectory import TrajectoryMessage
from yudai.ports.agent import Progress
from yudai.store import runs, trajectories
from yudai.store.store import Store
from yudai.store.tables import RunRow

NewMessage = Callable[..., TrajectoryMessage]
NewProgress = Callable[[int], Progress]


async def test_messages_come_back_as_they_were(
    store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    body = {"role": "tool", "content": "naïve 🐍", "extra": {"n": [1, 2.5, None, True]}}
    said = [new_message(0), new_message(1, role="tool", body=body), new_message(2)]
    for message in said:
        store.writer.append(run.id, 1, message, new_progress(message.seq))
    await store.writer.flush()
    async with store.read() as db:
        assert await trajectories.messages(db, run.id) == said
        assert await trajectories.messages(db, run.id, after=0, limit=1) == said[1:2]
        assert await trajectories.messages(db, run.id, after=2) == []
        assert await trajectories.messages(db, RunId("nobody")) == []
        assert await trajectories.count(db, run.id) == 3
        assert await trajectories.count(db, RunId("nobody")) == 0


async def test_the_present_attempt_is_shown_unless_another_is_named(
    store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    store.writer.append(run.id, 1, new_message(0, "first"), new_progress(0))
    store.writer.append(run.id, 1, new_message(1, "first"), new_progress(1))
    async with store.change() as db:
        await runs.change(db, run.id, attempt=2)
        assert await trajectories.messages(db, run.id) == []
    store.writer.append(run.id, 2, new_message(0, "second"), new_progress(0))
    await store.writer.flush()
    async with store.read() as db:
        (message,) = await trajectories.messages(db, run.id)
        assert message.body["content"] == "second"
        assert await trajectories.count(db, run.id) == 1
        assert await trajectories.count(db, run.id, attempt=1) == 2
        assert len(await trajectories.messages(db, run.id, attempt=1)) == 2

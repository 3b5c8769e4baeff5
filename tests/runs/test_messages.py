from collections.abc import Callable

from sqlalchemy import text

from tests.support.trajectories import answered, called
from yudai.kit.ids import RunId
from yudai.runs import messages as trajectories
from yudai.runs import queries as runs
from yudai.runs.domain.progress import Progress
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.runs.message_writer import writer_of
from yudai.runs.tables import MessageRow, RunRow
from yudai.store.store import Store

NewMessage = Callable[..., TrajectoryMessage]
NewProgress = Callable[[int], Progress]


async def test_messages_come_back_as_they_were(
    store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    body = {"role": "tool", "content": "naïve 🐍", "extra": {"n": [1, 2.5, None, True]}}
    said = [new_message(0), new_message(1, role="tool", body=body), new_message(2)]
    for message in said:
        writer_of(store).append(run.id, 1, message, new_progress(message.seq))
    await writer_of(store).flush()
    async with store.read() as db:
        assert await trajectories.messages(db, run.id) == said
        assert await trajectories.messages(db, run.id, after=0, limit=1) == said[1:2]
        assert await trajectories.messages(db, run.id, after=2) == []
        assert await trajectories.messages(db, RunId("nobody")) == []
        assert len(await trajectories.messages(db, run.id)) == 3
        assert len(await trajectories.messages(db, RunId("nobody"))) == 0


async def test_the_present_attempt_is_shown_unless_another_is_named(
    store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    writer_of(store).append(run.id, 1, new_message(0, "first"), new_progress(0))
    writer_of(store).append(run.id, 1, new_message(1, "first"), new_progress(1))
    async with store.change() as db:
        await runs.change(db, run.id, attempt=2)
        assert await trajectories.messages(db, run.id) == []
    writer_of(store).append(run.id, 2, new_message(0, "second"), new_progress(0))
    await writer_of(store).flush()
    async with store.read() as db:
        (message,) = await trajectories.messages(db, run.id)
        assert message.body["content"] == "second"
        assert len(await trajectories.messages(db, run.id)) == 1
        assert len(await trajectories.messages(db, run.id, attempt=1)) == 2
        assert len(await trajectories.messages(db, run.id, attempt=1)) == 2


def _edited(edit: int) -> dict[str, object]:
    return {"role": "tool", "extra": {"returncode": 0, "edit": edit, "diff": f"of {edit}"}}


async def test_the_newest_edit_up_to_a_message(
    store: Store, run: RunRow, new_message: NewMessage, new_progress: NewProgress
) -> None:
    bodies = [{"role": "tool"}, _edited(1), {"role": "tool"}, _edited(2), {"role": "tool"}]
    for seq, body in enumerate(bodies):
        writer_of(store).append(run.id, 1, new_message(seq, body=body), new_progress(seq))
    writer_of(store).append(run.id, 2, new_message(0, body=_edited(7)), new_progress(0))
    await writer_of(store).flush()

    async def found(upto: int | None, attempt: int = 1) -> tuple[int, int] | None:
        async with store.read() as db:
            edit = await trajectories.newest_edit(db, run.id, attempt=attempt, upto=upto)
        return None if edit is None else (edit.seq, edit.number)

    assert [await found(seq) for seq in range(6)] == [None, (1, 1), (1, 1), (3, 2), (3, 2), (3, 2)]
    assert await found(None) == (3, 2)
    assert await found(0, attempt=2) == (0, 7)
    assert await found(9, attempt=3) is None
    async with store.read() as db:
        assert await trajectories.has(db, run.id, 4, attempt=1)
        assert not await trajectories.has(db, run.id, 5, attempt=1)
        assert not await trajectories.has(db, RunId("nobody"), 0, attempt=1)


async def test_an_edit_is_found_by_its_index(store: Store, run: RunRow) -> None:
    if store.database.engine.dialect.name != "sqlite":
        return  # PostgreSQL scans a table that is nearly empty
    query = (
        "EXPLAIN QUERY PLAN SELECT seq, edit, body FROM trajectory_messages WHERE run_id = 'a'"
        " AND attempt = 1 AND edit IS NOT NULL AND seq <= 9 ORDER BY seq DESC LIMIT 1"
    )
    async with store.read() as db:
        [plan] = (await db.execute(text(query))).all()
    assert "ix_trajectory_messages_run_id_attempt_seq" in plan[3]


async def test_what_is_stored_at_once_knows_its_tests_too(store: Store, run: RunRow) -> None:
    bodies = [called("pytest", "1"), answered("1 passed", "1"), called("ls", "2"), _edited(1)]
    messages = [
        TrajectoryMessage(seq=seq, step=seq, role="x", at=0.0, body=body)
        for seq, body in enumerate(bodies)
    ]
    async with store.change() as db:
        await trajectories.add_all(db, run.id, messages)
        found = await trajectories.page_after(db, run.id, after=-1, limit=9)
    assert [(one.is_test, one.edit) for one in found] == [
        *((True, None), (True, None), (False, None), (False, 1))
    ]


async def test_messages_of_the_version_before_are_read(store: Store, run: RunRow) -> None:
    row = MessageRow(run_id=run.id, attempt=1, seq=0, step=0, role="tool", at=0.0, body="{}")
    async with store.change() as db:
        db.add(row)
    async with store.read() as db:
        [found] = await trajectories.page_after(db, run.id, after=-1, limit=9)
    assert (found.is_test, found.edit) == (None, None)

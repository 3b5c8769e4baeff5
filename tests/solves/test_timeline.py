import asyncio
from collections.abc import Callable

from sqlalchemy import text

from yudai.kit.ids import SolveId
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves import timeline as events
from yudai.solves.tables import SolveRow
from yudai.store.store import Store


async def test_events_are_read_from_a_cursor_on(
    store: Store, run: RunRow, new_solve: Callable[..., SolveRow]
) -> None:
    async with store.change() as db:
        await solves.add(db, new_solve("other"))
        await events.append(db, SolveId("other"), kind="noted", at=0.0)
        for number in range(5):
            await events.append(
                db, run.solve_id, kind="noted", at=float(number), run_id=run.id, data={"n": number}
            )
    async with store.read() as db:
        first = await events.after(db, run.solve_id, limit=3)
        rest = await events.after(db, run.solve_id, first[-1].id)
        assert await events.after(db, run.solve_id, rest[-1].id) == []
    assert [event.data["n"] for event in first] == [0, 1, 2]
    assert [event.data["n"] for event in rest] == [3, 4]
    assert {event.run_id for event in first} == {run.id}


async def test_a_cursor_is_never_given_twice(store: Store, run: RunRow) -> None:
    async with store.change() as db:
        first = await events.append(db, run.solve_id, kind="noted", at=1.0)
    async with store.change() as db:
        await db.execute(text("DELETE FROM events"))
    async with store.change() as db:
        assert (await events.append(db, run.solve_id, kind="noted", at=2.0)).id > first.id


async def test_a_reader_with_a_cursor_misses_nothing(url: str, store: Store, run: RunRow) -> None:
    """Two stores stand for two processes that append at once, in transactions that overlap."""

    async def append(writer: Store, name: str) -> None:
        for number in range(10):
            async with writer.change() as db:
                await events.append(db, run.solve_id, kind="noted", at=1.0)
                await asyncio.sleep(0)
                await events.append(db, run.solve_id, kind="noted", at=1.0, data={name: number})

    async def read(until: asyncio.Future[None]) -> list[int]:
        seen: list[int] = []
        is_last = False
        while not is_last:
            is_last = until.done()
            async with store.read() as db:
                cursor = seen[-1] if seen else 0
                seen += [row.id for row in await events.after(db, run.solve_id, cursor)]
        return seen

    ended = asyncio.get_running_loop().create_future()
    reading = asyncio.create_task(read(ended))
    async with await Store.open(url) as other, asyncio.TaskGroup() as group:
        for name, writer in (("a", store), ("b", other), ("c", store), ("d", other)):
            group.create_task(append(writer, name))
    ended.set_result(None)
    async with store.read() as db:
        assert await reading == [row.id for row in await events.after(db, run.solve_id)]
        assert len(await reading) == 80

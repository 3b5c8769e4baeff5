import asyncio

from yudai.artifacts import queries as artifacts
from yudai.artifacts.port import ArtifactKind, ArtifactRef
from yudai.runs.tables import RunRow
from yudai.store.store import Store

OLD = ArtifactRef(kind=ArtifactKind.PATCH, sha256="a" * 64, size=1)
NEW = ArtifactRef(kind=ArtifactKind.PATCH, sha256="b" * 64, size=2)
LOG = ArtifactRef(kind=ArtifactKind.TEST_LOG, sha256="c" * 64, size=1 << 40)


async def test_the_last_one_of_each_kind_counts(store: Store, run: RunRow) -> None:
    async with store.change() as db:
        await artifacts.add(db, run.solve_id, run.id, OLD, at=1.0)
        await artifacts.add(db, run.solve_id, run.id, LOG, at=1.0)
    async with store.change() as db:
        await artifacts.add(db, run.solve_id, run.id, NEW, at=2.0)
        await artifacts.add(db, run.solve_id, run.id, NEW, at=3.0)
    async with store.read() as db:
        assert await artifacts.of_run(db, run.id) == {NEW.kind: NEW, LOG.kind: LOG}
        assert await artifacts.of_solve(db, run.solve_id) == {}


async def test_two_may_add_the_same_kind_at_once(url: str, store: Store, run: RunRow) -> None:
    async def add(place: Store, ref: ArtifactRef) -> None:
        async with place.change() as db:
            await artifacts.add(db, run.solve_id, run.id, ref, at=1.0)
            await asyncio.sleep(0)

    async with await Store.open(url) as other, asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(add(store, OLD))
            group.create_task(add(other, NEW))
    async with store.read() as db:
        assert (await artifacts.of_run(db, run.id))[ArtifactKind.PATCH] in (OLD, NEW)


async def test_a_solves_own_are_kept_apart_and_unique_too(store: Store, run: RunRow) -> None:
    async with store.change() as db:
        await artifacts.add(db, run.solve_id, None, OLD, at=1.0)
        await artifacts.add(db, run.solve_id, None, NEW, at=2.0)
        await artifacts.add(db, run.solve_id, run.id, OLD, at=2.0)
    async with store.read() as db:
        assert await artifacts.of_solve(db, run.solve_id) == {NEW.kind: NEW}
        assert await artifacts.of_run(db, run.id) == {OLD.kind: OLD}

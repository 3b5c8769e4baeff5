"""Rows of sandboxes, of bases and of their builders, on both databases."""

import asyncio

import pytest
from sqlalchemy import select

from tests.support.rows import RUN, SOLVE, NewRun, NewSolve
from yudai.kit.ids import WorkerId
from yudai.operations import queries as counts
from yudai.runs import queries as runs
from yudai.runs.domain.states import RunState
from yudai.runs.queries import sandbox_tags
from yudai.sandboxes import queries as sandboxes
from yudai.sandboxes.port import Tags
from yudai.sandboxes.queries import Kept
from yudai.sandboxes.register import BaseEntry, SandboxEntry
from yudai.sandboxes.tables import BaseRow, SandboxRow
from yudai.solves import queries as solves
from yudai.solves.domain.states import SolveState
from yudai.store.holders import Holder
from yudai.store.store import Store

NOW = 1000.0
ONE, TWO = Holder(WorkerId("one"), "here", 1), Holder(WorkerId("two"), "there", 2)
BASE = ("e2b", "key")
HOSTILE = "a\x00b\ud800c"


async def opened(store: Store, *ids: str, holder: Holder = ONE, backend: str = "e2b") -> None:
    async with store.change() as db:
        for sandbox_id in ids:
            entry = SandboxEntry(
                id=sandbox_id, backend=backend, owner="run", tags=Tags(run=sandbox_id)
            )
            await sandboxes.open_sandbox(db, entry, holder, now=NOW)


async def kept(store: Store, backend: str | None = None, *, now: float = NOW) -> list[Kept]:
    async with store.read() as db:
        return await sandboxes.open_sandboxes(db, backend, now=now)


async def row(store: Store, sandbox_id: str) -> SandboxRow:
    async with store.read() as db:
        return (await db.scalars(select(SandboxRow).where(SandboxRow.id == sandbox_id))).one()


async def test_the_first_name_of_an_installation_stays(store: Store):
    async with store.change() as db:
        assert await sandboxes.installation(db) is None
        await sandboxes.name_installation(db, "first")
        await sandboxes.name_installation(db, "second")
        assert await sandboxes.installation(db) == "first"


async def test_of_many_names_at_once_one_stays(store: Store):
    async def choose(name: str) -> str | None:
        async with store.change() as db:
            await sandboxes.name_installation(db, name)
            return await sandboxes.installation(db)

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(choose(f"name-{number}")) for number in range(5)]
    assert len({task.result() for task in tasks}) == 1


async def test_open_rows_of_one_backend_or_of_all(store: Store):
    await opened(store, "b", "a")
    await opened(store, "c", holder=TWO, backend="prime")
    async with store.change() as db:
        assert await sandboxes.close_sandbox(db, "b", reaped=False, now=NOW)
    assert [(one.row.id, one.seen.holder) for one in await kept(store, "e2b")] == [("a", ONE)]
    assert sorted(one.row.id for one in await kept(store)) == ["a", "c"]
    assert (await kept(store, "e2b"))[0].row.tags == Tags(run="a")


async def test_which_backends_have_open_rows_or_bases(store: Store):
    await opened(store, "a", "b")
    await opened(store, "c", backend="prime")
    async with store.change() as db:
        await sandboxes.close_sandbox(db, "c", reaped=False, now=NOW)
        await sandboxes.keep_base(
            db, BaseEntry(backend="container", key="k", external="i"), now=NOW
        )
    async with store.read() as db:
        assert await sandboxes.backends(db) == {"e2b", "container"}


async def test_ages_are_reported_by_the_databases_own_clock_where_machines_have_their_own(
    store: Store, database_kind: str
):
    await opened(store, "a")
    [one] = await kept(store, now=NOW + 500)
    if database_kind == "postgresql":
        assert 0 <= one.age_s < 100
        assert 0 <= one.seen.silent_s < 100
    else:
        assert (one.age_s, one.seen.silent_s) == (500, 500)
    [earlier] = await kept(store, now=NOW - 500)
    assert earlier.age_s >= 0


async def test_a_beat_is_for_the_open_sandboxes_of_one_process(store: Store):
    await opened(store, "open", "closed")
    await opened(store, "other", holder=TWO)
    async with store.change() as db:
        await sandboxes.close_sandbox(db, "closed", reaped=False, now=NOW)
    before = {name: (await row(store, name)).beat_at for name in ("open", "closed", "other")}
    async with store.change() as db:
        await sandboxes.beat(db, ONE, now=NOW + 5)
    after = {name: (await row(store, name)).beat_at for name in before}
    assert after["open"] > before["open"]
    assert (after["closed"], after["other"]) == (before["closed"], before["other"])


async def test_one_that_its_process_could_not_remove_counts_as_reaped_later(store: Store):
    await opened(store, "a")
    async with store.change() as db:
        assert await sandboxes.close_sandbox(db, "a", reaped=False, now=NOW)
    closed_at = (await row(store, "a")).closed_at
    assert closed_at is not None
    async with store.change() as db:
        assert not await sandboxes.close_sandbox(db, "a", reaped=True, now=NOW + 9)
    found = await row(store, "a")
    assert (found.reaped, found.closed_at) == (True, closed_at)
    async with store.change() as db:
        assert not await sandboxes.close_sandbox(db, "a", reaped=False, now=NOW)
    assert (await row(store, "a")).reaped


async def test_hostile_words_are_kept_as_far_as_a_database_takes_them(store: Store):
    entry = SandboxEntry(id="a", backend="e2b", owner=HOSTILE, tags=Tags(issue="n\x00u\u2028l"))
    async with store.change() as db:
        await sandboxes.open_sandbox(db, entry, ONE, now=NOW)
        await sandboxes.name_sandbox(db, "a", HOSTILE)
        await sandboxes.name_sandbox(db, "nobody", "x")
    found = await row(store, "a")
    assert "\x00" not in found.owner + found.external
    assert found.tags.issue.startswith("n")


async def test_of_many_builders_at_once_one_has_the_turn(store: Store):
    async def take(number: int) -> bool:
        async with store.change() as db:
            return await sandboxes.take_turn(
                db, BASE, Holder(WorkerId(f"h-{number}"), "h", number), now=NOW
            )

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(take(number)) for number in range(5)]
    assert sum(task.result() for task in tasks) == 1


async def test_a_turn_is_taken_over_as_it_was_seen_or_not_at_all(store: Store):
    async with store.change() as db:
        assert await sandboxes.builder(db, *BASE, now=NOW) is None
        assert await sandboxes.take_turn(db, BASE, ONE, now=NOW)
    async with store.read() as db:
        seen = await sandboxes.builder(db, *BASE, now=NOW + 3)
    assert seen is not None
    assert seen.holder == ONE
    assert 0 <= seen.silent_s < 100
    async with store.change() as db:
        assert await sandboxes.beat_turn(db, BASE, ONE, now=NOW + 4)
    async with store.change() as db:
        assert not await sandboxes.take_turn(db, BASE, TWO, now=NOW, instead_of=seen)
        again = await sandboxes.builder(db, *BASE, now=NOW)
    async with store.change() as db:
        assert await sandboxes.take_turn(db, BASE, TWO, now=NOW, instead_of=again)
        assert not await sandboxes.beat_turn(db, BASE, ONE, now=NOW)
        await sandboxes.end_turn(db, BASE, ONE)
        assert await sandboxes.beat_turn(db, BASE, TWO, now=NOW)
        await sandboxes.end_turn(db, BASE, TWO)
        assert await sandboxes.builder(db, *BASE, now=NOW) is None


async def test_bases_are_listed_last_used_first_and_without_their_logs(store: Store):
    async with store.change() as db:
        for number, key in enumerate(("old", "new")):
            entry = BaseEntry(backend="e2b", key=key, external=key, setup_log=b"log")
            await sandboxes.keep_base(db, entry, now=NOW + number)
        await sandboxes.use_base(db, "e2b", "old", now=NOW + 9)
        listed = await sandboxes.bases(db, "e2b")
    assert [entry.key for entry in listed] == ["old", "new"]
    assert {entry.setup_log for entry in listed} == {b""}


@pytest.mark.parametrize("size", [0, sandboxes.MAX_LOG, sandboxes.MAX_LOG + 1])
async def test_a_log_fits_whatever_its_size(store: Store, size: int):
    log = bytes(number % 256 for number in range(1000)) * (size // 1000 + 1)
    log = log[:size]
    async with store.change() as db:
        entry = BaseEntry(backend="e2b", key="k", external="x", setup_log=log)
        await sandboxes.keep_base(db, entry, now=NOW)
    async with store.read() as db:
        stored = (await db.scalars(select(BaseRow.setup_log))).one()
    assert (stored == log) is (size <= sandboxes.MAX_LOG)
    assert len(stored) <= sandboxes.MAX_LOG


async def test_the_owner_of_a_sandbox_tells_whose_it_is(
    store: Store, new_solve: NewSolve, new_run: NewRun
):
    async with store.change() as db:
        facts = {"user_id": "u-1", "conversation_id": "c-1", "repo": "o/r", "issue_number": 7}
        await solves.add(db, new_solve(**facts))
        await solves.add(db, new_solve("folder", user_id="u-2"))
        await runs.add_all(db, [new_run()])
    of_solve = Tags(solve=SOLVE, conversation="c-1", issue="o/r#7", user="u-1")
    async with store.read() as db:
        assert await sandbox_tags(db, RUN) == of_solve.model_copy(update={"run": RUN})
        assert await sandbox_tags(db, SOLVE) == of_solve
        assert await sandbox_tags(db, "folder") == Tags(solve="folder", user="u-2")
        assert await sandbox_tags(db, "nobody") == Tags()


async def test_counts(store: Store, new_solve: NewSolve, new_run: NewRun):
    await opened(store, "a", "b", "c")
    async with store.change() as db:
        await solves.add(db, new_solve())
        await runs.add_all(db, [new_run()])
        await sandboxes.close_sandbox(db, "a", reaped=True, now=NOW)
        await sandboxes.close_sandbox(db, "b", reaped=False, now=NOW)
    async with store.read() as db:
        found = await counts.count(db)
    assert found == ({SolveState.QUEUED: 1}, {RunState.QUEUED: 1}, {"e2b": 1})

"""Lists of solves: which ones, and what stands in other rows, on both databases."""

from collections.abc import Callable
from pathlib import Path

from yudai.forge.ports.folder import Snapshot
from yudai.kit.ids import RunId
from yudai.runs import queries as runs
from yudai.runs.domain.states import RunState
from yudai.runs.queries import durations
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves.domain.matrix import Contestant
from yudai.solves.domain.states import SolveState
from yudai.solves.tables import SolveRow
from yudai.store.store import Store
from yudai.verification.domain.verdict import Verdict, VerdictStatus
from yudai.views import solve_queries as pages
from yudai.views.solve_queries import UsedRepository, Which

NewSolve = Callable[..., SolveRow]
NewRun = Callable[..., RunRow]
PASSED = Verdict(status=VerdictStatus.PASSED)


async def found(store: Store, which: Which) -> list[str]:
    async with store.read() as db:
        return [row.id for row in await pages.page(db, which, limit=10)]


async def test_filters_narrow_a_list(store: Store, new_solve: NewSolve):
    async with store.change() as db:
        for row in (
            new_solve("a", user_id="ada", created_at=3.0, repo="Own/One", issue_title="50% off"),
            new_solve("b", user_id="ada", created_at=2.0, repo="own/two", issue_title="a_b c\\d"),
            new_solve("c", user_id="ada", state=SolveState.FAILED, repo="own/one"),
            new_solve("d", user_id="bob", repo="own/one"),
        ):
            await solves.add(db, row)
    assert await found(store, Which("ada")) == ["a", "b", "c"]
    assert await found(store, Which("ada", (SolveState.FAILED,))) == ["c"]
    both = (SolveState.FAILED, SolveState.QUEUED)
    assert await found(store, Which("ada", both)) == ["a", "b", "c"]
    assert await found(store, Which("ada", repo="own/one")) == ["c"]
    for words, ids in {
        "OWN/o": ["a", "c"],
        "50%": ["a"],
        "0% O": ["a"],
        "%": ["a"],
        "_": ["b"],
        "A_B": ["b"],
        "\\": ["b"],
        "sums": ["c"],
        "'": [],
        "\0": [],
    }.items():
        assert await found(store, Which("ada", words=words)) == ids, words


async def test_champions_come_with_their_verdicts(
    store: Store, new_solve: NewSolve, new_run: NewRun
):
    async with store.change() as db:
        await solves.add(db, new_solve("a", champion_run_id=RunId("r2")))
        await solves.add(db, new_solve("b"))
        await runs.add_all(
            db,
            [
                new_run("r1", solve_id="a"),
                new_run("r2", solve_id="a", position=1, handle="best", verdict=PASSED),
                new_run("r3", solve_id="b"),
            ],
        )
    async with store.read() as db:
        told = await pages.champions(db, ["a", "b", "none"])  # pyright: ignore[reportArgumentType]
        assert await pages.champions(db, []) == {}
    assert told == {"a": ("best", PASSED, None)}


async def test_what_solves_were_of(store: Store, new_solve: NewSolve):
    snapshot = Snapshot(
        repo="x", root=Path("/x"), branch="main", commit="c", tree="t", source=Path("/s")
    )
    async with store.change() as db:
        await solves.add(db, new_solve("a", user_id="ada", repo="x", snapshot=snapshot))
        await solves.add(db, new_solve("b", user_id="ada", repo_url="https://h/o/r", created_at=2))
        await solves.add(db, new_solve("c", user_id="bob"))
    async with store.read() as db:
        used = await pages.used(db, "ada", limit=9)
        assert await pages.used(db, "ada", limit=1) == used[:1]
    assert used == [
        UsedRepository("sample", "https://h/o/r", None, 2.0),
        UsedRepository("x", "", snapshot, 1.0),
    ]


async def test_how_long_completed_runs_of_the_newest_solves_took(
    store: Store,
    new_solve: NewSolve,
    new_run: NewRun,
    new_contestant: Callable[[str], Contestant],
):
    done = {"state": RunState.COMPLETED, "started_at": 10.0, "finished_at": 14.5}
    async with store.change() as db:
        for solve_id, user, at in (("old", "ada", 1), ("new", "ada", 2), ("bob", "bob", 3)):
            await solves.add(db, new_solve(solve_id, user_id=user, created_at=at))
        await runs.add_all(
            db,
            [
                new_run("r1", solve_id="old", handle="h1", **done),
                new_run("r2", solve_id="new", handle="h2", **done),
                new_run("r3", solve_id="new", position=1, started_at=1.0),
                new_run("r4", solve_id="new", position=2, **(done | {"state": RunState.FAILED})),
                new_run("r5", solve_id="bob", **done),
            ],
        )
    async with store.read() as db:
        assert await durations(db, "ada", newest=1) == [(new_contestant("h2"), 4.5)]
        assert len(await durations(db, "ada", newest=5)) == 2

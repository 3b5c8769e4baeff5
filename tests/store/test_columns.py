from collections.abc import Callable

from sqlalchemy import select, text

from yudai.runs import queries as runs
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves.domain.matrix import Contestant, Matrix
from yudai.solves.domain.strategies import Strategy
from yudai.solves.tables import SolveRow
from yudai.store.store import Store
from yudai.testing.domain.report import Baseline, Outcome, TestReport
from yudai.verification.domain.verdict import Evidence, Verdict, VerdictStatus

REPORT = TestReport(outcomes={"t.py::test_a[ä]": Outcome.PASSED}, exit_code=0, finished=True)
VERDICT = Verdict(
    status=VerdictStatus.PASSED,
    fixed=("t.py::test_b",),
    evidence=Evidence(proved_by=("t.py::test_b",), executed=3),
    summary="one test went from red to green",
)


async def test_values_come_back_as_themselves(
    store: Store, new_solve: Callable[..., SolveRow], new_contestant: Callable[[str], Contestant]
) -> None:
    matrix = Matrix(models=("a/b", "c/d"), strategies=(Strategy.TEST_FIRST,), max_edits=(1, 2))
    left_out = (new_contestant("x"), new_contestant("y"))
    baseline = Baseline(first=REPORT, second=REPORT, command="pytest -q")
    async with store.change() as db:
        await solves.add(db, new_solve(matrix=matrix, not_started=left_out, baseline=baseline))
    async with store.read() as db:
        row = await solves.find(db, "latest")
    assert (row.matrix, row.not_started, row.baseline) == (matrix, left_out, baseline)


async def test_none_is_null(store: Store, run: RunRow) -> None:
    async with store.change() as db:
        assert (await runs.change(db, run.id, verdict=VERDICT)).verdict == VERDICT
        assert (await runs.change(db, run.id, verdict=None)).verdict is None
        assert (await db.scalar(text("SELECT verdict IS NULL FROM runs"))) == 1


async def test_values_can_be_compared_in_a_query(store: Store, run: RunRow) -> None:
    async with store.change() as db:
        await runs.change(db, run.id, verdict=VERDICT)
        assert (await db.scalar(select(RunRow.id).where(RunRow.verdict == VERDICT))) == run.id


async def test_states_are_kept_as_their_words(store: Store, run: RunRow) -> None:
    async with store.read() as db:
        assert await db.scalar(text("SELECT state FROM runs")) == "queued"


async def test_text_from_outside_cannot_break_a_row(store: Store, run: RunRow) -> None:
    hostile = "a\x00b\ud800c"
    verdict = VERDICT.model_copy(update={"summary": hostile})
    async with store.change() as db:
        row = await runs.change(
            db, run.id, error=hostile, verdict=verdict, diagnostics={"said": [hostile]}
        )
    assert row.error == "a\ufffdb\ufffdc"
    assert row.verdict is not None
    assert row.verdict.summary == row.error
    assert row.diagnostics == {"said": [row.error]}

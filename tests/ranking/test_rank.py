"""Which limit kept a solve from an answer."""

from pathlib import Path

import pytest

from yudai.kit.causes import Cause
from yudai.kit.ids import RunId, SolveId
from yudai.ranking.rank import stopped_by
from yudai.runs.tables import RunRow
from yudai.sandboxes.port import BaseSpec
from yudai.solves.domain.budget import Budget
from yudai.solves.domain.matrix import Contestant, Matrix
from yudai.solves.domain.strategies import Strategy
from yudai.solves.tables import SolveRow

CONTESTANT = Contestant(
    agent="mini-swe-agent",
    model="m",
    temperature=0.2,
    max_edits=1,
    strategy=Strategy.BALANCED,
    handle="h",
)


def solve() -> SolveRow:
    return SolveRow(
        id=SolveId("s"),
        repo="r",
        issue_title="t",
        issue_body="",
        matrix=Matrix(models=("m",)),
        budget=Budget(time_budget_s=10, cost_cap_micros=1000, run_cost_cap_micros=500),
        reducer="simple",
        sandbox_backend="bubblewrap",
        base=BaseSpec(key="k", source=Path("x.tar")),
        created_at=0.0,
        started_at=1.0,
    )


def run(cause: Cause | None, cost_micros: int = 0) -> RunRow:
    return RunRow(
        id=RunId("r"),
        solve_id=SolveId("s"),
        position=0,
        handle="h",
        contestant=CONTESTANT,
        queued_at=0.0,
        cause=cause,
        cost_micros=cost_micros,
    )


@pytest.mark.parametrize(
    ("rows", "limit"),
    [
        ([run(Cause.OUT_OF_TIME)], "the time budget of 10 s"),
        ([run(Cause.OUT_OF_BUDGET, 1000)], "the cost cap of $0.001"),
        ([run(Cause.OUT_OF_BUDGET, 500)], "a cost cap"),
        # It is only late: verification took longer than the solve had, and nobody was stopped.
        ([run(None, 1000)], None),
        ([run(Cause.EMPTY_PATCH, 1000)], None),
    ],
)
def test_a_limit_counts_only_where_it_stopped_someone(rows: list[RunRow], limit: str | None):
    assert stopped_by(solve(), rows, now=12.0) == limit


def test_a_run_that_used_up_its_own_time_did_not_use_up_the_solves():
    assert stopped_by(solve(), [run(Cause.OUT_OF_TIME)], now=9.0) is None

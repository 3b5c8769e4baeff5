"""Solves as they stand in the database, made without running anything."""

from pathlib import Path
from typing import Any

from tests.support.trajectories import CHAT, DIFF
from yudai.artifacts import queries as artifacts
from yudai.artifacts.context import Context
from yudai.artifacts.port import ArtifactKind
from yudai.kit.ids import RunId, SolveId
from yudai.runs import messages as trajectories
from yudai.runs import queries as runs
from yudai.runs.domain.states import RunState
from yudai.runs.domain.trajectory.steps import number_turns
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.runs.tables import RunRow
from yudai.sandboxes.port import BaseSpec
from yudai.solves import queries as solves
from yudai.solves.domain.budget import Budget
from yudai.solves.domain.matrix import Contestant, Matrix
from yudai.solves.domain.states import SolveState
from yudai.solves.domain.strategies import Strategy
from yudai.solves.tables import SolveRow
from yudai.testing.domain.report import Baseline, Outcome, TestReport
from yudai.verification.domain.verdict import Evidence, Verdict, VerdictStatus

SOLVE = SolveId("0190a000-0000-7000-8000-00000000aaaa")
REPORT = TestReport(
    outcomes={"t.py::old": Outcome.PASSED, "t.py::red": Outcome.FAILED}, exit_code=1, finished=True
)


def run_id(position: int, solve_id: SolveId = SOLVE) -> RunId:
    return RunId(f"{solve_id[:-4]}{solve_id[-2:]}{position:02x}")


def passed(**evidence: Any) -> Verdict:
    facts = Evidence(executed=2, proved_by=("t.py::red",), **evidence)
    return Verdict(
        status=VerdictStatus.PASSED, fixed=("t.py::red",), evidence=facts, summary="red to green"
    )


def failed(**changes: Any) -> Verdict:
    facts = Evidence(executed=2, **changes.pop("evidence", {}))
    return Verdict(status=VerdictStatus.FAILED, evidence=facts, summary="breaks it", **changes)


class Ring:
    """Puts a solve and its runs where commands find them."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.store = context.store

    async def solve(self, *verdicts: Verdict | None, **changes: Any) -> SolveId:
        """One run per verdict, in the order of their places; the first is the champion."""
        now = self.context.clock.now()
        columns: dict[str, Any] = {
            "id": SOLVE,
            "repo": "toy",
            "issue_title": "x is \x1b[31mwrong",
            "issue_body": "",
            "matrix": Matrix(models=("vendor/fast",)),
            "budget": Budget(),
            "reducer": "simple",
            "sandbox_backend": "bubblewrap",
            "base": BaseSpec(key="base-1", source=Path("source.tar")),
            "base_commit": "1234567890abcdef",
            "baseline": Baseline(first=REPORT, second=REPORT, command="pytest"),
            "state": SolveState.AWAITING_REVIEW,
            "created_at": now - 10,
            "started_at": now - 10,
            "finished_at": now,
        }
        row = SolveRow(**(columns | changes))
        if verdicts and row.state is SolveState.AWAITING_REVIEW:
            row.champion_run_id = run_id(0, row.id)
        async with self.store.change() as db:
            await solves.add(db, row)
            await runs.add_all(db, [self._run(row, n, v) for n, v in enumerate(verdicts)])
        for position in range(len(verdicts)):
            await self._fill(row.id, position)
        return row.id

    def _run(self, solve: SolveRow, position: int, verdict: Verdict | None) -> RunRow:
        handle = f"fast-t0.{position}-e5-balanced"
        contestant = Contestant(
            agent="mini-swe-agent",
            model="vendor/fast",
            temperature=position / 10,
            max_edits=5,
            strategy=Strategy.BALANCED,
            handle=handle,
        )
        return RunRow(
            id=run_id(position, solve.id),
            solve_id=solve.id,
            position=position,
            handle=handle,
            contestant=contestant,
            state=RunState.RUNNING if verdict is None else RunState.COMPLETED,
            verdict=verdict,
            queued_at=solve.created_at,
            steps=2,
            message_count=len(CHAT),
            files_changed=1,
            lines_changed=2,
            cost_micros=2500,
            latency_ms=1500,
            rank=None if verdict is None else position + 1,
            why="" if verdict is None else verdict.summary,
        )

    async def _fill(self, solve_id: SolveId, position: int) -> None:
        run = run_id(position, solve_id)
        patch = DIFF if not position else DIFF.replace("app.py", "other.py") + DIFF
        ref = await self.context.artifacts.put(ArtifactKind.PATCH, patch.encode())
        messages = [
            TrajectoryMessage(seq=seq, step=step, role=str(body["role"]), at=float(seq), body=body)
            for seq, (body, step) in enumerate(zip(CHAT, number_turns(CHAT), strict=True))
        ]
        async with self.store.change() as db:
            await artifacts.add(db, solve_id, run, ref, at=0.0)
            await trajectories.add_all(db, run, messages)

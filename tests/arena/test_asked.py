"""A solve with real sandboxes that asks: its answer executes nothing twice."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from tests.arena.test_flow import Arena, arena, good, only
from tests.decisions.questions import EXPECTATION
from yudai.arena.conclude import Concluder, Decision
from yudai.arena.flow import SolveFlow
from yudai.cli.show.result import exit_code
from yudai.decisions.answer import Answer, Answers
from yudai.kit.ids import LOCAL_USER, RunId, SolveId
from yudai.runs import queries as runs
from yudai.solves import timeline as events
from yudai.verification.domain.question import PersonAnswer
from yudai.verification.domain.verdict import Verdict, VerdictStatus
from yudai.views import documents

__all__ = ["arena"]
pytestmark = pytest.mark.real_on("postgresql")


class Doubtful:
    """Believes a passed run only when a person says so."""

    def __init__(self, arena: Arena) -> None:
        self.store = arena.app.context.store
        self.known: dict[RunId, Verdict] = {}

    async def decide(self, solve_id: SolveId, answers: Sequence[PersonAnswer]) -> Decision:
        if not self.known:
            async with self.store.read() as db:
                rows = await runs.of_solve(db, solve_id)
            self.known = {row.id: row.verdict for row in rows if row.verdict}
        if answers:
            return Decision(verdicts=self.known)
        doubt = {"status": VerdictStatus.UNPROVED}
        verdicts = {run: one.model_copy(update=doubt) for run, one in self.known.items()}
        return Decision(verdicts=verdicts, questions=(EXPECTATION,))


async def test_an_answered_solve_is_ranked_again_without_its_base(arena: Arena, tmp_path: Path):
    app = arena.app
    flow = app.engine._flow
    assert isinstance(flow, SolveFlow)
    doubting = replace(flow, concluder=Concluder(app.context, Doubtful(arena)))
    app.engine._flow, app.engine._conclude = doubting, doubting.conclude
    asked = await arena.solve(good(arena))
    solve_id = SolveId(asked.solve.id)
    assert (asked.solve.state, asked.solve.champion) == ("awaiting_review", None)
    assert asked.solve.needs_answer
    assert exit_code(asked) == 2
    # What it was made of is gone, long before the person comes.
    for source in (tmp_path / "scripts").glob("source-*"):
        source.unlink()

    async def conclude(solve_id: SolveId, turn: int) -> None:
        await app.engine.conclude(solve_id, turn=turn)
        await app.engine.wait(solve_id, turn=turn)

    answers = Answers(app.context.store, app.context.clock, conclude)
    await answers.give(solve_id, Answer("", "accept", LOCAL_USER), owner_id=LOCAL_USER)
    document = await documents.document(app.context, solve_id)
    assert document.solve.champion == only(document).run_id
    assert exit_code(document) == 0
    async with app.context.store.read() as db:
        for once in ("base.prepared", "runs.cross_examined", "solve.started", "solve.offered"):
            assert await events.count(db, solve_id, once, run_id=None) == 1
        assert await events.count(db, solve_id, "solve.resumed", run_id=None) == 0

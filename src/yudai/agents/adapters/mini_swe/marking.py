"""Notes beside an observation, and marks of a lane: the first edit, and each run of tests."""

from typing import Any

from yudai.agents.adapters.edit_count import Look
from yudai.agents.adapters.observation import NOT_EXECUTED
from yudai.runs.domain.marks import Marks, RunMark, with_mark
from yudai.runs.domain.progress import Progress
from yudai.runs.domain.trajectory.kinds import IS_TEST
from yudai.testing.domain.agent_commands import passed, runs_tests


class Marking:
    def __init__(self) -> None:
        self.marks: Marks = ()

    def note(
        self, command: str, output: dict[str, Any], look: Look, *, at: float, progress: Progress
    ) -> dict[str, Any]:
        """Mark what has happened, and say what is to be kept of it beside the observation."""
        was_run = output["returncode"] != NOT_EXECUTED["returncode"]
        is_test = was_run and runs_tests(command)
        step, cost = progress.steps, progress.usage.cost_micros
        if look.edit is not None:
            self._add(RunMark(kind="edit", at=at, step=step, cost_micros=cost))
        if is_test:
            ok = passed(command, exit_code=output["returncode"], output=output["output"])
            self._add(RunMark(kind="test", at=at, step=step, cost_micros=cost, ok=ok))
        return look.notes | ({IS_TEST: True} if is_test else {})

    def _add(self, mark: RunMark) -> None:
        self.marks = with_mark(self.marks, mark)

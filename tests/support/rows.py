"""A store on both databases, and builders of rows."""

from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from yudai.gateway.domain.models import Usage
from yudai.kit.ids import RunId, SolveId
from yudai.runs import queries as runs
from yudai.runs.domain.progress import Progress
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.runs.tables import RunRow
from yudai.sandboxes.port import BaseSpec
from yudai.solves import queries as solves
from yudai.solves.domain.budget import Budget
from yudai.solves.domain.matrix import Contestant, Matrix
from yudai.solves.domain.strategies import Strategy
from yudai.solves.tables import SolveRow
from yudai.store.store import Store

SOLVE = SolveId("0190a000-0000-7000-8000-00000000aaaa")
RUN = RunId("0190a000-0000-7000-8000-00000000bbbb")

NewSolve = Callable[..., SolveRow]
NewRun = Callable[..., RunRow]
NewMessage = Callable[..., TrajectoryMessage]


@pytest.fixture
def url(database_url: str) -> str:
    return database_url


@pytest_asyncio.fixture
async def store(url: str) -> AsyncGenerator[Store]:
    async with await Store.open(url) as opened:
        yield opened


@pytest_asyncio.fixture
async def run(store: Store, new_solve: NewSolve, new_run: NewRun) -> RunRow:
    """A stored run of a stored solve."""
    async with store.change() as db:
        await solves.add(db, new_solve())
        row = new_run()
        await runs.add_all(db, [row])
    return row


@pytest.fixture
def new_solve() -> NewSolve:
    def build(solve_id: str = SOLVE, **changes: Any) -> SolveRow:
        columns: dict[str, Any] = {
            "repo": "sample",
            "issue_title": "Sums are wrong",
            "issue_body": "add(1, 2) is 4",
            "base": BaseSpec(key="base", source=Path("source.tar")),
            "matrix": Matrix(models=("vendor/model",)),
            "budget": Budget(),
            "reducer": "simple",
            "sandbox_backend": "bubblewrap",
            "created_at": 1.0,
        }
        return SolveRow(id=SolveId(solve_id), **(columns | changes))

    return build


@pytest.fixture
def new_run(new_contestant: Callable[[str], Contestant]) -> NewRun:
    def build(run_id: str = RUN, **changes: Any) -> RunRow:
        handle = changes.pop("handle", f"handle-{run_id}")
        columns: dict[str, Any] = {
            "solve_id": SOLVE,
            "position": 0,
            "handle": handle,
            "contestant": new_contestant(handle),
            "queued_at": 1.0,
        }
        return RunRow(id=RunId(run_id), **(columns | changes))

    return build


@pytest.fixture
def new_contestant() -> Callable[[str], Contestant]:
    def build(handle: str) -> Contestant:
        return Contestant(
            agent="mini-swe-agent",
            model="vendor/model",
            temperature=0.2,
            max_edits=10,
            strategy=Strategy.BALANCED,
            handle=handle,
        )

    return build


@pytest.fixture
def new_message() -> NewMessage:
    def build(seq: int, content: str = "hello", **changes: Any) -> TrajectoryMessage:
        body = {"role": "assistant", "content": content, "extra": {"seq": seq}}
        columns: dict[str, Any] = {"step": seq, "role": "assistant", "at": float(seq), "body": body}
        return TrajectoryMessage(seq=seq, **(columns | changes))

    return build


@pytest.fixture
def new_progress() -> Callable[[int], Progress]:
    def build(steps: int) -> Progress:
        usage = Usage(
            input_tokens=10 * steps,
            cached_tokens=steps,
            output_tokens=2 * steps,
            cost_micros=3 * steps,
        )
        return Progress(steps=steps, edits=steps // 2, usage=usage)

    return build

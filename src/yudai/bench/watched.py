"""Solves to be watched: as they stand in the database, without anybody who runs them."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass

from yudai.gateway.domain.usage import Usage
from yudai.kit.ids import RunId, SolveId
from yudai.kit.system_clock import SystemClock
from yudai.runs import messages as trajectories
from yudai.runs import queries as runs
from yudai.runs.domain.progress import Progress
from yudai.runs.domain.states import RunState
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.runs.message_writer import writer_of
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves.domain.budget import Budget
from yudai.solves.domain.matrix import DEFAULT_AGENT, Contestant, Matrix, Strategy
from yudai.solves.domain.states import SolveState
from yudai.solves.tables import SolveRow
from yudai.store.store import Store

LANES = 8
_TEXT = "x = 1  # about four kilobytes of output\n" * 100


@dataclass(frozen=True)
class Watched:
    store: Store
    solve_id: SolveId
    run_ids: tuple[RunId, ...]
    messages: int
    """Of each lane."""

    async def add_one_each(self) -> None:
        usage = Usage(input_tokens=100, output_tokens=10)
        progress = Progress(steps=self.messages, edits=0, usage=usage)
        for run_id in self.run_ids:
            writer_of(self.store).append(run_id, 1, _message(self.messages), progress)
        await writer_of(self.store).flush()


@asynccontextmanager
async def open_watched(url: str, lengths: Sequence[int]) -> AsyncGenerator[list[Watched]]:
    """One solve per length, each with as many messages in every lane."""
    async with await Store.open(url) as store:
        yield [await _watched(store, messages) for messages in lengths]


async def _watched(store: Store, messages: int) -> Watched:
    clock = SystemClock()
    now = clock.now()
    solve = SolveRow(
        id=SolveId(clock.new_id()),
        repo="bench",
        issue_title="Print numbers.",
        issue_body="",
        matrix=Matrix(models=("scripted/it",)),
        budget=Budget(),
        reducer="simple",
        sandbox_backend="bubblewrap",
        # At rest, so that no worker feels called upon.
        state=SolveState.AWAITING_REVIEW,
        created_at=now,
        started_at=now,
        finished_at=now,
    )
    rows = [_run(solve, RunId(clock.new_id()), position) for position in range(LANES)]
    for row in rows:
        row.message_count = messages
    async with store.change() as db:
        await solves.add(db, solve)
        await runs.add_all(db, rows)
        for row in rows:
            await trajectories.add_all(db, row.id, map(_message, range(messages)))
    return Watched(store, solve.id, tuple(row.id for row in rows), messages)


def _run(solve: SolveRow, run_id: RunId, position: int) -> RunRow:
    handle = f"it-t0-e10-balanced-{position}"
    return RunRow(
        id=run_id,
        solve_id=solve.id,
        position=position,
        handle=handle,
        contestant=Contestant(
            agent=DEFAULT_AGENT,
            model="scripted/it",
            temperature=0.0,
            max_edits=10,
            strategy=Strategy.BALANCED,
            handle=handle,
        ),
        state=RunState.COMPLETED,
        queued_at=solve.created_at,
    )


def _message(seq: int) -> TrajectoryMessage:
    body = {"role": "tool", "content": _TEXT, "extra": {"raw_output": _TEXT, "returncode": 0}}
    return TrajectoryMessage(seq=seq, step=seq, role="tool", at=float(seq), body=body)

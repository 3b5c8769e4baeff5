"""Cost of live updates: an idle poll against the cheapest possible response."""

import asyncio
import http.client
import json
import os
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager, closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from yudai.bench.service_processes import ServiceProcess, ServiceProcesses
from yudai.bench.setup import contestant
from yudai.gateway.domain.models import Usage
from yudai.kit.clock import SystemClock
from yudai.kit.ids import RunId, SolveId
from yudai.kit.value import Value
from yudai.runs import messages as trajectories
from yudai.runs import queries as runs
from yudai.runs.domain.progress import Progress
from yudai.runs.domain.states import RunState
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage
from yudai.runs.message_writer import writer_of
from yudai.runs.tables import RunRow
from yudai.solves import queries as solves
from yudai.solves.domain.budget import Budget
from yudai.solves.domain.matrix import Matrix
from yudai.solves.domain.states import SolveState
from yudai.solves.tables import SolveRow
from yudai.store.store import Store
from yudai.store.urls import sqlite_url

OPEN_RUNS = 8
_TEXT = "x = 1  # about four kilobytes of output\n" * 100


@dataclass(frozen=True)
class Watched:
    store: Store
    solve_id: SolveId
    run_ids: tuple[RunId, ...]
    messages: int
    """Messages of each run."""

    async def add_one_each(self) -> None:
        usage = Usage(input_tokens=100, output_tokens=10)
        progress = Progress(steps=self.messages, edits=0, usage=usage)
        for run_id in self.run_ids:
            writer_of(self.store).append(run_id, 1, _message(self.messages), progress)
        await writer_of(self.store).flush()


@asynccontextmanager
async def open_watched(url: str, lengths: Sequence[int]) -> AsyncGenerator[list[Watched]]:
    """One solve per length, with that many messages in each run."""
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
        # A final state, so that no worker claims it.
        state=SolveState.AWAITING_REVIEW,
        created_at=now,
        started_at=now,
        finished_at=now,
    )
    rows = [_run(solve, RunId(clock.new_id()), position) for position in range(OPEN_RUNS)]
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
        contestant=contestant(handle),
        state=RunState.COMPLETED,
        queued_at=solve.created_at,
    )


def _message(seq: int) -> TrajectoryMessage:
    body = {"role": "tool", "content": _TEXT, "extra": {"raw_output": _TEXT, "returncode": 0}}
    return TrajectoryMessage(seq=seq, step=seq, role="tool", at=float(seq), body=body)


TARGET = 3.0
_LIVE = "/api/health/live"
_PATIENCE_S = 60.0
_WARM_UP = 50


class PollingBench(Value):
    """Processor time of the server per request: medians over the rounds."""

    lanes: int
    requests: int
    rounds: int
    live_us: float
    idle_us: float
    """A poll without news, with all runs open."""
    ratio: float
    target: float = TARGET
    live_ms: float
    idle_ms: float
    """Latency at the client."""
    short_messages: int
    long_messages: int
    """Messages of each run in the two solves."""
    short_bytes: int
    long_bytes: int
    """A poll that returns one new message per run."""
    idle_bytes: int


class _Cost(NamedTuple):
    cpu_us: float
    wait_ms: float


async def measure(
    home: Path, *, requests: int = 500, rounds: int = 5, lengths: tuple[int, int] = (20, 400)
) -> PollingBench:
    """Ratio within one run. The sides alternate, so that load on the machine affects both."""
    processes = ServiceProcesses(home)
    processes.database.parent.mkdir()
    async with (
        open_watched(sqlite_url(processes.database), lengths) as (short, long),
        processes.started("serve", "--port=0") as process,
    ):
        with closing(_Server(process)) as server:
            idle = await asyncio.to_thread(server.caught_up, long)
            await asyncio.to_thread(server.cost, _LIVE, _WARM_UP)
            await asyncio.to_thread(server.cost, idle, _WARM_UP)
            pairs = [
                [await asyncio.to_thread(server.cost, path, requests) for path in (_LIVE, idle)]
                for _ in range(rounds)
            ]
            deltas = [await _delta(server, watched) for watched in (short, long)]
            nothing = await asyncio.to_thread(lambda: server.get(server.caught_up(long)))
    lives, idles = zip(*pairs, strict=True)
    live_us, idle_us = (median(cost.cpu_us for cost in side) for side in (lives, idles))
    return PollingBench(
        lanes=OPEN_RUNS,
        requests=requests,
        rounds=rounds,
        live_us=round(live_us, 1),
        idle_us=round(idle_us, 1),
        ratio=round(idle_us / live_us, 3),
        live_ms=round(median(cost.wait_ms for cost in lives), 3),
        idle_ms=round(median(cost.wait_ms for cost in idles), 3),
        short_messages=short.messages,
        long_messages=long.messages,
        short_bytes=deltas[0],
        long_bytes=deltas[1],
        idle_bytes=len(nothing),
    )


async def _delta(server: "_Server", watched: Watched) -> int:
    path = await asyncio.to_thread(server.caught_up, watched)
    await watched.add_one_each()
    body = await asyncio.to_thread(server.get, path)
    brought = sum(len(messages) for messages in json.loads(body)["messages"].values())
    if brought != OPEN_RUNS:
        raise RuntimeError(f"a poll brought {brought} messages instead of {OPEN_RUNS}")
    return len(body)


class _Server:
    """A server in its own process, with one connection to it."""

    def __init__(self, process: ServiceProcess) -> None:
        self._pid = process.pid
        address = urlsplit(str(process.said["url"])).netloc
        self._http = http.client.HTTPConnection(address, timeout=_PATIENCE_S)

    def get(self, path: str) -> bytes:
        self._http.request("GET", path)
        with self._http.getresponse() as response:
            body = response.read()
            if response.status != 200:
                raise RuntimeError(f"{path} was answered with {response.status}: {body[:200]!r}")
            return body

    def cost(self, path: str, requests: int) -> _Cost:
        cpu, began = self._cpu_s(), time.perf_counter()
        for _ in range(requests):
            self.get(path)
        waited = time.perf_counter() - began
        return _Cost((self._cpu_s() - cpu) / requests * 1e6, waited / requests * 1000)

    def caught_up(self, watched: Watched) -> str:
        """Path of a poll that has seen everything, with all runs open."""
        here = f"/api/solves/{watched.solve_id}/updates?open={','.join(watched.run_ids)}&cursor="
        path, has_more = here, True
        while has_more:
            answer: dict[str, Any] = json.loads(self.get(path))
            path, has_more = here + answer["cursor"], answer["more"]
        return path

    def close(self) -> None:
        self._http.close()

    def _cpu_s(self) -> float:
        """User and system time of all its threads."""
        fields = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

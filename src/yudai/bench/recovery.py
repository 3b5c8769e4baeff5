"""Time until the runs of a killed process continue."""

import asyncio
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import httpx

from yudai.bench import memory
from yudai.bench.service_processes import (
    ServiceProcess,
    ServiceProcesses,
    cancel_solve,
    client_of,
    get,
    open_solve,
)
from yudai.kit.value import Value

TARGET_S = 20.0
RUNS = 8
_STEPS = 60
_LOOK_S = 0.05
_PATIENCE_S = 120.0


class Recovery(Value):
    processes: str
    seconds: float
    """From `kill -9` until the first run is started again."""
    target_s: float = TARGET_S


class RecoveryBench(Value):
    ways: tuple[Recovery, ...]


async def measure(home: Path, *, database_url: str | None) -> RecoveryBench:
    """Measure a restart of the only process and, with a PostgreSQL URL, a takeover."""
    ways = [
        Recovery(processes="one, SQLite", seconds=await _restart(ServiceProcesses(home / "alone")))
    ]
    if database_url:
        # So that neither worker gets all runs.
        processes = ServiceProcesses(home / "shared", database_url, worker_max_runs=RUNS // 2 + 1)
        seconds = await _take_over(processes)
        ways.append(Recovery(processes="two workers, PostgreSQL", seconds=seconds))
    return RecoveryBench(ways=tuple(ways))


def first_again(events: Iterable[Mapping[str, Any]]) -> float | None:
    """When the first run was started a second time."""
    starts = (event for event in events if event["kind"] == "run.started")
    return min((event["at"] for event in starts if event["data"].get("attempt")), default=None)


async def _restart(processes: ServiceProcesses) -> float:
    body = _set_up(processes)
    async with processes.started("serve", "--port=0") as server, client_of(server) as client:
        solve_id = await _at_work(client, body)
        killed_at = await _kill(server)
    async with processes.started("serve", "--port=0") as server, client_of(server) as client:
        return round(await _again(client, solve_id) - killed_at, 2)


async def _take_over(processes: ServiceProcesses) -> float:
    body = _set_up(processes)
    async with processes.opened(workers=2) as (server, workers), client_of(server) as client:
        solve_id = await _at_work(client, body)
        # Kill the busier one, so that the other has room. A sandbox is several processes.
        killed_at = await _kill(max(workers, key=lambda worker: memory.count_below(worker.pid)))
        return round(await _again(client, solve_id) - killed_at, 2)


def _set_up(processes: ServiceProcesses) -> dict[str, Any]:
    processes.root.mkdir()
    return processes.ask(processes.set_up(steps=_STEPS, delay_s=1.0), RUNS)


async def _at_work(client: httpx.AsyncClient, body: dict[str, Any]) -> str:
    """Wait until all runs have made a step."""
    solve_id = await open_solve(client, body)
    async with asyncio.timeout(_PATIENCE_S):
        path = f"/api/solves/{solve_id}"
        while not _has_begun((await get(client, path))["runs"]):  # noqa: ASYNC110 - elsewhere
            await asyncio.sleep(_LOOK_S)
    return solve_id


def _has_begun(runs: Iterable[Mapping[str, Any]]) -> bool:
    return all(run["api_calls"] for run in runs)


async def _kill(member: ServiceProcess) -> float:
    killed_at = time.time()
    await member.kill()
    return killed_at


async def _again(client: httpx.AsyncClient, solve_id: str) -> float:
    async with asyncio.timeout(_PATIENCE_S):
        path = f"/api/solves/{solve_id}"
        while (found := first_again((await get(client, path))["events"])) is None:  # noqa: ASYNC110 - elsewhere
            await asyncio.sleep(_LOOK_S)
    await cancel_solve(client, solve_id)
    return found

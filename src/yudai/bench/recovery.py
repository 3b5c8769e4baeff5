"""How long the runs of a process that was killed stand still before they go on."""

import asyncio
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import httpx

from yudai.bench import memory
from yudai.bench.service_processes import House, Member, cancel_solve, client_of, get, open_solve
from yudai.kit.value import Value

TARGET_S = 20.0
RUNS = 8
_STEPS = 60
_LOOK_S = 0.05
_PATIENCE_S = 120.0


class Recovery(Value):
    processes: str
    seconds: float
    """From `kill -9` until the first run was started again."""
    target_s: float = TARGET_S


class RecoveryBench(Value):
    ways: tuple[Recovery, ...]


async def measure(home: Path, *, database_url: str | None) -> RecoveryBench:
    """The only process, started again at once; with a URL of PostgreSQL also one of two workers."""
    ways = [Recovery(processes="one, SQLite", seconds=await _restart(House(home / "alone")))]
    if database_url:
        # Neither of the two gets all runs.
        house = House(home / "shared", database_url, worker_max_runs=RUNS // 2 + 1)
        seconds = await _take_over(house)
        ways.append(Recovery(processes="two workers, PostgreSQL", seconds=seconds))
    return RecoveryBench(ways=tuple(ways))


def first_again(events: Iterable[Mapping[str, Any]]) -> float | None:
    """When the first run was started a second time."""
    starts = (event for event in events if event["kind"] == "run.started")
    return min((event["at"] for event in starts if event["data"].get("attempt")), default=None)


async def _restart(house: House) -> float:
    body = _furnished(house)
    async with house.started("serve", "--port=0") as server, client_of(server) as client:
        solve_id = await _at_work(client, body)
        killed_at = await _kill(server)
    async with house.started("serve", "--port=0") as server, client_of(server) as client:
        return round(await _again(client, solve_id) - killed_at, 2)


async def _take_over(house: House) -> float:
    body = _furnished(house)
    async with house.opened(workers=2) as (server, workers), client_of(server) as client:
        solve_id = await _at_work(client, body)
        # The busier one, as the other has room then: a sandbox is some processes.
        killed_at = await _kill(max(workers, key=lambda worker: memory.count_below(worker.pid)))
        return round(await _again(client, solve_id) - killed_at, 2)


def _furnished(house: House) -> dict[str, Any]:
    house.root.mkdir()
    return house.ask(house.furnish(steps=_STEPS, delay_s=1.0), RUNS)


async def _at_work(client: httpx.AsyncClient, body: dict[str, Any]) -> str:
    """Return when all runs have made a step."""
    solve_id = await open_solve(client, body)
    async with asyncio.timeout(_PATIENCE_S):
        path = f"/api/solves/{solve_id}"
        while not _has_begun((await get(client, path))["runs"]):  # noqa: ASYNC110 - elsewhere
            await asyncio.sleep(_LOOK_S)
    return solve_id


def _has_begun(runs: Iterable[Mapping[str, Any]]) -> bool:
    return all(run["api_calls"] for run in runs)


async def _kill(member: Member) -> float:
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

"""Cost of a hundred concurrent contestants against one, for worker and API."""

import asyncio
import time
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import quantiles
from typing import Any, NamedTuple

import httpx

from yudai.bench import memory
from yudai.bench.service_processes import ServiceProcesses, cancel_solve, client_of, get, open_solve
from yudai.kit.value import Value

TARGET = 1.5
WORKER_TARGET_MB = 700.0
API_TARGET_MS = 100.0
_ASK_S = 0.2
_LOOK_S = 0.5
_PATIENCE_S = 600.0
_OPEN_RUNS = 4


class Fanout(Value):
    """Results for one way to run the service."""

    processes: str
    contestants: int
    steps: int
    one_s: float
    """One contestant alone, from start to submit."""
    all_s: float
    ratio: float
    target: float = TARGET
    worker_mb: float
    """Peak memory of the worker's process."""
    worker_target_mb: float = WORKER_TARGET_MB
    sandboxes_mb: float
    """Peak memory of all its sandboxes together."""
    api_p50_ms: float
    api_p95_ms: float
    api_target_ms: float | None
    """None: there is no target for one process."""
    requests: int


class FanoutBench(Value):
    ways: tuple[Fanout, ...]


class _FanoutTimes(NamedTuple):
    agents_s: float
    waits_ms: Sequence[float]


async def measure(
    home: Path,
    *,
    database_url: str | None,
    contestants: int = 100,
    steps: int = 20,
    delay_s: float = 1.0,
) -> FanoutBench:
    """Measure one process on SQLite and, with a PostgreSQL URL, also a separate API."""
    ways: list[Fanout] = []
    for number, url in enumerate((None, database_url) if database_url else (None,)):
        processes = ServiceProcesses(home / str(number), url)
        processes.root.mkdir()
        model = processes.set_up(steps=steps, delay_s=delay_s)
        async with processes.opened() as (server, [worker]), client_of(server) as client:
            one = await _run_together(client, processes.ask(model, 1))
            async with _watching_sandboxes(worker.pid) as sandboxes_mb:
                many = await _run_together(client, processes.ask(model, contestants))
            worker_mb = memory.peak_mb(worker.pid)
        ways.append(
            Fanout(
                processes="one, SQLite" if url is None else "API and worker, PostgreSQL",
                contestants=contestants,
                steps=steps,
                one_s=round(one.agents_s, 2),
                all_s=round(many.agents_s, 2),
                ratio=round(many.agents_s / one.agents_s, 3),
                worker_mb=round(worker_mb, 1),
                sandboxes_mb=round(max(sandboxes_mb), 1),
                api_p50_ms=round(percentile(many.waits_ms, 50), 1),
                api_p95_ms=round(percentile(many.waits_ms, 95), 1),
                api_target_ms=None if url is None else API_TARGET_MS,
                requests=len(many.waits_ms),
            )
        )
    return FanoutBench(ways=tuple(ways))


def agents_s(runs: Iterable[Mapping[str, Any]]) -> float:
    """From the first start to the last submit."""
    rows = list(runs)
    if failed := [run["error"] for run in rows if run["submitted_at"] is None]:
        raise RuntimeError(f"a contestant failed: {failed[0]}")
    return max(run["submitted_at"] for run in rows) - min(run["started_at"] for run in rows)


def percentile(values: Sequence[float], percent: int) -> float:
    return quantiles(values, n=100, method="inclusive")[percent - 1]


async def _run_together(client: httpx.AsyncClient, body: dict[str, Any]) -> _FanoutTimes:
    """Wait until all runs have submitted, then cancel the solve."""
    solve_id = await open_solve(client, body)
    path = f"/api/solves/{solve_id}"
    async with asyncio.timeout(_PATIENCE_S), _watching(client, path) as waits_ms:
        while await _is_going(client):  # noqa: ASYNC110 - it runs in another process
            await asyncio.sleep(_LOOK_S)
        runs = (await get(client, path))["runs"]
    await cancel_solve(client, solve_id)
    return _FanoutTimes(agents_s(runs), waits_ms)


async def _is_going(client: httpx.AsyncClient) -> bool:
    """Check by the list: reading a hundred runs repeatedly would distort the measurement."""
    newest = (await get(client, "/api/solves?limit=1"))["solves"][0]["progress"]
    return newest["queued"] + newest["running"] > 0


@asynccontextmanager
async def _watching(client: httpx.AsyncClient, path: str) -> AsyncGenerator[list[float]]:
    """Poll like the page, five times a second: updates, and sometimes the list."""
    waits_ms: list[float] = []

    async def ask_for_ever() -> None:
        lanes = ",".join(run["id"] for run in (await get(client, path))["runs"][:_OPEN_RUNS])
        cursor = ""
        while True:
            began = time.perf_counter()
            answer = await get(client, f"{path}/updates?open={lanes}&cursor={cursor}")
            waits_ms.append((time.perf_counter() - began) * 1000)
            cursor = answer["cursor"]
            if len(waits_ms) % 5 == 0:
                began = time.perf_counter()
                await get(client, "/api/solves")
                waits_ms.append((time.perf_counter() - began) * 1000)
            await asyncio.sleep(_ASK_S)

    async with _meanwhile(ask_for_ever()):
        yield waits_ms


@asynccontextmanager
async def _watching_sandboxes(worker: int) -> AsyncGenerator[list[float]]:
    found = [0.0]

    async def look_for_ever() -> None:
        while True:
            found.append(await asyncio.to_thread(memory.below_mb, worker))
            # Reading it is expensive: the kernel adds up page by page.
            await asyncio.sleep(_LOOK_S * 10)

    async with _meanwhile(look_for_ever()):
        yield found


@asynccontextmanager
async def _meanwhile(work: Any) -> AsyncGenerator[None]:
    task = asyncio.create_task(work)
    try:
        yield
    finally:
        task.cancel()
        await asyncio.wait([task])
        if not task.cancelled() and (error := task.exception()):
            raise error

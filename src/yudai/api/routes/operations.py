"""Routes of the installation itself: settings, cost, numbers for Prometheus, health."""

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Literal, NamedTuple, TypeVar

from fastapi import APIRouter, Query
from fastapi.responses import PlainTextResponse
from prometheus_client import Metric, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from sqlalchemy import text

from yudai import __version__
from yudai.api.dependencies import ServiceDep
from yudai.api.errors import ApiError, Code
from yudai.api.routes.sandboxes import SandboxOverviewDep
from yudai.api.security.rights import ADMINISTERING, MONITORING, PUBLIC, MayRead
from yudai.kit.ids import SolveId
from yudai.kit.value import Value
from yudai.operations.overview import Numbers
from yudai.runs.domain.states import RunState
from yudai.sandboxes.domain.backends import REGISTERED
from yudai.solves.domain.states import SolveState
from yudai.views.cost import CostView, cost_of
from yudai.wiring.doctor import Examination, SettingsView, describe, examine

installation = APIRouter(tags=["installation"])
numbers = APIRouter(tags=["installation"])

MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Family = TypeVar("Family", GaugeMetricFamily, CounterMetricFamily)
Word = TypeVar("Word", bound=str)


@installation.get("/settings", operation_id="getSettings", dependencies=[ADMINISTERING])
async def settings(service: ServiceDep) -> SettingsView:
    """Get the settings; of secrets only whether they are set."""
    return describe(service.settings)


@installation.get("/doctor", operation_id="getDoctor", dependencies=[ADMINISTERING])
async def doctor(service: ServiceDep) -> Examination:
    """Check this machine: tools, folders, sandboxes."""
    return await examine(service.settings, starts=False)


@installation.get("/cost", operation_id="getCost")
async def cost(
    service: ServiceDep,
    user: MayRead,
    days: Annotated[int, Query(ge=1, le=366, description="How far back.")] = 30,
) -> CostView:
    """Get costs by day, model, strategy and repository."""
    return await cost_of(service.context.store, service.context.clock, user_id=user.id, days=days)


class Metrics(PlainTextResponse):
    media_type = MEDIA_TYPE


@numbers.get(
    "/metrics", operation_id="getMetrics", response_class=Metrics, dependencies=[MONITORING]
)
async def metrics(sandbox_overview: SandboxOverviewDep) -> Metrics:
    """Metrics for Prometheus. An administrator's read-only key is enough."""
    return Metrics(generate_latest(_Snapshot(await sandbox_overview.count())))


class _Snapshot(NamedTuple):
    """A collector for one response; its numbers come from the database."""

    numbers: Numbers

    def collect(self) -> Iterator[Metric]:
        held, leaked, reaped = self.numbers.held, self.numbers.leaked, self.numbers.reaped
        # Always present: a missing series looks like a zero.
        backends = sorted({*REGISTERED, *held, *leaked, *reaped})
        sandboxes = GaugeMetricFamily(
            "yudai_sandboxes",
            "Sandboxes that are open, by whether a process holds them.",
            labels=["backend", "state"],
        )
        for backend in backends:
            sandboxes.add_metric([backend, "held"], held.get(backend, 0))
            sandboxes.add_metric([backend, "leaked"], leaked.get(backend, 0))
        yield sandboxes
        unheld = "Sandboxes without a living owner that no sweep has removed yet."
        gauge = GaugeMetricFamily("yudai_sandboxes_leaked", unheld, labels=["backend"])
        yield _filled(gauge, backends, leaked)
        swept = "Sandboxes that sweeps have removed."
        counter = CounterMetricFamily("yudai_sandboxes_reaped_total", swept, labels=["backend"])
        yield _filled(counter, backends, reaped)
        solves = GaugeMetricFamily("yudai_solves", "Solves.", labels=["state"])
        yield _filled(solves, SolveState, self.numbers.solves)
        runs = GaugeMetricFamily("yudai_runs", "Runs.", labels=["state"])
        yield _filled(runs, RunState, self.numbers.runs)


def _filled(family: Family, names: Iterable[Word], counted: Mapping[Word, int]) -> Family:
    for name in names:
        family.add_metric([str(name)], counted.get(name, 0))
    return family


health = APIRouter(prefix="/health", tags=["health"], dependencies=[PUBLIC])

_PATIENCE_S = 3.0
_NO_SOLVE = SolveId("00000000-0000-0000-0000-000000000000")


class Health(Value):
    status: Literal["ok"] = "ok"
    version: str = __version__


@health.get("/live", operation_id="getLive")
async def live() -> Health:
    """Checks only this process: restart it when this does not respond."""
    return Health()


@health.get("/ready", operation_id="getReady")
async def ready(service: ServiceDep) -> Health:
    """Checks database and engine: send requests elsewhere while this is a 503."""
    try:
        async with asyncio.timeout(_PATIENCE_S):
            async with service.context.store.read() as db:
                await db.execute(text("SELECT 1"))
    except TimeoutError:
        raise ApiError(Code.STORE_UNAVAILABLE, "the database does not answer") from None
    try:
        async with asyncio.timeout(_PATIENCE_S):
            await service.engine.status(_NO_SOLVE)
    except Exception as error:
        raise ApiError(Code.ENGINE_UNAVAILABLE, "try again in a moment") from error
    return Health()

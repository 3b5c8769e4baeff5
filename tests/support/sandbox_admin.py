"""A place with a reaper over a backend that only remembers what it was asked."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from types import SimpleNamespace
from typing import Any, cast

from fastapi import FastAPI

from tests.support.api_client import Place
from yudai.api.app import PREFIX, create_app
from yudai.api.routes import operations, sandboxes
from yudai.kit.ids import WorkerId
from yudai.sandboxes import queries as rows
from yudai.sandboxes.port import Backend, Leftover, Tags
from yudai.sandboxes.reap import Reaper
from yudai.sandboxes.register import SandboxEntry
from yudai.store.holders import Holder


@dataclass
class SweptBackend:
    leftovers: list[Leftover] = field(default_factory=list)
    error: Exception | None = None
    asked: list[bool] = field(default_factory=list)

    async def reap(self, *, dry_run: bool = False) -> Sequence[Leftover]:
        self.asked.append(dry_run)
        if self.error is not None:
            raise self.error
        return self.leftovers


def overseen(place: Place, **backends: SweptBackend) -> Any:
    """The place, which has a reaper besides."""
    parts = {each.name: getattr(place, each.name) for each in fields(place)}
    reaper = Reaper(cast("dict[str, Backend]", backends))
    return SimpleNamespace(**(parts | {"reaper": reaper}))


def app_of(service: Any) -> FastAPI:
    app = create_app(service)
    app.include_router(sandboxes.router, prefix=PREFIX)
    app.include_router(operations.numbers, prefix=PREFIX)
    return app


async def open_sandbox(
    place: Place, sandbox_id: str, *, backend: str = "e2b", silent_s: float = 0
) -> None:
    entry = SandboxEntry(
        id=sandbox_id,
        backend=backend,
        owner="run-1",
        base="base",
        external=f"m-{sandbox_id}",
        tags=Tags(run="run-1", issue="o/r#1"),
    )
    now = place.context.clock.now() - silent_s
    async with place.context.store.change() as db:
        await rows.open_sandbox(db, entry, Holder(WorkerId("h"), "elsewhere", 1), now=now)


async def close_sandbox(place: Place, sandbox_id: str, *, reaped: bool) -> None:
    async with place.context.store.change() as db:
        await rows.close_sandbox(db, sandbox_id, reaped=reaped, now=place.context.clock.now())

"""The application: guards around routes."""

from collections.abc import Callable, Collection
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, cast

from fastapi import Depends, FastAPI
from fastapi.middleware.gzip import GZipMiddleware
from starlette.middleware import Middleware

import yudai
from yudai.adapters.clock import SystemClock
from yudai.api import (
    beginning,
    compat,
    conversations,
    errors,
    health,
    installation,
    models,
    page,
    runs,
    solves,
    updates,
)
from yudai.api.deps import Service
from yudai.api.envelope import Envelope
from yudai.api.guards import Allowed, BodyLimit, Guard, json_only
from yudai.api.openapi import with_problems

PREFIX = "/api"
Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]
_ROUTERS = (
    solves.router,
    updates.router,
    runs.router,
    conversations.router,
    models.router,
    beginning.router,
    installation.router,
    health.router,
)
_TAGS = [
    {"name": "solves", "description": "One issue, many contestants, at most one champion."},
    {"name": "runs", "description": "One contestant's go at a solve."},
    {"name": "conversations", "description": "Solves that are talked about."},
    {"name": "models", "description": "Who answers a model's calls, and at what price."},
    {"name": "installation", "description": "What this installation is, can do, and has cost."},
    {"name": "health", "description": "Whether the server is alive and of use."},
]


class _Api(FastAPI):
    def openapi(self) -> dict[str, Any]:
        return with_problems(super().openapi())


def create_app(
    service: Service,
    *,
    lifespan: Lifespan | None = None,
    hosts: Collection[str] = (),
    origins: Collection[str] = (),
    page_folder: Path | None = None,
) -> FastAPI:
    """`hosts` and `origins` are those that the server answers to besides loopback ones."""
    app = _Api(
        title="Yudai",
        version=yudai.__version__,
        summary="AI coding agents compete to solve an issue; the answer is proved.",
        openapi_url=f"{PREFIX}/openapi.json",
        openapi_tags=_TAGS,
        # They would load their scripts from another site.
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        dependencies=[Depends(json_only)],
        middleware=[
            Middleware(Envelope, clock=SystemClock()),
            Middleware(Guard, allowed=Allowed.of(hosts, origins)),
            Middleware(GZipMiddleware, minimum_size=500, compresslevel=5),
            Middleware(BodyLimit),
        ],
    )
    app.state.service = service
    errors.register(app)
    for router in _ROUTERS:
        app.include_router(router, prefix=PREFIX)
    app.include_router(compat.router)
    if page_folder is not None:
        page.mount(app, page_folder)
    return app


def contract() -> dict[str, Any]:
    """The OpenAPI document; no service is asked for what the routes say about themselves."""
    return create_app(cast("Service", None)).openapi()

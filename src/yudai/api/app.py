"""The application: guards around routes."""

from collections.abc import Callable, Collection
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, cast

from fastapi import Depends, FastAPI
from fastapi.middleware.cors import CORSMiddleware
from fastapi.middleware.gzip import GZipMiddleware
from starlette.middleware import Middleware

import yudai
from yudai.api import errors, page
from yudai.api.dependencies import Service
from yudai.api.openapi import with_problems
from yudai.api.routes import (
    conversations,
    forge,
    login,
    model_endpoint,
    models,
    operations,
    publishing,
    runs,
    sandboxes,
    solves,
)
from yudai.api.security.authorize import make_authorizer
from yudai.api.security.cookies import origin_of
from yudai.api.security.request_guards import Allowed, BodyLimit, Guard, ResponseHeaders, json_only
from yudai.kit.clock import SystemClock

PREFIX = "/api"
Lifespan = Callable[[FastAPI], AbstractAsyncContextManager[None]]
_ROUTERS = (
    solves.router,
    solves.live,
    runs.router,
    conversations.router,
    models.router,
    solves.planning,
    operations.installation,
    login.router,
    publishing.router,
    publishing.outcomes,
    forge.router,
    forge.webhooks,
    sandboxes.router,
    sandboxes.bases,
    model_endpoint.router,
    operations.numbers,
    operations.health,
)
_TAGS = [
    {"name": "solves", "description": "One issue, many contestants, at most one champion."},
    {"name": "runs", "description": "One contestant's run of a solve."},
    {"name": "conversations", "description": "Chats in which solves start and report."},
    {"name": "models", "description": "Models, their aliases and prices."},
    {"name": "publishing", "description": "From a champion to one pull request."},
    {"name": "outcomes", "description": "What became of a pull request."},
    {"name": "forge", "description": "Repositories and issues at the forge."},
    {"name": "installation", "description": "Settings, checks, costs, sandboxes and metrics."},
    {"name": "logins", "description": "Logins of browsers and keys of programs."},
    {"name": "health", "description": "Whether the server is alive and ready."},
]


class _Api(FastAPI):
    def openapi(self) -> dict[str, Any]:
        return with_problems(super().openapi())


def create_app(
    service: Service,
    *,
    lifespan: Lifespan | None = None,
    hosts: Collection[str] = (),
    model_hosts: Collection[str] = (),
    origins: Collection[str] = (),
    page_folder: Path | None = None,
) -> FastAPI:
    """Create the app. `hosts` and `origins` are allowed besides loopback ones.

    By `model_hosts` only agents in sandboxes ask, and only for their models.
    """
    authorizer = make_authorizer(service)
    is_guarded = authorizer.accounts is not None
    app = _Api(
        title="Yudai",
        version=yudai.__version__,
        summary="AI coding agents compete to solve an issue; the champion is proved.",
        openapi_url=f"{PREFIX}/openapi.json",
        openapi_tags=_TAGS,
        # FastAPI's documentation pages load scripts from another site.
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        dependencies=[Depends(json_only)],
        middleware=[
            Middleware(
                ResponseHeaders,
                clock=SystemClock(),
                is_https=is_guarded and authorizer.cookies.is_secure,
            ),
            Middleware(
                Guard,
                allowed=Allowed.of(hosts, origins, models=model_hosts, takes_keys=is_guarded),
            ),
            *_sharing(origins),
            Middleware(GZipMiddleware, minimum_size=500, compresslevel=5),
            Middleware(BodyLimit),
        ],
    )
    app.state.service = service
    app.state.authorizer = authorizer
    errors.register(app)
    for router in _ROUTERS:
        app.include_router(router, prefix=PREFIX)
    app.include_router(login.browser)
    app.include_router(solves.legacy)
    if page_folder is not None:
        page.mount(app, page_folder)
    return app


def _sharing(origins: Collection[str]) -> list[Middleware]:
    """CORS for a page served from another origin, with its login."""
    if not origins:
        return []
    return [
        Middleware(
            CORSMiddleware,
            allow_origins=[origin_of(origin) for origin in origins],
            allow_credentials=True,
            allow_methods=["GET", "POST", "PUT", "DELETE"],
            allow_headers=["Content-Type", "Idempotency-Key", "If-None-Match"],
            expose_headers=["ETag", "Idempotency-Replayed", "Location", "Retry-After"],
            max_age=600,
        )
    ]


def contract() -> dict[str, Any]:
    """The OpenAPI document, made without a service."""
    return create_app(cast("Service", None)).openapi()

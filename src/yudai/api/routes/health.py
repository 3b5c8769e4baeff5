"""Liveness and readiness of the process."""

import asyncio
from typing import Literal

from fastapi import APIRouter
from sqlalchemy import text

from yudai import __version__
from yudai.api.dependencies import Service, ServiceDep
from yudai.api.errors import ApiError, Code
from yudai.api.security.rights import PUBLIC
from yudai.kit.ids import SolveId
from yudai.kit.value import Value

router = APIRouter(prefix="/health", tags=["health"], dependencies=[PUBLIC])

_PATIENCE_S = 3.0
_NOBODY = SolveId("00000000-0000-0000-0000-000000000000")


class Health(Value):
    status: Literal["ok"] = "ok"
    version: str = __version__


@router.get("/live", operation_id="getLive")
async def live() -> Health:
    """Checks only this process: restart it when this does not respond."""
    return Health()


@router.get("/ready", operation_id="getReady")
async def ready(service: ServiceDep) -> Health:
    """Checks database and engine: send requests elsewhere while this is a 503."""
    try:
        async with asyncio.timeout(_PATIENCE_S):
            async with service.context.store.read() as db:
                await db.execute(text("SELECT 1"))
    except TimeoutError:
        raise ApiError(Code.STORE_UNAVAILABLE, "the database does not answer") from None
    await _ask_engine(service)
    return Health()


async def _ask_engine(service: Service) -> None:
    try:
        async with asyncio.timeout(_PATIENCE_S):
            await service.engine.status(_NOBODY)
    except Exception as error:
        raise ApiError(Code.ENGINE_UNAVAILABLE, "try again in a moment") from error

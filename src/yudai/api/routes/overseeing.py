"""What routes about sandboxes are given."""

from typing import Annotated, cast

from fastapi import Depends, Request

from yudai.api.dependencies import ServiceDep
from yudai.engine.adapters.host_processes import is_gone, is_there
from yudai.operations.overview import Overseer
from yudai.sandboxes.holding import Living
from yudai.sandboxes.reap import Reaper


async def _overseer(service: ServiceDep) -> Overseer:
    return Overseer(service.store, service.clock, Living(is_gone, is_there=is_there))


async def _reaper(request: Request) -> Reaper:
    return cast("Reaper", request.app.state.service.reaper)


OverseerDep = Annotated[Overseer, Depends(_overseer)]
ReaperDep = Annotated[Reaper, Depends(_reaper)]

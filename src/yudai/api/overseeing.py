"""What routes about sandboxes are given."""

from typing import Annotated, cast

from fastapi import Depends, Request

from yudai.adapters.engines.liveness import is_gone, is_there
from yudai.api.deps import ServiceDep
from yudai.services.holding import Living
from yudai.services.overseeing import Overseer
from yudai.services.reaping import Reaper


async def _overseer(service: ServiceDep) -> Overseer:
    return Overseer(service.store, service.clock, Living(is_gone, is_there=is_there))


async def _reaper(request: Request) -> Reaper:
    return cast("Reaper", request.app.state.service.reaper)


OverseerDep = Annotated[Overseer, Depends(_overseer)]
ReaperDep = Annotated[Reaper, Depends(_reaper)]

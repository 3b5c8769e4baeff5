"""Routes about the installation itself: its settings, what it can do, what it has cost."""

from typing import Annotated

from fastapi import APIRouter, Query

from yudai.api.dependencies import ServiceDep
from yudai.api.security.rights import MayAdminister, MayRead
from yudai.views.cost import Coster, CostView
from yudai.wiring.doctor import Examination, SettingsView, describe, examine

router = APIRouter(tags=["installation"])


@router.get("/settings", operation_id="getSettings")
async def settings(service: ServiceDep, user: MayAdminister) -> SettingsView:
    """What holds here; of secrets only whether they are there."""
    del user
    return describe(service.settings)


@router.get("/doctor", operation_id="getDoctor")
async def doctor(service: ServiceDep, user: MayAdminister) -> Examination:
    """Looks at this machine anew: tools, folders, sandboxes."""
    del user
    return await examine(service.settings, starts=False)


@router.get("/cost", operation_id="getCost")
async def cost(
    service: ServiceDep,
    user: MayRead,
    days: Annotated[int, Query(ge=1, le=366, description="How far back.")] = 30,
) -> CostView:
    """What was spent, on whom, and what for."""
    return await Coster(service.store, service.clock).cost(user_id=user.id, days=days)

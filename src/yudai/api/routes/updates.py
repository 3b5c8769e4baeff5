"""The route that the page polls for live updates of a solve."""

from collections.abc import Iterable
from typing import Annotated, cast

from fastapi import APIRouter, Query, Request, Response
from pydantic import AfterValidator, Field

from yudai.api.security.rights import MayReadSolve
from yudai.kit.ids import SolveId
from yudai.views.updates import MAX_BYTES, MAX_OPEN, Ask, Updates, UpdatesView

router = APIRouter(tags=["solves"])

_MAX_BYTES = 1024 * 1024
_MAX_OPEN_CHARS = 64 * MAX_OPEN


def _names(values: Iterable[str]) -> tuple[str, ...]:
    return tuple({name: None for value in values for name in value.split(",") if name})


def _few(values: tuple[str, ...]) -> tuple[str, ...]:
    if len(_names(values)) > MAX_OPEN or sum(map(len, values)) > _MAX_OPEN_CHARS:
        raise ValueError(f"name at most {MAX_OPEN} runs")
    return values


@router.get(
    "/solves/{solve_id}/updates",
    operation_id="getUpdates",
    # Not validated on the way out: the text is built from validated parts.
    response_class=Response,
    responses={200: {"model": UpdatesView, "description": "What is new since the cursor."}},
)
async def updates(
    # No unnecessary dependencies: each costs a tenth of an idle poll.
    request: Request,
    solve_id: str,
    permit: MayReadSolve,
    cursor: Annotated[
        str, Query(description="From the previous response; an invalid one starts again.")
    ] = "",
    runs: Annotated[
        tuple[Annotated[str, Field(max_length=_MAX_OPEN_CHARS)], ...],
        Query(
            alias="open",
            max_length=MAX_OPEN,
            description=f"Ids of runs whose messages are wanted, at most {MAX_OPEN}: the parameter "
            "again for each, or one with commas.",
        ),
        AfterValidator(_few),
    ] = (),
    max_bytes: Annotated[
        int, Query(ge=1, le=_MAX_BYTES, description="The rest follows in the next response.")
    ] = MAX_BYTES,
) -> Response:
    """Poll every `poll_ms`, at once if there is `more`, until it is `terminal`."""
    service = cast("Updates", request.app.state.service.updates)
    ask = Ask(SolveId(solve_id), permit.owner_id, cursor, _names(runs), max_bytes)
    return Response(await service.poll(ask), media_type="application/json")

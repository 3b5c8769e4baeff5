"""Contestants that are patches: what a request has of each, and what its solve keeps of it."""

from collections.abc import Sequence

from sqlalchemy.ext.asyncio import AsyncSession

from yudai.artifacts import queries as artifact_rows
from yudai.artifacts.port import ArtifactRef
from yudai.kit.causes import Cause
from yudai.kit.value import Value
from yudai.runs import queries as runs
from yudai.runs.domain.states import RunEvent
from yudai.runs.tables import RunRow


class GivenPatch(Value):
    """A contestant's patch, before its solve is opened."""

    ref: ArtifactRef | None = None
    """Where it is stored; None: it changes nothing, or it could not be put onto the base."""
    refusal: str = ""
    """Why it could not."""


async def note_given(
    db: AsyncSession, rows: Sequence[RunRow], given: Sequence[GivenPatch], *, at: float
) -> None:
    """Give each of the solve's patch contestants its patch; one that does not fit has failed."""
    runs_of_patches = [row for row in rows if row.contestant.is_patch]
    for run, patch in zip(runs_of_patches, given, strict=True):
        if patch.ref is not None:
            await artifact_rows.add(db, run.solve_id, run.id, patch.ref, at=at)
        if patch.refusal:
            cause = Cause.PATCH_REFUSED
            await runs.advance(
                db,
                run.id,
                RunEvent.BROKE,
                at=at,
                data={"cause": cause},
                cause=cause,
                error=patch.refusal,
            )

"""The table of artifacts and its queries: the latest of each kind, for a solve and for each run."""

from typing import cast

from sqlalchemy import BigInteger, ColumnElement, Double, ForeignKey, String, Table, delete, select
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.orm import Mapped, mapped_column

from yudai.artifacts.context import Context
from yudai.artifacts.port import ArtifactKind, ArtifactRef
from yudai.kit.errors import NotFoundError
from yudai.kit.ids import RunId, SolveId
from yudai.store.columns import words
from yudai.store.connections import upsert
from yudai.store.rows import Base, Id


class ArtifactRow(Base, kw_only=True):
    __tablename__ = "artifacts"

    id: Mapped[str] = mapped_column(String(128), primary_key=True)
    """Owner and kind: unique also for a solve's own artifacts, where `run_id` is NULL."""
    solve_id: Mapped[SolveId] = mapped_column(
        Id, ForeignKey("solves.id", ondelete="CASCADE"), index=True
    )
    run_id: Mapped[RunId | None] = mapped_column(
        Id, ForeignKey("runs.id", ondelete="CASCADE"), index=True, default=None
    )
    kind: Mapped[ArtifactKind] = mapped_column(words(ArtifactKind))
    sha256: Mapped[str] = mapped_column(String(64))
    size: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[float] = mapped_column(Double)


_ARTIFACTS = cast("Table", ArtifactRow.__table__)


async def add(
    db: AsyncSession, solve_id: SolveId, run_id: RunId | None, ref: ArtifactRef, *, at: float
) -> None:
    """Record an artifact; it replaces an older one of the same kind."""
    columns = {
        "id": f"{run_id or solve_id}/{ref.kind}",
        "solve_id": solve_id,
        "run_id": run_id,
        "kind": ref.kind,
        "sha256": ref.sha256,
        "size": ref.size,
        "created_at": at,
    }
    await db.execute(upsert(_ARTIFACTS, db.get_bind().dialect), [columns])


async def of_run(db: AsyncSession, run_id: RunId) -> dict[ArtifactKind, ArtifactRef]:
    return await _by_kind(db, ArtifactRow.run_id == run_id)


async def of_solve(db: AsyncSession, solve_id: SolveId) -> dict[ArtifactKind, ArtifactRef]:
    """Artifacts of the solve itself, without those of its runs."""
    return await _by_kind(db, (ArtifactRow.solve_id == solve_id) & ArtifactRow.run_id.is_(None))


async def take_away(db: AsyncSession, run_id: RunId) -> tuple[ArtifactRef, ...]:
    """Remove and return the artifacts of an attempt that ended; the next one has its own."""
    refs = tuple((await of_run(db, run_id)).values())
    await db.execute(delete(ArtifactRow).where(ArtifactRow.run_id == run_id))
    return refs


async def _by_kind(
    db: AsyncSession, condition: ColumnElement[bool]
) -> dict[ArtifactKind, ArtifactRef]:
    rows = await db.scalars(select(ArtifactRow).where(condition))
    return {row.kind: ArtifactRef.model_validate(row, from_attributes=True) for row in rows}


async def artifact_of(context: Context, run_id: RunId, kind: ArtifactKind) -> bytes:
    """Read a run's artifact; NotFoundError when it has none of that kind."""
    async with context.store.read() as db:
        refs = await of_run(db, run_id)
    if kind not in refs:
        raise NotFoundError(f"run {run_id} has no {kind.replace('_', ' ')}")
    return await context.artifacts.get(refs[kind])

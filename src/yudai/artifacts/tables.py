"""The table of artifacts."""

from sqlalchemy import BigInteger, Double, ForeignKey, String
from sqlalchemy.orm import Mapped, mapped_column

from yudai.artifacts.port import ArtifactKind
from yudai.kit.ids import RunId, SolveId
from yudai.store.columns import words
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

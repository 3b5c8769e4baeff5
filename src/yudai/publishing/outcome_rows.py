"""A publication with what is kept of it, and the rows in which more is kept."""

from typing import NamedTuple

from yudai.kit.untyped import as_count, as_text
from yudai.publishing.confirm_revert import TURNS
from yudai.publishing.domain.branch_history import Act
from yudai.publishing.domain.landing import Landing
from yudai.publishing.domain.publication import OutcomeKind
from yudai.publishing.domain.reverts import Sign, Turn
from yudai.publishing.tables import OutcomeRow, PublicationRow
from yudai.store.rows import Data

_KEY = 128


class Ours(NamedTuple):
    """A publication with what is kept of it so far."""

    row: PublicationRow
    kept: tuple[OutcomeRow, ...]

    @property
    def turns(self) -> tuple[Turn, ...]:
        return tuple(_turn(row) for row in self.kept if row.kind in TURNS)

    def last(self, kind: OutcomeKind) -> OutcomeRow | None:
        return next((row for row in reversed(self.kept) if row.kind is kind), None)


def _turn(row: OutcomeRow) -> Turn:
    return Turn(
        kind=row.kind,
        sha=row.key,
        at=row.at,
        sign=Sign(as_text(row.evidence.get("sign")) or Sign.CONTENT),
        number=as_count(row.evidence.get("by_pull")) or None,
    )


def turn_row(ours: Ours, turn: Turn) -> OutcomeRow:
    told: Data = {"sign": turn.sign, "commit": turn.sha, "by_pull": turn.number}
    return _row(ours, turn.kind, turn.sha, at=turn.at, by=turn.by, evidence=told)


def suspicion_row(ours: Ours, act: Act) -> OutcomeRow:
    told: Data = {"sign": Sign.CONTENT, "commit": act.sha, "by_pull": act.number}
    kind = OutcomeKind.SUSPECTED_REVERT
    return _row(ours, kind, act.sha, at=act.at, by=act.by, evidence=told)


def lines_gone_row(ours: Ours, *, at: float) -> OutcomeRow:
    """Once for each time that our change came there."""
    told: Data = {"sign": Sign.CONTENT, "reason": "most lines of the change are gone"}
    kind = OutcomeKind.SUSPECTED_REVERT
    return _row(ours, kind, f"lines-{len(ours.turns)}", at=at, by="", evidence=told)


def landing_row(ours: Ours, found: Landing) -> OutcomeRow:
    told: Data = {"sign": found.sign, "commit": found.act.sha}
    kind, act = OutcomeKind.LANDED, found.act
    return _row(ours, kind, act.sha, at=act.at, by=act.by, evidence=told)


def _row(
    ours: Ours, kind: OutcomeKind, key: str, *, at: float, by: str, evidence: Data
) -> OutcomeRow:
    return OutcomeRow(
        solve_id=ours.row.solve_id,
        run_id=ours.row.run_id,
        kind=kind,
        key=key[:_KEY],
        at=at,
        seen_at=at,
        by=by,
        evidence={"pull": ours.row.pull_number, **evidence},
    )

"""Claims: the right of one worker to write about a solve or a run."""

from typing import Literal, NamedTuple, cast

from yudai.kit.errors import ClaimLostError
from yudai.kit.ids import RunId, SolveId, WorkerId
from yudai.solves.tables import SolveRow
from yudai.store.rows import WorkRow

Kind = Literal["solve", "run"]


class Claim(NamedTuple):
    """The right to write about a solve or a run, until a newer claim exists."""

    kind: Kind
    of: SolveId | RunId
    worker_id: WorkerId
    attempt: int

    def check(self, row: WorkRow) -> None:
        if (row.worker_id, row.attempt) != (self.worker_id, self.attempt):
            raise ClaimLostError(f"{self.kind} {self.of} was taken over by another worker")


def claim_of(row: WorkRow) -> Claim:
    kind = "solve" if isinstance(row, SolveRow) else "run"
    return Claim(kind, row.id, row.worker_id, row.attempt)


def kind_of(table: type[WorkRow]) -> Kind:
    return cast("Kind", table.__tablename__.removesuffix("s"))

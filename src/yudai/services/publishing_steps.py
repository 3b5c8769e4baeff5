"""What comes next with a publication, by where it stands."""

from dataclasses import dataclass

from yudai.domain.publication import PublicationState
from yudai.services.publishing_branch import Brancher
from yudai.services.publishing_comment import Teller
from yudai.services.publishing_desk import Desk
from yudai.services.publishing_pull import Puller
from yudai.store.forge_tables import PublicationRow
from yudai.store.publications import Move


@dataclass(frozen=True)
class Steps:
    """Each looks before it acts: it may be begun again after a crash or a lost answer."""

    desk: Desk
    brancher: Brancher
    teller: Teller

    async def next(self, row: PublicationRow) -> Move:
        """RefusedError and ForgeError: nothing has come of it."""
        acts = {
            PublicationState.REQUESTED: self.brancher.commit if row.run_id else self.teller.tell,
            PublicationState.COMMITTED: self.brancher.push,
            PublicationState.PUSHED: Puller(self.desk).open,
            PublicationState.OPENED: self.teller.tell,
            # At rest, but for a comment that says why.
            PublicationState.REFUSED: self.teller.tell,
            PublicationState.STALE: self.teller.tell,
        }
        return await acts[row.state](await self.desk.work(row))

"""What comes next with a publication, by where it stands."""

from dataclasses import dataclass
from functools import partial

from yudai.publishing.branch import Brancher
from yudai.publishing.comment import Teller
from yudai.publishing.context import Desk
from yudai.publishing.domain.publication import PublicationState
from yudai.publishing.pull_request import open_pull_request
from yudai.publishing.queries import Move
from yudai.publishing.tables import PublicationRow


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
            PublicationState.PUSHED: partial(open_pull_request, self.desk),
            PublicationState.OPENED: self.teller.tell,
            # At rest, but for a comment that says why.
            PublicationState.REFUSED: self.teller.tell,
            PublicationState.STALE: self.teller.tell,
        }
        return await acts[row.state](await self.desk.work(row))

"""A server that publishes, over HTTP."""

import asyncio
from dataclasses import dataclass

from yudai.cli.http.client import AwayError, Remote, read_as
from yudai.kit.errors import NotFoundError
from yudai.kit.ids import SolveId
from yudai.publishing.publication_views import PublicationView

_PAUSE_S = 1.0


@dataclass(frozen=True)
class ServerDesk:
    remote: Remote

    async def ask(self, solve_id: SolveId) -> PublicationView:
        """A lost answer is no second pull request: who asks again is told that it is under way."""
        path = f"/api/solves/{solve_id}/publish"
        try:
            found = await self.remote.post(path)
        except AwayError:
            await asyncio.sleep(_PAUSE_S)
            found = await self.remote.post(path)
        return read_as(PublicationView, found, self.remote.url)

    async def view(self, solve_id: SolveId) -> PublicationView | None:
        try:
            found = await self.remote.get(f"/api/solves/{solve_id}/publication")
        except NotFoundError:
            return None
        return read_as(PublicationView, found, self.remote.url)

    async def go_on(self, seen: PublicationView) -> None:
        del seen
        await asyncio.sleep(_PAUSE_S)

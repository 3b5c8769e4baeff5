"""A repository with people of every kind, and whoever listens to what they ask for."""

from dataclasses import replace

from sqlalchemy import select

from tests.support.api_client import FakeCredentials, Place, as_port
from tests.support.forge.forge_in_memory import MemoryForge
from yudai.arena.forge_issue import ForgeIssueReader
from yudai.forge.domain.repository import RepoRef, Role
from yudai.forge.ports.remote import CredentialKind
from yudai.kit.clock import SystemClock
from yudai.solves import queries as solves
from yudai.solves.domain.states import SolveEvent
from yudai.solves.tables import SolveRow
from yudai.triggers.open_solves import Triggers
from yudai.triggers.tables import TriggerRow


class Watch(SystemClock):
    """A clock that goes by its second hand alone, as the forge's does."""

    def __init__(self) -> None:
        self.at = 1_700_000_000.0

    def now(self) -> float:
        return self.at

    def later(self, seconds: float = 1.0) -> None:
        self.at += seconds


class Post:
    """A repository with people of every kind, and whoever listens to them."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.clock = Watch()
        self.forge = MemoryForge(clock=self.clock)
        roles = {"ada": Role.ADMIN, "wim": Role.WRITE, "tess": Role.TRIAGE, "rob": Role.READ}
        self.repo: RepoRef = self.forge.add_repository("ada/calc", roles=roles)
        server = self.forge.credential("ada", kind=CredentialKind.SERVER)
        self.credentials = FakeCredentials(everybody=server, writer=server)
        forge = as_port(self.forge)
        asks = ForgeIssueReader(forge, self.credentials, self.clock)
        self.triggers = Triggers(
            store=place.context.store,
            clock=self.clock,
            forge=forge,
            credentials=self.credentials,
            submitter=replace(place.submitter, remotes=asks),
            catalogue=place.submitter.catalogue,
            answerer=place.answers,
            label="yudai",
            matrix="model=gpt-4.1 temp=0.1,0.9 parallel=2",
        )
        self.number = self.forge.add_issue(self.repo, "It adds wrongly", body="1 + 1 is 3")

    async def check_issue(self, number: int | None = None) -> int:
        return await self.triggers.check_issue(self.repo, number or self.number)

    def say(self, text: str, *, by: str = "wim") -> int:
        self.clock.later()
        return self.forge.say(self.repo, self.number, text, by=by).id

    def label(self, *, by: str = "wim", label: str = "yudai") -> int:
        self.clock.later()
        return self.forge.add_label(self.repo, self.number, label, by=by).id

    async def solves(self) -> list[SolveRow]:
        async with self.place.context.store.read() as db:
            return list(await db.scalars(select(SolveRow).order_by(SolveRow.created_at)))

    async def end_all(self) -> None:
        for row in await self.solves():
            async with self.place.context.store.change() as db:
                await solves.advance(db, row.id, SolveEvent.CANCELLED, at=1.0)

    async def noted(self) -> list[tuple[str, str]]:
        async with self.place.context.store.read() as db:
            rows = await db.scalars(select(TriggerRow).order_by(TriggerRow.at, TriggerRow.key))
            return [(row.login, row.state) for row in rows]

    @property
    def answers(self) -> list[str]:
        comments = self.forge.held(self.repo).comments.values()
        return [one.body for one in comments if "Nothing was started" in one.body]

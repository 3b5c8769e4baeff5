"""The service as the API is given it: a real database and real folders, and an engine that waits.

Nothing is run: what an engine would be told is written down.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any, cast

import httpx
from fastapi import FastAPI
from pydantic import SecretStr
from starlette.routing import BaseRoute

from tests.support.forge.forge_in_memory import MemoryForge, MemoryRepository
from yudai.api.app import create_app
from yudai.arena.cancel import Stopper
from yudai.arena.forecast import Forecaster
from yudai.arena.forge_issue import ForgeIssueReader
from yudai.arena.open import Solves
from yudai.arena.read_patches import PatchReader
from yudai.arena.submit import Submitter
from yudai.artifacts.adapters.locations import Folder
from yudai.artifacts.adapters.object_store import ObjectStoreArtifacts
from yudai.artifacts.context import Context
from yudai.conversations.answer import ChatAnswerer
from yudai.conversations.service import Conversations
from yudai.decisions.apply import Applier
from yudai.engine.port import Engine, FlowStatus
from yudai.forge.adapters.folder.forge import LocalForge, open_preview
from yudai.forge.domain.repository import ForgeIssue, RepoRef
from yudai.forge.ports.remote import ANONYMOUS, Credential, RemoteForge
from yudai.gateway.catalogue import Catalogue
from yudai.gateway.domain.models import Model
from yudai.gateway.domain.routing import Routes
from yudai.gateway.port import Call, Completion
from yudai.kit.clock import SystemClock
from yudai.kit.errors import ForbiddenError, RefusedError
from yudai.kit.ids import MessageId, SolveId
from yudai.sandboxes.reap import Reaper
from yudai.settings import Settings
from yudai.solves.domain.budget import Budget
from yudai.store.store import Store
from yudai.triggers.webhooks import Deliveries
from yudai.views.repositories import Browser
from yudai.views.updates import open_updates
from yudai.wiring.accounts import make_accounts
from yudai.wiring.api_service import Service
from yudai.wiring.components import make_answers

BASE_URL = "http://127.0.0.1:8000"
UNCALLABLE = "vendor/locked"


@dataclass
class RecordingEngine:
    started: list[SolveId] = field(default_factory=list)
    answered: list[MessageId] = field(default_factory=list)
    concluded: list[tuple[SolveId, int]] = field(default_factory=list)
    broken: Exception | None = None

    async def start(self, solve_id: SolveId, *, user_id: str) -> None:
        self._refuse()
        assert user_id
        self.started.append(solve_id)

    async def answer(self, message_id: MessageId) -> None:
        self._refuse()
        self.answered.append(message_id)

    async def conclude(self, solve_id: SolveId, *, turn: int) -> None:
        self._refuse()
        self.concluded.append((solve_id, turn))

    async def status(self, solve_id: SolveId, *, turn: int = 0) -> FlowStatus:
        self._refuse()
        is_known = (solve_id, turn) in self.concluded if turn else solve_id in self.started
        return FlowStatus.QUEUED if is_known else FlowStatus.UNKNOWN

    def _refuse(self) -> None:
        if self.broken is not None:
            raise self.broken


class NobodysGateway:
    """Knows every model but one, and is never called."""

    def check(self, model: Model) -> None:
        if model.name == UNCALLABLE:
            raise RefusedError(f"{model.name} needs a key")

    async def complete(self, call: Call) -> Completion:
        raise AssertionError(f"{call.model} was called")


class WelcomingForge(MemoryForge):
    """Has every repository and every issue that it is asked for, called by its number alone."""

    def _seen(self, repo: RepoRef, by: Credential) -> MemoryRepository:
        if repo.full.lower() not in self._repositories:
            self.add_repository(repo.full)
        return super()._seen(repo, by)

    async def issue(self, repo: RepoRef, number: int, *, by: Credential) -> ForgeIssue:
        held = self._seen(repo, by)
        if number not in held.issues and number not in held.pulls:
            held.last_number = number - 1
            self.add_issue(repo, f"#{number}")
        return await super().issue(repo, number, by=by)


def as_port(forge: MemoryForge) -> RemoteForge:
    """Its methods are wrapped, and say less about what they return."""
    return cast("RemoteForge", forge)


@dataclass
class FakeCredentials:
    """One for everybody, and one for each user who was given theirs."""

    everybody: Credential = ANONYMOUS
    writer: Credential | None = None
    users: dict[str, Credential] = field(default_factory=dict[str, Credential])
    asked: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    async def own(self, user_id: str) -> Credential | None:
        return self.users.get(user_id)

    async def reading(self, repo: RepoRef, *, user_id: str) -> Credential:
        self.asked.append((repo.full, user_id))
        return self.users.get(user_id, self.everybody)

    async def writing(self, repo: RepoRef, *, user_id: str) -> Credential:
        if self.writer is None:
            raise ForbiddenError(f"nothing may push to {repo.full} for {user_id!r}")
        return self.writer


WEBHOOK_SECRET = SecretStr("it is signed with this")


@dataclass(frozen=True, kw_only=True)
class Place(Service):
    forge: MemoryForge
    credentials: FakeCredentials
    hints: list[tuple[str, int | None]]
    """What webhooks have made it look at."""
    reaper: Reaper = field(default_factory=lambda: Reaper({}))


@asynccontextmanager
async def open_place(home: Path, url: str, engine: Engine) -> AsyncGenerator[Place]:
    clock = SystemClock()
    settings = Settings.model_validate({"YUDAI_HOME": home, "DATABASE_URL": url})
    async with await Store.open(url) as store, open_updates(store, clock) as updates:
        context = Context(store, ObjectStoreArtifacts(Folder(home / "artifacts")), clock)
        catalogue = Catalogue(store, clock, Routes(openrouter=True))
        stopper = Stopper(store, clock)
        gateway = NobodysGateway()
        forge = LocalForge(home, clock, person=home)
        remote, credentials = WelcomingForge(url="https://github.com"), FakeCredentials()
        asks = ForgeIssueReader(as_port(remote), credentials, clock)
        hints: list[tuple[str, int | None]] = []

        async def hear(repo: RepoRef, number: int | None) -> None:
            hints.append((repo.full, number))

        submitter = Submitter(
            forge=forge,
            own_env=None,
            catalogue=catalogue,
            solves=Solves(store, engine, clock, gateway, stopper),
            store=store,
            clock=clock,
            defaults=Budget(max_contestants=12),
            sandbox_backend="bubblewrap",
            remotes=asks,
            patch_reader=PatchReader(context.artifacts, forge),
        )
        yield Place(
            settings=settings,
            context=context,
            submitter=submitter,
            forecaster=Forecaster(submitter, partial(open_preview, home, clock, person=home)),
            applier=Applier(context, forge),
            answers=make_answers(store, clock, engine),
            conversations=Conversations(
                context=context,
                engine=engine,
                submitter=submitter,
                answerer=ChatAnswerer(context, catalogue, gateway, None),
            ),
            updates=updates,
            engine=engine,
            forge=remote,
            credentials=credentials,
            browser=Browser(asks, credentials),
            deliveries=Deliveries(store, clock, remote.url, hear, hear, WEBHOOK_SECRET),
            accounts=make_accounts(settings, context, forge=as_port(remote), provider=None),
            hints=hints,
        )


def app_of(service: Any, **how: Any) -> FastAPI:
    """As `create_app` makes it, with routes that have been asked before.

    The first request makes what each route needs; anew for each test that takes longer than most.
    """
    app = create_app(service, **how)
    for place, route in enumerate(_routes()):
        if hasattr(route, "effective_candidates"):
            app.router.routes[place] = route
    return app


@cache
def _routes() -> list[BaseRoute]:
    return create_app(cast("Any", None)).router.routes


def client_of(app: Any, *, base_url: str = BASE_URL) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=base_url)

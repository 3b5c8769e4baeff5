"""A server that people log in to: a place with a crowd, over HTTP."""

import tempfile
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import httpx
from fastapi import FastAPI

from tests.support.api_client import (
    BASE_URL,
    Place,
    RecordingEngine,
    app_of,
    as_port,
    client_of,
    open_place,
)
from tests.support.forge.accounts_world import Crowd
from tests.support.servers.databases import _migrated_file
from tests.support.solve_rows import Ring, passed
from yudai.arena.forge_issue import ForgeIssueReader
from yudai.conversations import queries as conversations
from yudai.conversations.tables import ConversationRow
from yudai.forge.domain.repository import Role
from yudai.kit.ids import ConversationId, SolveId
from yudai.settings import Settings
from yudai.store.urls import sqlite_url
from yudai.views.repositories import Browser

SOLVE = SolveId("0190a000-0000-7000-8000-0000000000a1")
TALK = ConversationId("0190a000-0000-7000-8000-0000000000a3")
REPO = "https://forge.test/ada/calc"
ROLES = {"ada": Role.ADMIN, "wim": Role.WRITE, "olga": Role.WRITE, "rita": Role.READ}
"""Besides eve, who has nothing to do with it."""


@dataclass
class House:
    crowd: Crowd
    place: Place
    app: FastAPI

    def client(self, **headers: str) -> httpx.AsyncClient:
        opened = client_of(self.app)
        opened.headers.update(headers)
        return opened

    async def cookie(self, login: str) -> dict[str, str]:
        """Of a browser that has just logged in."""
        secret = (await self.crowd.log_in(login)).secret.get_secret_value()
        return {"Cookie": f"yudai-loopback={secret}"}

    async def key(self, login: str, *scopes: Any) -> dict[str, str]:
        person = await self.crowd.person(login)
        made = await self.crowd.keys.create(person.id, "a key", scopes=scopes)
        return {"Authorization": f"Bearer {made.key}"}


@asynccontextmanager
async def open_house(folder: Path, **settings: Any) -> AsyncGenerator[House]:
    folder = Path(tempfile.mkdtemp(dir=folder))
    file = folder / "yudai.db"
    file.write_bytes(_migrated_file())
    async with open_place(folder / "home", sqlite_url(file), RecordingEngine()) as plain:
        crowd = Crowd(plain.context.store)
        place = _guarded(plain, crowd, settings)
        yield House(crowd, place, app_of(place, **_allowed(place.settings)))


def _guarded(plain: Place, crowd: Crowd, given: dict[str, Any]) -> Place:
    base = plain.settings
    settings = Settings.model_validate(
        {
            "YUDAI_HOME": base.home,
            "DATABASE_URL": base.store_url,
            "AUTH_MODE": "github",
            "GITHUB_URL": crowd.forge.url,
            "YUDAI_ADMINS": "Ada",
            **given,
        }
    )
    asks = ForgeIssueReader(as_port(crowd.forge), crowd.keyring, plain.context.clock)
    return replace(
        plain,
        settings=settings,
        accounts=crowd.accounts,
        browser=Browser(asks, crowd.keyring, is_local=False),
    )


def _allowed(settings: Settings) -> dict[str, Any]:
    hosts = [name for name in (settings.domain,) if name]
    return {"hosts": hosts, "origins": [settings.frontend_url] if settings.frontend_url else []}


async def fill(house: House) -> None:
    """A private repository with a solve of olga's and a conversation of wim's."""
    crowd, place = house.crowd, house.place
    repo = crowd.forge.add_repository("ada/calc", roles=ROLES, is_private=True)
    crowd.forge.add_issue(repo, "It is wrong", by="olga")
    ring = Ring(place.context)
    olga, wim = await crowd.person("olga"), await crowd.person("wim")
    await ring.solve(passed(), passed(), id=SOLVE, user_id=olga.id, repo_url=REPO)
    row = ConversationRow(id=TALK, user_id=wim.id, repo_url=REPO, created_at=1.0)
    async with place.context.store.change() as db:
        await conversations.add(db, row)


def routes_of(app: FastAPI) -> Iterator[tuple[str, str, Any]]:
    """Every method and path, whether the contract tells of it or not; and what it is made of."""
    waiting: list[Any] = list(app.routes)
    while waiting:
        route = waiting.pop(0)
        if hasattr(route, "effective_candidates"):
            waiting += [*route.effective_candidates(), *route.effective_low_priority_routes()]
            continue
        for method in sorted(set(route.methods) - {"HEAD"}):
            yield method, route.path, getattr(route, "dependant", None)


__all__ = ["BASE_URL", "REPO", "SOLVE", "TALK", "House", "fill", "open_house", "routes_of"]

"""Routes of prepared bases: what is there, what can be removed, and by whom."""

from collections.abc import AsyncGenerator
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from tests.contracts.conftest import make_archive, spawn_one
from tests.support.api_client import Place, client_of
from tests.support.servers.login_server import open_house, routes_of
from yudai.api.app import PREFIX
from yudai.api.routes import sandboxes
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.process.backend import ProcessBackend
from yudai.sandboxes.port import BaseRef, BaseSpec

THEIRS = {"backend": "process"}


def with_bases(app: FastAPI) -> FastAPI:
    if "/api/bases" not in {path for _, path, _ in routes_of(app)}:
        app.include_router(sandboxes.bases, prefix=PREFIX)
    return app


@pytest.fixture
async def backend(place: Place, tmp_path: Path) -> AsyncGenerator[ProcessBackend]:
    backend = ProcessBackend(place.settings.home)
    await backend.prepare(BaseSpec(key="k", source=make_archive(tmp_path / "source.tar")))
    yield backend
    await backend.close()


@pytest.fixture
async def client(app: FastAPI) -> AsyncGenerator[httpx.AsyncClient]:
    async with client_of(with_bases(app)) as opened:
        yield opened


async def test_a_server_without_any(client: httpx.AsyncClient):
    answer = await client.get("/api/bases")
    assert (answer.status_code, answer.json()) == (200, {"bases": [], "total_bytes": 0})


async def test_what_is_there(client: httpx.AsyncClient, backend: ProcessBackend):
    await spawn_one(backend, BaseRef(key="k"))

    answer = await client.get("/api/bases", params=THEIRS)

    [facts] = await backend.bases()
    assert answer.json() == {"bases": [facts.model_dump()], "total_bytes": facts.size_bytes}
    assert facts.users == 1


async def test_one_that_is_used_stays(client: httpx.AsyncClient, backend: ProcessBackend):
    sandbox = await spawn_one(backend, BaseRef(key="k"))

    refused = await client.delete("/api/bases/k", params=THEIRS)
    await sandbox.destroy()
    removed = await client.delete("/api/bases/k", params=THEIRS)

    assert (refused.status_code, refused.json()["code"]) == (409, "conflict")
    assert "1 sandbox stands on base k" in refused.json()["detail"]
    assert (removed.status_code, removed.json()) == (200, {"key": "k"})
    assert await backend.bases() == []


@pytest.mark.parametrize("key", ["k", "none", "..", "%2e%2e", "a b", "x" * 300])
async def test_there_is_none(client: httpx.AsyncClient, key: str):
    answer = await client.delete(f"/api/bases/{key}")
    assert answer.status_code in (404, 405)


async def test_a_backend_that_is_away(client: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch):
    async def away(*_: object) -> None:
        raise SandboxError("the process backend is away")

    monkeypatch.setattr(ProcessBackend, "bases", away)
    answer = await client.get("/api/bases", params=THEIRS)
    assert (answer.status_code, answer.json()["code"]) == (503, "sandbox_unavailable")
    assert answer.json()["detail"] == "the process backend is away"
    assert answer.headers["retry-after"]


async def test_a_backend_that_is_none(client: httpx.AsyncClient):
    answer = await client.get("/api/bases", params={"backend": "docker"})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid_parameter")


@pytest.mark.parametrize(("login", "status"), [(None, 401), ("wim", 403), ("ada", 200)])
async def test_only_for_administrators(tmp_path: Path, login: str | None, status: int):
    async with open_house(tmp_path) as house:
        headers = {} if login is None else await house.cookie(login)
        async with client_of(with_bases(house.app)) as client:
            assert (await client.get("/api/bases", headers=headers)).status_code == status
            gone = await client.delete("/api/bases/none", headers=headers)
            assert gone.status_code == (404 if status == 200 else status)

"""Which backend is opened: the one that was asked for, never silently a weaker one."""

from collections.abc import AsyncGenerator
from pathlib import Path
from typing import get_args

import pytest

from tests.contracts.conftest import make_archive
from tests.support.clouds.e2b_server import FakeE2B
from tests.support.clouds.machine_users import needs_users
from tests.support.clouds.memory import ALL_KEPT
from yudai.kit.errors import RefusedError, SandboxError
from yudai.sandboxes.backends.bubblewrap.backend import BubblewrapBackend
from yudai.sandboxes.backends.container.cloud import ContainerCloud
from yudai.sandboxes.domain.backends import BACKENDS, REGISTERED, BackendName
from yudai.sandboxes.port import Backend, BaseRef, BaseSpec, Capabilities, Phase, ignore_blocked
from yudai.sandboxes.register import SandboxEntry
from yudai.settings import Settings
from yudai.store.store import Store
from yudai.wiring import backend_probe, sandboxes
from yudai.wiring.backend_probe import BackendFinding, Start, measure_start, probe_backends
from yudai.wiring.components import open_context
from yudai.wiring.doctor import examine
from yudai.wiring.sandboxes import CLOUDS, make_backend, make_register, open_backend


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    for name in ("SANDBOX_BACKEND", "E2B_API_KEY", "PRIME_API_KEY", "CONTAINER_ENGINE"):
        monkeypatch.delenv(name, raising=False)
    return Settings.at(tmp_path / "home")


@pytest.fixture
async def store(settings: Settings) -> AsyncGenerator[Store]:
    async with open_context(settings) as context:
        yield context.store


async def _refuse(_: object) -> Capabilities:
    raise SandboxError("no user namespaces here")


async def _agree(_: object) -> Capabilities:
    return Capabilities(backend="container", guarantees=ALL_KEPT)


def _without_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BubblewrapBackend, "capabilities", _refuse)


async def test_bubblewrap_where_no_one_chose(settings: Settings, store: Store):
    backend, capabilities = await open_backend(settings, store=store)

    assert capabilities.backend == "bubblewrap"
    assert capabilities.version.startswith("bubblewrap 0.")
    await backend.close()


async def test_containers_where_bubblewrap_cannot(
    settings: Settings, store: Store, monkeypatch: pytest.MonkeyPatch
):
    _without_bubblewrap(monkeypatch)
    monkeypatch.setattr(ContainerCloud, "examine", _agree)

    backend, capabilities = await open_backend(settings, store=store)

    assert capabilities.backend == "container"
    await backend.close()


async def test_with_neither_bubblewraps_own_remedy_is_reported(
    settings: Settings, store: Store, monkeypatch: pytest.MonkeyPatch
):
    _without_bubblewrap(monkeypatch)
    monkeypatch.setattr(ContainerCloud, "examine", _refuse)

    with pytest.raises(SandboxError, match="no user namespaces here"):
        await open_backend(settings, store=store)


async def test_anyone_who_asked_for_bubblewrap_gets_nothing_else(
    settings: Settings, store: Store, monkeypatch: pytest.MonkeyPatch
):
    _without_bubblewrap(monkeypatch)
    monkeypatch.setattr(ContainerCloud, "examine", _agree)

    with pytest.raises(SandboxError, match="no user namespaces here"):
        await open_backend(settings, "bubblewrap", store=store)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("e2b", "set E2B_API_KEY"),
        ("prime", "set PRIME_API_KEY"),
        ("e2bb", "there is no sandbox 'e2bb'.*e2b"),
    ],
)
def test_what_is_missing_is_named(settings: Settings, name: str, words: str):
    with pytest.raises(RefusedError, match=words):
        make_backend(settings, name)


@needs_users
async def test_the_doctor_tries_what_is_set_up_and_says_how_to_set_up_the_rest(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
):
    with FakeE2B(tmp_path / "e2b") as e2b:
        monkeypatch.setenv("E2B_API_KEY", e2b.key)
        monkeypatch.setenv("E2B_API_URL", e2b.url)
        monkeypatch.setenv("E2B_SANDBOX_URL", e2b.url)
        monkeypatch.setenv("E2B_TEMPLATE_ID", "base")
        settings = Settings.at(tmp_path / "home")

        found = {one.name: one for one in await probe_backends(settings, store)}
        assert list(found) == list(BACKENDS)
        assert found["e2b"].usable
        assert found["e2b"].version.startswith("e2b 2.")
        assert found["e2b"].start_ms
        assert "2 processors, 4096 MB memory" in found["e2b"].limits
        assert (e2b.sandboxes, e2b.snapshots) == ({}, {})
        made = e2b.faults.count("POST /v2/sandboxes")
        assert made == 2
        assert "set PRIME_API_KEY" in found["prime"].detail
        assert not found["prime"].set_up

        free = {one.name: one for one in await probe_backends(settings, store, starts=False)}
        assert free["e2b"].usable
        assert free["e2b"].start_ms is None
        assert e2b.faults.count("POST /v2/sandboxes") == made


async def test_the_doctor_goes_by_what_a_solve_would_use(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    _without_bubblewrap(monkeypatch)
    monkeypatch.setattr(ContainerCloud, "examine", _agree)
    monkeypatch.setattr(backend_probe, "measure_start", _started)

    found = await examine(settings)
    chosen = [(one.name, one.usable) for one in found.sandboxes if one.default]
    assert (found.ready, chosen) == (True, [("container", True)])

    asked = settings.model_copy(update={"sandbox_backend": "bubblewrap"})
    found = await examine(asked)
    chosen = [(one.name, one.usable) for one in found.sandboxes if one.default]
    assert (found.ready, chosen) == (False, [("bubblewrap", False)])


@pytest.mark.parametrize("engine", ["docker", None])
async def test_the_doctor_tries_containers_where_there_is_an_engine(
    settings: Settings,
    store: Store,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    engine: str | None,
):
    folder = tmp_path / "bin"
    folder.mkdir()
    if engine:
        (folder / engine).write_text("#!/bin/sh\nexit 1\n")
        (folder / engine).chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.setattr(backend_probe, "open_backend", _open_bubblewrap)
    monkeypatch.setattr(ContainerCloud, "examine", _refuse)
    monkeypatch.setattr(backend_probe, "measure_start", _started)

    [found] = [one for one in await probe_backends(settings, store) if one.name == "container"]

    words = "no user namespaces here" if engine else "no podman or docker"
    assert (found.set_up, words in found.detail) == (engine is not None, True)
    named = settings.model_copy(update={"container_engine": "podman --runtime='"})
    [found] = [one for one in await probe_backends(named, store) if one.name == "container"]
    assert found.set_up


async def test_two_doctors_at_once_do_not_take_each_others_base(settings: Settings):
    one, other = make_backend(settings, "process"), make_backend(settings, "process")
    prepare = other.prepare

    async def late(spec: BaseSpec, *, owner: str = "") -> BaseRef:
        base = await prepare(spec, owner=owner)
        await measure_start(one)
        return base

    other.prepare = late  # type: ignore[method-assign]
    assert (await measure_start(other)).ms
    assert await one.bases() == []
    await one.close()
    await other.close()


async def test_a_doctor_who_fails_leaves_no_base(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
):
    backend = make_backend(settings, "process")

    async def refuse(*_: object, **__: object) -> list[SandboxError]:
        return [SandboxError("no room")]

    monkeypatch.setattr(backend, "spawn", refuse)
    with pytest.raises(SandboxError, match="no room"):
        await measure_start(backend)
    assert await backend.bases() == []
    await backend.close()


async def _open_bubblewrap(settings: Settings, **_: object) -> tuple[Backend, Capabilities]:
    backend = make_backend(settings, "bubblewrap")
    return backend, Capabilities(backend="bubblewrap", guarantees=ALL_KEPT)


async def _started(_: object) -> Start:
    return Start(1.0)


async def _doctor_at(
    e2b: FakeE2B, folder: Path, store: Store, monkeypatch: pytest.MonkeyPatch, **more: str
) -> BackendFinding:
    given = {"E2B_API_KEY": e2b.key, "E2B_API_URL": e2b.url, "E2B_SANDBOX_URL": e2b.url}
    for name, value in {**given, "E2B_TEMPLATE_ID": "base", **more}.items():
        monkeypatch.setenv(name, value)
    settings = Settings.at(folder / "home")
    [found] = [one for one in await probe_backends(settings, store) if one.name == "e2b"]
    return found


@needs_users
@pytest.mark.parametrize(("mb", "is_small"), [("4096", False), ("8192", True)])
@pytest.mark.real_on("8192")
async def test_the_doctor_says_when_a_template_is_too_small(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch, mb: str, *, is_small: bool
):
    with FakeE2B(tmp_path / "e2b") as e2b:
        more = {"SANDBOX_MEMORY_MB": mb}
        found = await _doctor_at(e2b, tmp_path, store, monkeypatch, **more)

    assert found.usable
    assert "2 processors, 4096 MB memory" in found.limits, "as it is, not as it was asked for"
    assert ("rebuild it" in found.detail) is is_small


async def test_the_doctor_takes_no_place_from_others(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
):
    others = make_register(store)
    await others.open_sandboxes(
        [SandboxEntry(id=n, backend="e2b", owner="run") for n in ("a", "b")]
    )
    with FakeE2B(tmp_path / "e2b") as e2b:
        more = {"E2B_MAX_SANDBOXES": "2"}
        found = await _doctor_at(e2b, tmp_path, store, monkeypatch, **more)
        assert e2b.faults.count("POST /v2/sandboxes") == 0

    assert (found.usable, found.start_ms) == (True, None)
    assert "not measured: all 2 sandboxes" in found.detail


@pytest.mark.parametrize(("runs", "at_once"), [(1, 2), (7, 7)])
def test_a_proof_needs_two_containers(settings: Settings, runs: int, at_once: int):
    given = settings.model_copy(update={"worker_max_runs": runs})
    provision = CLOUDS["container"](given, ignore_blocked, {})
    assert (provision.at_once, provision.is_accounts) == (at_once, False)


async def test_a_wrong_key_is_a_finding(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
):
    with FakeE2B(tmp_path / "e2b") as e2b:
        monkeypatch.setenv("E2B_API_KEY", "wrong")
        monkeypatch.setenv("E2B_API_URL", e2b.url)
        found = await probe_backends(Settings.at(tmp_path / "home"), store, starts=False)

    [one] = [one for one in found if one.name == "e2b"]
    assert not one.usable
    assert "E2B_API_KEY" in one.detail
    assert "wrong" not in one.detail.replace("wrong key", "")


@needs_users
async def test_command_agents_elsewhere_reach_our_endpoint_and_nothing_else(
    tmp_path: Path, store: Store, monkeypatch: pytest.MonkeyPatch
):
    agents = tmp_path / "agents.yaml"
    agents.write_text("agents:\n  other:\n    command: other-agent\n")
    with FakeE2B(tmp_path / "e2b") as e2b:
        given = {
            "E2B_API_KEY": e2b.key,
            "E2B_API_URL": e2b.url,
            "E2B_SANDBOX_URL": e2b.url,
            "E2B_TEMPLATE_ID": "base",
            "COMMAND_AGENTS": str(agents),
            "BACKEND_URL": "https://yudai.example/api",
        }
        for name, value in given.items():
            monkeypatch.setenv(name, value)
        backend = make_backend(Settings.at(tmp_path / "home"), "e2b", store=store)
        try:
            await backend.prepare(BaseSpec(key="k", source=make_archive(tmp_path / "source.tar")))
            for phase in (Phase.AGENT, Phase.VERIFICATION):
                [sandbox] = await backend.spawn(BaseRef(key="k"), 1, owner="me", phase=phase)
                assert not isinstance(sandbox, SandboxError), sandbox
        finally:
            await backend.close()
        asked = [
            c.json for c in e2b.faults.calls if (c.method, c.path) == ("POST", "/v2/sandboxes")
        ]

    _, agent, verification = (call.get("network") or {} for call in asked)
    assert agent["allowOut"] == ["yudai.example"]
    assert not verification.get("allowOut")


def test_each_row_of_the_registry_can_be_made():
    assert set(CLOUDS) == set(REGISTERED)
    assert set(BACKENDS) == {*CLOUDS, *sandboxes._LOCAL} == set(get_args(BackendName))

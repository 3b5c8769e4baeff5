"""`yudai reap` also looks where something may be left although the settings name it no more."""

import time
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.support.clouds import e2b_scene, engine_scene
from tests.support.clouds.e2b_server import FakeE2B
from tests.support.clouds.engine import FakeEngine
from tests.support.servers.databases import used_home
from yudai.cli.upkeep.reap import run_reap
from yudai.kit.errors import RefusedError
from yudai.kit.ids import WorkerId
from yudai.operations import telemetry
from yudai.sandboxes import queries as sandboxes
from yudai.sandboxes.backends.container.cloud import ContainerCloud
from yudai.sandboxes.backends.remote.cloud import INSTALLATION, SANDBOX_TAG
from yudai.sandboxes.reap import Swept
from yudai.sandboxes.register import BaseEntry, SandboxEntry
from yudai.settings import Settings
from yudai.store.holders import DEAD_S, Holder
from yudai.store.store import Store
from yudai.wiring.components import open_context
from yudai.wiring.sandbox_upkeep import open_reaper
from yudai.wiring.sandboxes import make_register

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def quiet() -> None:
    telemetry.set_up(verbose=False)


class House(NamedTuple):
    home: Path
    engine: FakeEngine

    @property
    def settings(self) -> Settings:
        return Settings.at(self.home)

    async def leave_container(self) -> str:
        """As a command with `--sandbox container` does that is killed."""
        async with open_context(self.settings) as context:
            machine_spec = engine_scene.machine_spec(
                installation=await make_register(context.store).installation()
            )
            cloud = ContainerCloud(
                engine=str(self.engine.program),
                image=engine_scene.IMAGE,
                home=self.home / "containers",
            )
            machine = await cloud.create(machine_spec)
            await cloud.close()
            await note(context.store, machine_spec.tags[SANDBOX_TAG], "container", machine.id)
        return machine.id


async def note(store: Store, sandbox_id: str, backend: str, external: str) -> None:
    entry = SandboxEntry(id=sandbox_id, backend=backend, owner="run-1", external=external)
    async with store.change() as db:
        dead = Holder(WorkerId("dead"), "elsewhere", 1)
        await sandboxes.open_sandbox(db, entry, dead, now=time.time() - 2 * DEAD_S)


async def note_base(settings: Settings, backend: str) -> None:
    async with open_context(settings) as context, context.store.change() as db:
        entry = BaseEntry(backend=backend, key="base", external="image")
        await sandboxes.keep_base(db, entry, now=time.time())


@pytest.fixture
def house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    engine = FakeEngine.install(tmp_path / "engine", "podman", engine_scene.IMAGE)
    monkeypatch.setenv("CONTAINER_ENGINE", str(engine.program))
    return House(used_home(tmp_path / "home"), engine)


@pytest.mark.parametrize("backend", ["", "container"])
async def test_containers_of_one_command_are_swept(house: House, backend: str, capsys: Captured):
    name = await house.leave_container()
    assert await run_reap(house.settings, dry_run=True, backend=backend) == 0
    assert f"- container {name}: its process is dead" in capsys.readouterr().out
    assert [*house.engine.containers()] == [name]
    assert await run_reap(house.settings, dry_run=False, backend=backend) == 0
    assert f"✓ container {name}: its process is dead" in capsys.readouterr().out
    assert house.engine.containers() == {}
    assert await run_reap(house.settings, dry_run=False, backend=backend) == 0
    assert capsys.readouterr().out == "There are no leftovers.\n"


async def test_what_was_never_used_is_not_asked(house: House, capsys: Captured):
    assert await run_reap(house.settings, dry_run=False) == 0
    assert capsys.readouterr().out == "There are no leftovers.\n"
    assert house.engine.calls() == []


async def test_a_base_alone_is_reason_enough(house: House):
    await note_base(house.settings, "container")
    assert await run_reap(house.settings, dry_run=False) == 0
    assert house.engine.calls("ps")


async def test_one_that_is_named_is_asked(house: House):
    assert await run_reap(house.settings, dry_run=False, backend="container") == 0
    assert house.engine.calls("ps")
    with pytest.raises(RefusedError, match="did you mean prime"):
        await run_reap(house.settings, dry_run=False, backend="prim")


async def test_what_a_running_server_has_not_seen_at_its_start(house: House):
    async with (
        open_context(house.settings) as context,
        open_reaper(house.settings, context.store) as reaper,
    ):
        assert (await reaper.tend()).leftovers == ()
        name = await house.leave_container()
        assert [left.id for left in (await reaper.tend()).leftovers] == [name]
        assert await reaper.tend() == Swept(dry_run=False, leftovers=(), failures=())
    assert house.engine.containers() == {}


async def test_at_e2b_with_a_key_and_without(
    house: House, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Captured
):
    with FakeE2B(tmp_path / "e2b") as e2b:
        async with open_context(house.settings) as context:
            cloud = e2b_scene.cloud_at(e2b, template="base")
            installation = await make_register(context.store).installation()
            machine = await cloud.create(e2b_scene.machine_spec(tags={INSTALLATION: installation}))
            await cloud.close()
            await note(context.store, "box-of-the-dead", "e2b", machine.id)

        assert await run_reap(house.settings, dry_run=False) == 1
        needed = "e2b was not checked: sandboxes at E2B need a key: set E2B_API_KEY"
        assert needed in capsys.readouterr().err
        assert [*e2b.sandboxes] == [machine.id]

        for name, value in {"KEY": e2b.key, "URL": e2b.url}.items():
            monkeypatch.setenv(f"E2B_API_{name}", value)
        assert await run_reap(house.settings, dry_run=False) == 0
        assert f"✓ e2b {machine.id}: its process is dead" in capsys.readouterr().out
        assert not e2b.sandboxes

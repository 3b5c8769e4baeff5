"""Prepared bases at a provider: built once, found, removed whole, and none that nobody knows."""

import asyncio
from functools import partial

import pytest

from tests.support.clouds.memory import LocalCloud, MemoryCloud, MemoryMachine
from tests.support.registers import MemoryRegister
from yudai.kit.errors import ConflictError, SandboxError
from yudai.sandboxes.backends.remote.base_snapshots import BaseSnapshots, Made
from yudai.sandboxes.register import SandboxEntry

KEY = "k.1"


class Store:
    """A shelf, its cloud and its register."""

    def __init__(self) -> None:
        self.cloud, self.register = MemoryCloud(), MemoryRegister()
        self.snapshots = BaseSnapshots(self.cloud, self.register, edition="1")
        self.built = 0

    async def build(self) -> Made:
        self.built += 1
        machine = MemoryMachine("m", {}, self.cloud)
        return Made(await self.cloud.snapshot(machine, f"base-{self.built}"), b"log", 100)

    async def prepare(self) -> None:
        await self.snapshots.prepare("k", self.build)

    async def use(self, sandbox: str) -> None:
        entry = SandboxEntry(id=sandbox, backend="memory", owner="me", base=KEY)
        await self.register.open_sandboxes([entry])


async def test_it_is_built_once_for_all_callers():
    store = Store()

    async with asyncio.TaskGroup() as group:
        for _ in range(5):
            group.create_task(store.prepare())

    assert store.built == 1
    [facts] = await store.snapshots.facts()
    assert (facts.key, facts.size_bytes, facts.users) == ("k", 100, 0)
    assert await store.snapshots.setup_log("k") == b"log"


async def test_one_that_its_provider_lost_is_built_again():
    store = Store()
    await store.prepare()
    store.cloud.snapshots.clear()
    other = BaseSnapshots(store.cloud, store.register, edition="1")

    await other.prepare("k", store.build)

    assert store.built == 2
    assert (await other.find("k")).external == "base-2@m"


async def test_one_that_cannot_be_noted_is_not_left(monkeypatch: pytest.MonkeyPatch):
    store = Store()

    async def refuse(*_: object, **__: object) -> bool:
        raise ConnectionError("the database is away")

    monkeypatch.setattr(store.register, "keep_base", refuse)
    with pytest.raises(ConnectionError):
        await store.prepare()

    assert store.built == 1
    assert store.cloud.snapshots == set()


async def test_who_has_lost_its_turn_removes_what_it_has_built_and_uses_the_others():
    store, goes_on = Store(), asyncio.Event()
    other = BaseSnapshots(store.cloud, MemoryRegister(store.register.scene), edition="1")

    async def slow() -> Made:
        made = await store.build()
        await goes_on.wait()
        return made

    late = asyncio.create_task(store.snapshots.prepare("k", slow))
    while not store.built:  # noqa: ASYNC110 - what is built here has no event
        await asyncio.sleep(0)
    # It was silent for long: its turn is over.
    store.register.scene.builders.clear()
    await other.prepare("k", store.build)
    goes_on.set()
    await late

    assert store.built == 2
    assert (await store.snapshots.find("k")).external == "base-2@m"
    assert store.cloud.snapshots == {"base-2@m"}
    assert await other.remove("k") is True
    assert store.cloud.snapshots == set()


async def test_who_has_lost_its_turn_does_not_remove_what_has_the_same_name():
    """Images of containers are named by what is in them: the later one takes the name."""
    store, goes_on = Store(), asyncio.Event()
    other = BaseSnapshots(store.cloud, MemoryRegister(store.register.scene), edition="1")

    async def build() -> Made:
        store.built += 1
        store.cloud.snapshots.add("same")
        return Made("same", b"")

    async def slow() -> Made:
        await goes_on.wait()
        return await build()

    late = asyncio.create_task(store.snapshots.prepare("k", slow))
    while not store.register.scene.builders:  # noqa: ASYNC110 - as above
        await asyncio.sleep(0)
    store.register.scene.builders.clear()
    await other.prepare("k", build)
    goes_on.set()
    await late

    assert (store.built, store.cloud.snapshots) == (2, {"same"})


async def test_a_look_that_was_slow_forgets_no_newer_base(monkeypatch: pytest.MonkeyPatch):
    store = Store()
    await store.prepare()
    other = BaseSnapshots(store.cloud, store.register, edition="1")

    async def slow(_: str) -> bool:
        entry = await store.snapshots.find("k")
        await store.register.keep_base(entry.model_copy(update={"external": "newer"}))
        monkeypatch.undo()
        store.cloud.snapshots.add("newer")
        return False

    monkeypatch.setattr(store.cloud, "has_snapshot", slow)
    await other.prepare("k", store.build)

    assert store.built == 1
    assert (await other.find("k")).external == "newer"


async def test_one_that_is_in_use_stays_as_it_was():
    store = Store()
    await store.prepare()
    before = await store.snapshots.find("k")
    store.register.scene.ahead_s += 3600
    await store.use("a")

    with pytest.raises(ConflictError, match="1 sandbox stands on base k"):
        await store.snapshots.remove("k")

    after = await store.snapshots.find("k")
    assert (after.external, after.made_at, after.used_at) == (
        before.external,
        before.made_at,
        before.used_at,
    )
    await store.register.close_sandbox("a")
    assert await store.snapshots.remove("k") is True
    assert (store.cloud.snapshots, await store.snapshots.facts()) == (set(), [])
    assert await store.snapshots.remove("k") is False


async def test_a_refused_removal_is_due_again_at_once_and_no_one_uses_it():
    store = Store()
    await store.prepare()
    store.cloud.dropping = [SandboxError("away")]

    with pytest.raises(SandboxError, match="away"):
        await store.snapshots.remove("k")

    [facts] = await store.snapshots.facts()
    assert facts.used_at == 0.0
    with pytest.raises(SandboxError, match="not prepared"):
        await store.snapshots.find("k")
    assert await store.snapshots.remove("k") is True
    assert store.cloud.snapshots == set()


async def test_a_mark_that_a_crash_left_under_its_users_is_lifted():
    store = Store()
    await store.prepare()
    await store.use("a")
    await store.register.rename_base("memory", KEY, "-base-1@m")
    other = BaseSnapshots(store.cloud, store.register, edition="1")

    await other.prepare("k", store.build)

    assert store.built == 1
    assert (await other.find("k")).external == "base-1@m"


async def test_a_removal_that_a_crash_cut_is_finished_before_it_is_built_again():
    store = Store()
    await store.prepare()
    await store.register.rename_base("memory", KEY, "-base-1@m")

    await store.prepare()

    assert store.built == 2
    assert store.cloud.snapshots == {"base-2@m"}


async def test_where_snapshots_are_a_hosts_own_each_host_has_its_base_and_sees_no_other():
    store = Store()
    clouds = [LocalCloud(where="one"), LocalCloud(where="two")]
    one, two = (BaseSnapshots(cloud, store.register, edition="1") for cloud in clouds)

    async def build(cloud: LocalCloud) -> Made:
        cloud.snapshots.add("same")
        return Made("same", b"", 100)

    for snapshots, cloud in zip((one, two), clouds, strict=True):
        await snapshots.prepare("k", partial(build, cloud))
    assert [[facts.key for facts in await snapshots.facts()] for snapshots in (one, two)] == [
        ["k"],
        ["k"],
    ]

    [entry] = [row for row in await store.register.bases("memory") if row.key.endswith("@one")]
    assert await two.remove(entry.key) is False
    assert await two.remove("k") is True
    assert [cloud.snapshots for cloud in clouds] == [{"same"}, set()]
    assert (len(await one.facts()), await two.facts()) == (1, [])
    newer = BaseSnapshots(clouds[0], store.register, edition="2")
    [old] = await newer.facts()
    assert await newer.remove(old.key) is True
    assert clouds[0].snapshots == set()


async def test_where_there_are_none_no_engine_is_asked():
    store, cloud = Store(), LocalCloud(where="one")

    async def fail() -> str:
        raise SandboxError("docker does not work")

    cloud.host = fail
    snapshots = BaseSnapshots(cloud, store.register, edition="1")
    assert (await snapshots.facts(), await snapshots.remove("k")) == ([], False)


async def test_bases_of_another_edition_are_not_used_and_can_be_removed():
    store = Store()
    await store.prepare()
    newer = BaseSnapshots(store.cloud, store.register, edition="2")

    with pytest.raises(SandboxError, match="not prepared"):
        await newer.find("k")
    [facts] = await newer.facts()
    assert facts.key == KEY
    assert await newer.remove(KEY) is True

"""Prepared bases on disk: who stands on one, and what removing it leaves."""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from yudai.kit.errors import ConflictError, SandboxError
from yudai.sandboxes.backends.local import bases as bases_module
from yudai.sandboxes.backends.local.base_build import RECORD, TREE, BuildSandbox, OpenBuildSandbox
from yudai.sandboxes.backends.local.bases import Bases, Builder
from yudai.sandboxes.backends.local.home import Home, locked
from yudai.sandboxes.backends.local.processes import hold
from yudai.sandboxes.backends.toolchain.toolchain import Chosen
from yudai.sandboxes.port import BaseSpec, Fate

SPEC = BaseSpec(key="k", source=Path("source.tar"))


@pytest.fixture(autouse=True)
def quick_build(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is in a base is another test's matter."""
    built: list[str] = []

    async def build(spec: BaseSpec, folder: Path, open_build_sandbox: OpenBuildSandbox) -> None:
        del open_build_sandbox
        built.append(spec.key)
        for name in (TREE, RECORD):
            (folder / name).mkdir(parents=True)
        (folder / TREE / "file").write_bytes(b"x" * 100_000)
        (folder / RECORD / "leftovers").touch()
        (folder / RECORD / "tracked").write_bytes(b"100644 blob %d\tfile\0" % len(built))

    monkeypatch.setattr(bases_module, "build", build)
    return built


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


@pytest.fixture
def bases(home: Home) -> Bases:
    home.lease()
    return Bases(home.bases)


def no_site(_: Chosen) -> OpenBuildSandbox:
    @asynccontextmanager
    async def build_sandbox(base: Path, *, setup: bool) -> AsyncGenerator[BuildSandbox]:
        raise AssertionError((base, setup))
        yield

    return build_sandbox


BUILDER = Builder(uid=os.getuid(), choose=Chosen, open_build_sandbox=no_site)


async def test_facts_are_measured_once(bases: Bases, home: Home):
    await bases.prepare(SPEC, BUILDER, home.living)
    [first] = await bases.facts("here", home.living)
    (bases.folder("k") / TREE / "more").write_bytes(b"y" * 1_000_000)
    os.utime(bases.folder("k") / "used", (1.0, 1.0))
    [before] = await bases.facts("here", home.living)
    record = home.new_sandbox("me", base="k")
    [after] = await bases.facts("here", home.living)

    assert first.size_bytes == before.size_bytes == after.size_bytes
    assert 100_000 <= (first.size_bytes or 0) < 200_000
    assert (first.backend, first.key, first.users, before.users, after.users) == (
        *("here", "k"),
        *(0, 0, 1),
    )
    assert before.used_at == 1.0
    assert after.used_at >= before.made_at > 1.0
    os.utime(bases.folder("k") / "used", (1.0, 1.0))
    home.remove_sandbox(record.id)
    [ended] = await bases.facts("here", home.living)
    assert (ended.users, ended.used_at >= before.made_at) == (0, True)
    home.release()


async def test_to_prepare_one_again_is_to_use_it(bases: Bases, home: Home, quick_build: list[str]):
    await bases.prepare(SPEC, BUILDER, home.living)
    os.utime(bases.folder("k") / "used", (1.0, 1.0))

    assert await bases.prepare(SPEC, BUILDER, home.living) is False

    [facts] = await bases.facts("here", home.living)
    assert facts.used_at > 1.0
    assert quick_build == ["k"]
    home.release()


async def test_one_that_was_built_before_sizes_were_known(bases: Bases, home: Home):
    await bases.prepare(SPEC, BUILDER, home.living)
    (bases.folder("k") / "base.json").write_text('{"env": null}')
    (bases.folder("k") / "used").unlink()

    [facts] = await bases.facts("here", home.living)

    assert (facts.size_bytes, facts.made_at, facts.used_at) == (None, 0.0, 0.0)
    assert await bases.remove("k", home.living) is True
    home.release()


async def test_what_a_dead_process_left_is_no_user(bases: Bases, home: Home, tmp_path: Path):
    await bases.prepare(SPEC, BUILDER, home.living)
    dead = Home(tmp_path / "home")
    dead.new_sandbox("you", base="k")
    with pytest.raises(ConflictError, match="1 sandbox stands on base k"):
        await bases.remove("k", home.living)

    dead.release()

    assert [facts.users for facts in await bases.facts("here", home.living)] == [0]
    assert await bases.remove("k", home.living) is True
    home.release()


async def test_no_sandbox_is_made_while_a_base_is_moved_away(bases: Bases, home: Home):
    """Either the record comes first and the base stays, or there is no sandbox."""
    await bases.prepare(SPEC, BUILDER, home.living)
    with locked(home.bases):
        making = asyncio.create_task(asyncio.to_thread(home.new_sandbox, "me", base="k"))
        done, _ = await asyncio.wait([making], timeout=0.1)
        assert not done
        assert home.records() == []
        bases.folder("k").rename(home.bases / ".gone-0123456789abcdef-k")

    with pytest.raises(SandboxError, match="base k is not prepared"):
        await making
    assert home.records() == []
    assert [path.name for path in home.lease().iterdir()] == ["lock"]
    home.release()


async def test_a_base_that_is_being_prepared_is_not_removed(
    bases: Bases, home: Home, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(bases_module, "_PATIENCE_S", 0.1)
    await bases.prepare(SPEC, BUILDER, home.living)
    async with hold(home.bases / ".lock-k"):
        with pytest.raises(ConflictError, match="base k is being prepared"):
            await bases.remove("k", home.living)

    assert await bases.remove("k", home.living) is True
    assert list(home.bases.iterdir()) == []
    home.release()


async def test_what_is_half_removed_is_reaped(bases: Bases, home: Home):
    await bases.prepare(SPEC, BUILDER, home.living)
    gone = home.bases / ".gone-0123456789abcdef-k"
    bases.folder("k").rename(gone)
    await bases.prepare(SPEC, BUILDER, home.living)

    [told] = await bases.reap("here", home.living, dry_run=True)
    assert (told.backend, told.id) == ("here", "k")
    assert gone.exists()
    async with hold(home.bases / ".lock-k"):
        assert await bases.reap("here", home.living) == []
    assert await bases.reap("here", home.living) == [told]

    assert [path.name for path in home.bases.iterdir()] == ["k"]
    assert await bases.reap("here", home.living) == []
    home.release()


async def test_a_lock_that_is_let_go_in_a_moment_is_waited_for(bases: Bases, home: Home):
    """What a builder was starting when it was killed holds it until it is started."""
    (home.bases / "half").mkdir()

    async def start() -> None:
        async with hold(home.bases / ".lock-half"):
            await asyncio.sleep(0.1)

    starting = asyncio.create_task(start())
    await asyncio.sleep(0)

    assert [told.id for told in await bases.reap("here", home.living)] == ["half"]

    await starting
    assert list(home.bases.iterdir()) == []
    home.release()


async def test_a_manifest_is_read_again_when_another_process_rebuilt_it(bases: Bases, home: Home):
    await bases.prepare(SPEC, BUILDER, home.living)
    first = await bases.manifest("k")
    assert await bases.manifest("k") is first
    other = Bases(home.bases)
    await other.remove("k", home.living)
    with pytest.raises(SandboxError, match="not prepared"):
        await bases.manifest("k")
    await other.prepare(SPEC, BUILDER, home.living)

    assert (await bases.manifest("k")).tracked != first.tracked
    home.release()


def away(home: Home) -> list[Path]:
    return list(home.bases.glob(".gone-*-k"))


async def lose_programs(bases: Bases, home: Home) -> None:
    """As after an upgrade of the host: what the base was built with is not there any more."""
    chosen = Chosen(python=Path("/nowhere/python3"))
    await bases.prepare(SPEC, BUILDER._replace(choose=lambda: chosen), home.living)


async def test_who_stands_on_one_that_is_built_again_keeps_it(bases: Bases, home: Home):
    await lose_programs(bases, home)
    record = home.new_sandbox("me", base="k")

    assert await bases.prepare(SPEC, BUILDER, home.living) is True

    [old] = away(home)
    assert (old / TREE / "file").read_bytes() == b"x" * 100_000
    younger = home.new_sandbox("me", base="k")
    assert await bases.reap("here", home.living) == []
    assert old.exists()
    home.remove_sandbox(record.id)
    assert [told.id for told in await bases.reap("here", home.living)] == ["k"]
    assert away(home) == []
    assert await bases.reap("here", home.living) == []
    home.remove_sandbox(younger.id)
    home.release()


async def test_what_no_one_stands_on_goes_when_it_is_built_again(bases: Bases, home: Home):
    await lose_programs(bases, home)
    assert await bases.prepare(SPEC, BUILDER, home.living) is True
    assert [path.name for path in home.bases.iterdir()] == ["k"]
    home.release()


async def test_no_sandbox_is_made_while_one_makes_way(bases: Bases, home: Home):
    """It would be one that stands on neither."""
    await lose_programs(bases, home)
    with locked(home.bases, shared=True):
        preparing = asyncio.create_task(bases.prepare(SPEC, BUILDER, home.living))
        done, _ = await asyncio.wait([preparing], timeout=0.1)
        assert not done
        record = home.new_sandbox("me", base="k")

    assert await preparing is True
    assert len(away(home)) == 1
    home.remove_sandbox(record.id)
    home.release()


async def test_one_whose_description_cannot_be_read_is_kept_for_its_sandboxes(
    bases: Bases, home: Home
):
    """Another version may have written it."""
    await bases.prepare(SPEC, BUILDER, home.living)
    record = home.new_sandbox("me", base="k")
    (bases.folder("k") / "base.json").write_text("{")

    assert await bases.reap("here", home.living) == []
    assert await bases.prepare(SPEC, BUILDER, home.living) is True

    assert len(away(home)) == 1
    home.remove_sandbox(record.id)
    home.release()


@pytest.fixture
def stuck(monkeypatch: pytest.MonkeyPatch) -> None:
    """The file of a base's tree cannot be removed, whoever asks."""
    unlink = Path.unlink

    def refuse(self: Path, **options: bool) -> None:
        if self.name == "file":
            raise PermissionError(1, "Operation not permitted", str(self))
        unlink(self, **options)

    monkeypatch.setattr(Path, "unlink", refuse)


@pytest.mark.usefixtures("stuck")
async def test_one_that_cannot_be_removed_keeps_no_other(bases: Bases, home: Home):
    gone = [home.bases / f".gone-000000000000000{n}-{key}" for n, key in enumerate("ab")]
    for folder in gone:
        folder.mkdir()
    (gone[0] / "file").touch()

    for keys in (["a", "b"], ["a"]):
        found = await bases.reap("here", home.living)
        assert sorted(told.id for told in found) == keys
        [refused] = [told for told in found if told.fate is Fate.REFUSED]
        assert (refused.id, refused.note) == (
            "a",
            f"cannot remove {gone[0]}: Operation not permitted",
        )
    home.release()


@pytest.mark.usefixtures("stuck")
async def test_to_remove_what_cannot_be_is_refused_in_one_line(bases: Bases, home: Home):
    await bases.prepare(SPEC, BUILDER, home.living)
    with pytest.raises(SandboxError, match=r"cannot remove .*k: Operation not permitted"):
        await bases.remove("k", home.living)
    [told] = await bases.reap("here", home.living)
    assert told.fate is Fate.REFUSED
    home.release()

"""A solve's source reaches workers on other machines, once and whole."""

import asyncio
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from yudai.artifacts.adapters.object_store import make_artifacts
from yudai.artifacts.port import ArtifactError, ArtifactKind, ArtifactRef, Artifacts
from yudai.artifacts.source_archives import Sources
from yudai.kit.errors import NotFoundError
from yudai.sandboxes.port import BaseSpec

ARCHIVE = os.urandom(300_000)


class Counting:
    """Artifacts that count, and can be made to wait or to fail."""

    def __init__(self, artifacts: Artifacts) -> None:
        self._real = artifacts
        self.saved = 0
        self.go = asyncio.Event()
        self.go.set()
        self.asked = asyncio.Event()
        self.broken = 0

    async def put(
        self, kind: ArtifactKind, content: bytes | AsyncIterator[bytes] | Path
    ) -> ArtifactRef:
        return await self._real.put(kind, content)

    async def get(self, ref: ArtifactRef) -> bytes:
        return await self._real.get(ref)

    async def stream(self, ref: ArtifactRef) -> AsyncIterator[bytes]:
        return await self._real.stream(ref)

    async def save(self, ref: ArtifactRef, target: Path) -> None:
        self.saved += 1
        self.asked.set()
        await self.go.wait()
        if self.broken:
            self.broken -= 1
            raise ArtifactError("the line was cut")
        await self._real.save(ref, target)

    async def check(self) -> None:
        await self._real.check()


@pytest.fixture
def artifacts(tmp_path: Path) -> Counting:
    return Counting(make_artifacts(str(tmp_path / "shared"), home=tmp_path))


@pytest.fixture
def base(tmp_path: Path) -> BaseSpec:
    """As the machine that took the solve knows it."""
    source = tmp_path / "here" / "sources" / "tree.tar"
    source.parent.mkdir(parents=True)
    source.write_bytes(ARCHIVE)
    return BaseSpec(key="k", source=source, setup=("make",))


@pytest.fixture
def elsewhere(artifacts: Counting, tmp_path: Path) -> Sources:
    return Sources(artifacts, tmp_path / "there" / "sources")


@pytest.fixture
async def kept(artifacts: Counting, base: BaseSpec, tmp_path: Path) -> ArtifactRef:
    """Kept, and gone from where it was: this is another machine now."""
    ref = await Sources(artifacts, tmp_path / "here" / "sources").keep(base)
    base.source.unlink()
    return ref


async def test_where_the_archive_is_nothing_is_fetched(
    artifacts: Counting, base: BaseSpec, tmp_path: Path
):
    here = Sources(artifacts, tmp_path / "here" / "sources")
    ref = await here.keep(base)
    assert ref.kind is ArtifactKind.SOURCE
    assert await here.fetch(base, ref) is base
    assert artifacts.saved == 0


async def test_keeping_it_costs_no_second_copy_on_one_disk(
    artifacts: Counting, base: BaseSpec, tmp_path: Path
):
    ref = await Sources(artifacts, tmp_path).keep(base)
    assert (tmp_path / "shared" / ref.key).samefile(base.source)


async def test_another_machine_fetches_it_once(
    elsewhere: Sources, artifacts: Counting, base: BaseSpec, kept: ArtifactRef
):
    first = await elsewhere.fetch(base, kept)
    second = await elsewhere.fetch(base, kept)
    assert first == second == base.model_copy(update={"source": first.source})
    assert first.source.parent == elsewhere.folder
    assert first.source.read_bytes() == ARCHIVE
    assert artifacts.saved == 1


async def test_who_wants_it_at_once_waits_for_the_same_download(
    elsewhere: Sources, artifacts: Counting, base: BaseSpec, kept: ArtifactRef
):
    artifacts.go.clear()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(elsewhere.fetch(base, kept)) for _ in range(10)]
        await artifacts.asked.wait()
        artifacts.go.set()
    assert {task.result().source.read_bytes() for task in tasks} == {ARCHIVE}
    assert artifacts.saved == 1


async def test_when_who_downloads_gives_up_or_fails_the_next_one_does_it(
    elsewhere: Sources, artifacts: Counting, base: BaseSpec, kept: ArtifactRef
):
    artifacts.go.clear()
    first = asyncio.create_task(elsewhere.fetch(base, kept))
    await artifacts.asked.wait()
    others = [asyncio.create_task(elsewhere.fetch(base, kept)) for _ in range(2)]
    artifacts.broken = 1
    first.cancel()
    artifacts.go.set()
    await asyncio.wait([first, *others])
    assert first.cancelled()
    [failed] = [task.exception() for task in others if task.exception()]
    [fetched] = [task.result() for task in others if not task.exception()]
    assert str(failed) == "the line was cut"
    assert fetched.source.read_bytes() == ARCHIVE
    assert artifacts.saved == 3


async def test_another_file_at_the_same_place_is_not_taken_for_it(
    elsewhere: Sources, base: BaseSpec, kept: ArtifactRef
):
    base.source.write_bytes(b"not what was taken")
    fetched = await elsewhere.fetch(base, kept)
    assert fetched.source.read_bytes() == ARCHIVE
    fetched.source.write_bytes(b"cut")
    assert (await elsewhere.fetch(base, kept)).source.read_bytes() == ARCHIVE


async def test_damage_on_the_way_leaves_no_file(
    elsewhere: Sources, base: BaseSpec, kept: ArtifactRef, tmp_path: Path
):
    with (tmp_path / "shared" / kept.key).open("r+b") as file:
        file.write(b"damage")
    with pytest.raises(ArtifactError, match="the stored source is damaged"):
        await elsewhere.fetch(base, kept)
    assert list(elsewhere.folder.iterdir()) == []


async def test_what_was_never_kept_stays_as_it_is(elsewhere: Sources, base: BaseSpec):
    base.source.unlink()
    assert await elsewhere.fetch(base, None) is base


async def test_what_is_no_longer_stored_is_said_so(
    elsewhere: Sources, base: BaseSpec, kept: ArtifactRef, tmp_path: Path
):
    (tmp_path / "shared" / kept.key).unlink()
    with pytest.raises(NotFoundError, match="the source is no longer stored"):
        await elsewhere.fetch(base, kept)

"""Every artifact store keeps this: in a folder and on an S3 server."""

import asyncio
import hashlib
import os
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from pydantic import ValidationError

from tests.support.servers.s3_server import artifacts_at, forget_surroundings, new_bucket
from yudai.artifacts.adapters.object_store import make_artifacts
from yudai.artifacts.port import ArtifactKind, ArtifactRef, Artifacts
from yudai.kit.errors import NotFoundError

pytestmark = pytest.mark.xdist_group("s3")

MIB = 1 << 20


@pytest.fixture(params=["folder", "s3"])
def artifacts(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Artifacts:
    if request.param == "folder":
        return make_artifacts(None, home=tmp_path)
    forget_surroundings(monkeypatch)
    return artifacts_at(new_bucket(), home=tmp_path)


async def chunks_of(content: bytes, size: int = 100_000) -> AsyncIterator[bytes]:
    for start in range(0, len(content), size):
        yield content[start : start + size]


@pytest.mark.parametrize("size", [0, 3, 25_600, 7 * MIB])
async def test_what_is_put_comes_back_byte_for_byte(
    artifacts: Artifacts, size: int, tmp_path: Path
):
    content = os.urandom(size)
    file = tmp_path / "content"
    file.write_bytes(content)
    digest = hashlib.sha256(content).hexdigest()
    ref = ArtifactRef(kind=ArtifactKind.PATCH, sha256=digest, size=size)
    assert await artifacts.put(ArtifactKind.PATCH, content) == ref
    assert await artifacts.put(ArtifactKind.PATCH, chunks_of(content)) == ref
    assert await artifacts.put(ArtifactKind.PATCH, file) == ref
    assert await artifacts.get(ref) == content
    assert b"".join([chunk async for chunk in await artifacts.stream(ref)]) == content
    await artifacts.save(ref, tmp_path / "deep" / "saved")
    assert (tmp_path / "deep" / "saved").read_bytes() == content


@pytest.mark.parametrize("way", ["stream", "file"])
async def test_a_stream_or_a_file_that_is_new_is_stored(
    artifacts: Artifacts, way: str, tmp_path: Path
):
    content = os.urandom(6 * MIB)
    file = tmp_path / "content"
    file.write_bytes(content)
    ref = await artifacts.put(ArtifactKind.SOURCE, file if way == "file" else chunks_of(content))
    assert await artifacts.get(ref) == content
    assert file.read_bytes() == content


async def test_equal_contents_have_one_name_also_when_put_at_once(artifacts: Artifacts):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(artifacts.put(ArtifactKind.PLAN, b"same")) for _ in range(20)]
    assert len({task.result().sha256 for task in tasks}) == 1
    assert await artifacts.get(tasks[0].result()) == b"same"


async def test_chunks_are_small(artifacts: Artifacts):
    ref = await artifacts.put(ArtifactKind.TRAJECTORY, os.urandom(4 * MIB))
    sizes = [len(chunk) async for chunk in await artifacts.stream(ref)]
    assert sum(sizes) == ref.size
    assert max(sizes) <= MIB


async def test_a_missing_one_is_said_plainly(artifacts: Artifacts, tmp_path: Path):
    missing = ArtifactRef(kind=ArtifactKind.TEST_LOG, sha256="0" * 64, size=1)
    with pytest.raises(NotFoundError, match="the test log is no longer stored"):
        await artifacts.get(missing)
    with pytest.raises(NotFoundError, match="no longer stored"):
        await artifacts.stream(missing)
    with pytest.raises(NotFoundError, match="no longer stored"):
        await artifacts.save(missing, tmp_path / "saved")
    assert not (tmp_path / "saved").exists()


async def test_a_store_that_works_passes_its_check(artifacts: Artifacts):
    await artifacts.check()
    await artifacts.put(ArtifactKind.PLAN, b"plan")
    await artifacts.check()


async def test_a_stream_that_breaks_off_stores_nothing_and_its_error_is_kept(
    artifacts: Artifacts, tmp_path: Path
):
    async def broken() -> AsyncIterator[bytes]:
        yield b"half"
        raise OSError(5, "the caller's own trouble")

    with pytest.raises(OSError, match="the caller's own trouble"):
        await artifacts.put(ArtifactKind.TRAJECTORY, broken())
    half = hashlib.sha256(b"half").hexdigest()
    with pytest.raises(NotFoundError):
        await artifacts.get(ArtifactRef(kind=ArtifactKind.TRAJECTORY, sha256=half, size=4))
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []


@pytest.mark.parametrize(
    "digest", ["", "../../etc/passwd", "0" * 63, "0" * 64 + "\n", "A" * 64, "0" * 63 + "/"]
)
def test_a_name_that_is_no_digest_cannot_even_be_asked_for(digest: str):
    with pytest.raises(ValidationError):
        ArtifactRef(kind=ArtifactKind.PATCH, sha256=digest, size=1)

"""Every artifact store keeps this."""

import asyncio
from pathlib import Path

import pytest

from yudai.adapters.artifacts.directory import DirectoryArtifacts
from yudai.domain.errors import NotFoundError
from yudai.ports.artifacts import ArtifactKind, ArtifactRef, Artifacts


@pytest.fixture
def artifacts(tmp_path: Path) -> Artifacts:
    return DirectoryArtifacts(tmp_path / "artifacts")


async def test_what_is_put_comes_back_byte_for_byte(artifacts: Artifacts):
    content = bytes(range(256)) * 100
    ref = await artifacts.put(ArtifactKind.PATCH, content)
    assert (ref.kind, ref.size) == (ArtifactKind.PATCH, len(content))
    assert await artifacts.get(ref) == content


async def test_equal_contents_have_one_name_also_when_put_at_once(artifacts: Artifacts):
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(artifacts.put(ArtifactKind.PLAN, b"same")) for _ in range(20)]
    assert len({task.result().sha256 for task in tasks}) == 1
    assert await artifacts.get(tasks[0].result()) == b"same"


async def test_a_missing_one_is_said_plainly(artifacts: Artifacts):
    with pytest.raises(NotFoundError, match="no longer stored"):
        await artifacts.get(ArtifactRef(kind=ArtifactKind.PATCH, sha256="0" * 64, size=1))


async def test_a_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    artifacts = DirectoryArtifacts(tmp_path)

    def no_space(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", no_space)
    with pytest.raises(OSError, match="No space left"):
        await artifacts.put(ArtifactKind.PATCH, b"content")
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []

"""A look that keeps nothing tells the same as a snapshot that is kept."""

from pathlib import Path

import pytest

from tests.support.forge.repositories import Repository, look
from yudai.forge.adapters.folder.forge import LocalForge, open_preview
from yudai.forge.ports.folder import Snapshot
from yudai.kit.clock import SystemClock
from yudai.kit.errors import RefusedError

FILES = {"a.py": "x = 1\n", "packages/api/b.py": "y = 2\n", "latin1.txt": b"\xe9\n"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def told(snapshot: Snapshot) -> dict[str, object]:
    return snapshot.model_dump(exclude={"source"})


@pytest.mark.parametrize("name", ["plain", 'a:b "quoted" \\ back', "#hash", "new\nline", "ünïcode"])
@pytest.mark.parametrize("dirty", [False, True])
async def test_it_tells_the_same(tmp_path: Path, home: Path, name: str, dirty: bool):  # noqa: FBT001
    repository = Repository.create(tmp_path / name, FILES)
    if dirty:
        repository.write({"a.py": "x = 3\n", "new.py": ""})
    clock = SystemClock()
    kept = LocalForge(tmp_path / "kept", clock, person=home)
    target = str(repository.root / "packages" / "api")
    before = look(repository.root)
    with open_preview(home, clock, dirty=dirty, person=home) as forge:
        seen = await forge.snapshot(target, dirty=dirty)
        assert seen.dirty is dirty
        assert not seen.source.exists()
        paths = await forge.paths(seen)
        content = await forge.read(seen, "a.py")
    assert look(repository.root) == before
    assert list(home.iterdir()) == []
    snapshot = await kept.snapshot(target, dirty=dirty)
    assert told(seen) == told(snapshot)
    assert paths == await kept.paths(snapshot)
    assert content == await kept.read(snapshot, "a.py")


async def test_what_is_refused_leaves_nothing_either(tmp_path: Path, home: Path):
    repository = Repository.create(tmp_path / "folder", FILES)
    repository.write({"a.py": "changed\n"})
    with (
        pytest.raises(RefusedError, match="uncommitted changes") as caught,
        open_preview(home, SystemClock(), dirty=False, person=home) as forge,
    ):
        await forge.snapshot(str(repository.root))
    assert caught.value.field == "dirty"
    assert list(home.iterdir()) == []

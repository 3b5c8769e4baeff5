"""Bubblewrap where the host refuses overlays: workspaces are copies, and all else is the same."""

import io
import tarfile
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.bubblewrap.backend import BubblewrapBackend
from yudai.sandboxes.port import BaseRef, BaseSpec, Sandbox

FILES = {"a.txt": b"one\n", "b/c.py": b"x = 1\n", "b/d.py": b"y = 1\n", ".gitignore": b"*.log\n"}


@pytest.fixture
async def backend(tmp_path: Path) -> AsyncGenerator[BubblewrapBackend]:
    backend = BubblewrapBackend(tmp_path / "home", overlays=False)
    yield backend
    await backend.close()


@pytest.fixture
async def base(backend: BubblewrapBackend, tmp_path: Path) -> BaseRef:
    with tarfile.open(tmp_path / "s.tar", "w") as archive:
        for name, content in FILES.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return await backend.prepare(BaseSpec(key="k", source=tmp_path / "s.tar"))


async def spawn(backend: BubblewrapBackend, base: BaseRef) -> Sandbox:
    [sandbox] = await backend.spawn(base, 1, owner="test")
    assert not isinstance(sandbox, SandboxError), sandbox
    return sandbox


async def test_it_says_that_workspaces_are_copies(backend: BubblewrapBackend):
    files = next(g for g in (await backend.capabilities()).guarantees if g.name == "files")

    assert files.holds
    assert "copy" in files.how


async def test_changes_are_seen_and_the_base_stays(backend: BubblewrapBackend, base: BaseRef):
    sandbox = await spawn(backend, base)
    assert await sandbox.tree() == ("", ())

    await sandbox.exec("echo two >>a.txt; rm b/c.py; echo z >new; echo x >x.log; touch b/d.py")

    tree = await sandbox.tree()
    assert tree.changed == ("a.txt", "b/c.py", "new")
    other = await spawn(backend, base)
    assert await other.tree() == ("", ())
    applied = await other.exec("git apply -", stdin=(await sandbox.diff()).encode())
    assert (applied.exit_code, applied.text) == (0, "")
    assert await other.tree() == tree


async def test_a_change_that_hides_its_time_is_seen(backend: BubblewrapBackend, base: BaseRef):
    sandbox = await spawn(backend, base)

    await sandbox.exec("touch -r a.txt ref; printf 'two\\n' >a.txt; touch -r ref a.txt; rm ref")

    assert (await sandbox.tree()).changed == ("a.txt",)


async def test_a_sandbox_steps_back_for_those_who_watch_over_it(
    backend: BubblewrapBackend, base: BaseRef
):
    sandbox = await spawn(backend, base)
    nice = await sandbox.exec("cut -d' ' -f19 /proc/self/stat")
    assert int(nice.text) == 10

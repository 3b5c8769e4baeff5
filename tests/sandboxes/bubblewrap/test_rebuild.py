"""A base is rebuilt while real sandboxes use it: they keep working."""

import asyncio
import json
from pathlib import Path

import pytest

from tests.contracts.conftest import FILES, make_archive
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.bubblewrap.backend import BubblewrapBackend
from yudai.sandboxes.port import Backend, BaseRef, BaseSpec, Sandbox

LOOK = "cat README.md src/deep/two.py made.txt; git status --short; git log --oneline | wc -l"


async def spawn_one(backend: Backend) -> Sandbox:
    [sandbox] = await backend.spawn(BaseRef(key="k"), 1, owner="run")
    assert not isinstance(sandbox, SandboxError), sandbox
    return sandbox


def lose_programs(home: Path) -> None:
    """As if the interpreter of its environment were gone."""
    about = home / "bases" / "k" / "base.json"
    fields = json.loads(about.read_text())
    fields["chosen"]["python"] = "/nowhere/bin/python3"
    about.write_text(json.dumps(fields))


@pytest.mark.parametrize("overlays", [True, False], ids=["overlay", "copy"])
async def test_sandboxes_outlive_the_base_that_they_stand_on(tmp_path: Path, *, overlays: bool):
    home = tmp_path / "home"
    spec = BaseSpec(key="k", source=make_archive(tmp_path / "s.tar"), setup=("echo 1 >made.txt",))
    ours = BubblewrapBackend(home, overlays=overlays)
    theirs = BubblewrapBackend(home, overlays=overlays)
    await ours.prepare(spec)
    sandbox = await spawn_one(ours)
    await sandbox.exec("echo more >>README.md")
    before, patch = (await sandbox.exec(LOOK)).text, await sandbox.diff()
    assert FILES["src/deep/two.py"].decode() in before
    lose_programs(home)

    building = asyncio.create_task(theirs.prepare(spec))
    while not building.done():
        assert (await sandbox.exec(LOOK)).text == before
        await asyncio.sleep(0.02)
    await building
    assert ((await sandbox.exec(LOOK)).text, await sandbox.diff()) == (before, patch)
    assert await theirs.reap() == []
    assert (await sandbox.exec(LOOK)).text == before
    fresh = await spawn_one(theirs)
    assert (await fresh.exec("cat README.md made.txt")).text == f"{FILES['README.md'].decode()}1\n"
    await sandbox.destroy()
    assert [told.id for told in await theirs.reap()] == ["k"]
    assert (await fresh.exec("cat made.txt")).text == "1\n"
    for backend in (ours, theirs):
        await backend.close()

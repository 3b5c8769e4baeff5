"""Branches, commits, pull requests and patches, put onto a snapshot in a mirror of ours."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.forge.remote_repository import BY, FILES, FIX, FULL, Scene, set_scene
from tests.support.servers.git_server import serving
from yudai.forge.domain.change import (
    BranchChange,
    Change,
    CommitChange,
    DiffText,
    PullChange,
    UnfitError,
)
from yudai.kit.errors import NotFoundError, RefusedError
from yudai.patches.patch import parse_patch


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with serving(tmp_path / "server") as server:
        yield set_scene(server, tmp_path / "home")


def on_branch(scene: Scene, files: dict[str, str], ref: str = "refs/heads/fix") -> str:
    """At the forge alone."""
    scene.work.git("checkout", "-q", "-b", "here")
    scene.work.write(files)
    commit = scene.work.commit("a change")
    scene.work.git("push", "-q", str(scene.server.bare(FULL)), f"HEAD:{ref}")
    scene.work.git("checkout", "-q", "main")
    scene.work.git("branch", "-q", "-D", "here")
    return commit


async def change(scene: Scene, what: Change) -> bytes:
    snapshot = await scene.mirrors.fetch(scene.repo, "main", by=BY)
    return await scene.mirrors.change(scene.repo, snapshot, what, by=BY)


async def test_each_way_to_name_a_change_gives_the_same_text(scene: Scene):
    commit = on_branch(scene, FIX)
    scene.work.git("push", "-q", str(scene.server.bare(FULL)), f"{commit}:refs/pull/7/head")
    scene.land({"docs/guide.md": FILES["docs/guide.md"].replace("line 3\n", "moved on\n")})
    text = scene.work.patch(FIX)
    for what in (BranchChange("fix"), CommitChange(commit), PullChange(7), DiffText(text)):
        assert await change(scene, what) == text
    assert parse_patch(text.decode()).paths == {"app.py"}


async def test_what_conflicts_with_the_base_says_where(scene: Scene):
    on_branch(scene, FIX)
    scene.land({"app.py": "def add(a, b):\n    return sum((a, b))\n"})
    with pytest.raises(UnfitError, match=r"conflicts with the base in app\.py"):
        await change(scene, BranchChange("fix"))


async def test_a_patch_of_an_older_base_is_applied_three_way(scene: Scene):
    old = scene.work.patch({"docs/guide.md": FILES["docs/guide.md"].replace("line 9\n", "nine\n")})
    moved = FILES["docs/guide.md"].replace("line 7\n", "seven\n").replace("line 11\n", "eleven\n")
    scene.land({"docs/guide.md": moved})
    nameless = old.replace(b"index ", b"index 1", 1).replace(b"..", b"..1", 1)
    with pytest.raises(UnfitError, match="does not apply"):
        await change(scene, DiffText(nameless))
    assert b"+nine" in await change(scene, DiffText(old))


@pytest.mark.parametrize(
    ("what", "words"),
    [
        (BranchChange("nope"), "has no branch nope"),
        (PullChange(99), "has no pull request #99"),
        (CommitChange("f" * 40), "no longer in"),
    ],
)
async def test_what_the_forge_does_not_have(scene: Scene, what: Change, words: str):
    with pytest.raises(NotFoundError, match=words):
        await change(scene, what)


@pytest.mark.parametrize("name", ["abc1234", "main", "--upload-pack=x"])
async def test_a_commit_is_asked_for_by_its_whole_name(scene: Scene, name: str):
    with pytest.raises(RefusedError, match="of 40 digits"):
        await change(scene, CommitChange(name))


@pytest.mark.parametrize("name", ["-x", "a..b", "a b", "HEAD"])
async def test_a_branch_has_a_branchs_name(scene: Scene, name: str):
    with pytest.raises(RefusedError, match="is not a branch name"):
        await change(scene, BranchChange(name))

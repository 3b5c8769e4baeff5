"""A commit from a patch, without a work tree: always the same one, and known upon any base."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.forge.remote_repository import BY, FIX, TEXT, Scene, set_scene
from tests.support.forge.repositories import Repository
from tests.support.servers.git_server import serving
from yudai.forge.adapters.mirrors.mirrors import RemoteMirrors
from yudai.kit.errors import NotFoundError, RefusedError


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with serving(tmp_path / "server") as server:
        yield set_scene(server, tmp_path / "home")


async def test_a_commit_upon_the_base(scene: Scene):
    built = await scene.build()

    ours = Repository(scene.mirror)
    assert ours.git("rev-parse", f"{built.commit}^").strip() == scene.work.head
    assert ours.git("rev-parse", f"{built.commit}^{{tree}}").strip() == built.tree
    assert ours.git("show", f"{built.commit}:app.py") == FIX["app.py"]
    assert built.paths == ("app.py",)
    shown = ours.git("show", "-s", "--format=%an <%ae> %at %cn <%ce> %ct%n%B", built.commit)
    who = "yudai-bot <bot@yudai.app> 1700000000"
    assert shown.strip() == f"{who} {who}\n[AI] Fix: #1 it"
    assert not (scene.mirror / "app.py").exists()
    assert list((scene.home / "remotes").glob(".*")) == []


async def test_the_same_input_is_the_same_commit_on_another_machine_at_another_time(
    scene: Scene, tmp_path: Path
):
    first = await scene.build()
    scene.land({"unrelated.py": "x\n"})
    patch = scene.work.patch(FIX)
    base = scene.work.git("rev-parse", "HEAD^").strip()
    elsewhere = RemoteMirrors(tmp_path / "elsewhere", allow_http=True)

    again = await elsewhere.build(scene.repo, base, patch, TEXT, by=BY)
    assert again == first
    assert again == await scene.mirrors.build(scene.repo, base, patch, TEXT, by=BY)


async def test_other_words_are_another_commit(scene: Scene):
    first = await scene.build()
    patch = scene.work.patch(FIX)
    for change in ({"message": "other"}, {"at": 1}, {"author": "x"}, {"email": "y@z"}):
        text = TEXT.model_copy(update=change)
        other = await scene.mirrors.build(scene.repo, scene.work.head, patch, text, by=BY)
        assert other.commit != first.commit
        assert other.tree == first.tree


async def test_an_author_cannot_write_headers(scene: Scene):
    text = TEXT.model_copy(update={"author": "a>\nparent 0 <b", "message": "x\0y"})
    built = await scene.mirrors.build(
        scene.repo, (await scene.mirrors.fetch(scene.repo, "main", by=BY)).commit,
        scene.work.patch(FIX), text, by=BY,
    )  # fmt: skip

    shown = Repository(scene.mirror).git("cat-file", "commit", built.commit)
    assert "author aparent 0 b <bot@yudai.app> 1700000000 +0000\n" in shown
    assert shown.count("parent ") == 3
    with pytest.raises(RefusedError, match="needs the name"):
        await scene.mirrors.build(
            scene.repo, scene.work.head, scene.work.patch(FIX),
            TEXT.model_copy(update={"author": "\n"}), by=BY,
        )  # fmt: skip


async def test_the_change_is_known_upon_another_base_and_so_is_its_opposite(scene: Scene):
    built = await scene.build()
    base = scene.work.head
    scene.land({"unrelated.py": "x\n"})
    picked = scene.land(FIX, "by hand")
    scene.work.git("revert", "--no-edit", picked)
    scene.server.publish(scene.work)

    landed = await scene.mirrors.landed_since(scene.repo, "main", base, by=BY)
    assert [one.message.split("\n")[0] for one in landed] == ["more", "by hand", 'Revert "by hand"']
    assert landed[1].patch_id == built.patch_id
    assert landed[2].patch_id == built.inverse_patch_id
    assert built.patch_id not in (built.inverse_patch_id, "")


async def test_additions_deletions_binaries_and_modes(scene: Scene):
    old = scene.land({"logo.png": b"\x89PNG\0" * 400, "run.sh": "#!/bin/sh\n", "gone": "x\n"})
    scene.work.write({"logo.png": b"\x89PNG\0" * 400 + b"more", "new file.py": "y\n"})
    (scene.work.root / "run.sh").chmod(0o755)
    (scene.work.root / "gone").unlink()
    patch = scene.work.take_patch()

    built = await scene.mirrors.build(scene.repo, old, patch, TEXT, by=BY)
    assert built.paths == ("gone", "logo.png", "new file.py", "run.sh")
    listing = Repository(scene.mirror).git("ls-tree", "-r", "--name-only", built.commit)
    assert "gone" not in listing.split("\n")
    assert built.patch_id
    assert built.inverse_patch_id


async def test_a_base_that_is_not_here_is_fetched_by_its_name(scene: Scene):
    base = scene.work.head
    patch = scene.work.patch(FIX)
    scene.land({"unrelated.py": "x\n"})

    built = await scene.mirrors.build(scene.repo, base, patch, TEXT, by=BY)
    assert Repository(scene.mirror).git("rev-parse", f"{built.commit}^").strip() == base


async def test_or_among_all_branches_where_names_are_not_taken(scene: Scene):
    base = scene.work.head
    patch = scene.work.patch(FIX)
    scene.land({"unrelated.py": "x\n"})
    scene.server.only_version_0 = True

    assert await scene.mirrors.build(scene.repo, base, patch, TEXT, by=BY)


async def test_a_base_that_is_gone(scene: Scene):
    with pytest.raises(NotFoundError, match=r"commit 1111111111.* is no longer in"):
        await scene.mirrors.build(scene.repo, "1" * 40, scene.work.patch(FIX), TEXT, by=BY)


@pytest.mark.parametrize("base", ["main", "-x", "HEAD", "1" * 39, "../x", "1" * 40 + "^{tree}"])
async def test_a_base_is_a_whole_name_of_a_commit(scene: Scene, base: str):
    with pytest.raises(RefusedError, match="is not a commit"):
        await scene.mirrors.build(scene.repo, base, scene.work.patch(FIX), TEXT, by=BY)


async def test_a_patch_that_does_not_fit(scene: Scene):
    snapshot = await scene.mirrors.fetch(scene.repo, "main", by=BY)
    patch = scene.work.patch(FIX).replace(b"return a - b", b"return a * b")

    with pytest.raises(RefusedError, match="the patch does not apply"):
        await scene.mirrors.build(scene.repo, snapshot.commit, patch, TEXT, by=BY)
    for empty in (b"", b"not a patch\n"):
        with pytest.raises(RefusedError, match=r"empty|not a git patch"):
            await scene.mirrors.build(scene.repo, snapshot.commit, empty, TEXT, by=BY)

"""How a base branch stands to what was built upon it, and what has landed there since."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.forge.remote_repository import BRANCH, BY, FIX, Scene, set_scene
from tests.support.servers.git_server import serving
from yudai.forge.adapters.git.command import Git, Ran
from yudai.forge.adapters.mirrors import history
from yudai.forge.ports.remote import BaseMove
from yudai.kit.errors import ConflictError, NotFoundError, RefusedError


@pytest.fixture
def scene(tmp_path: Path) -> Iterator[Scene]:
    with serving(tmp_path / "server") as server:
        yield set_scene(server, tmp_path / "home")


async def moved(scene: Scene, commit: str) -> BaseMove:
    return await scene.mirrors.base_move(scene.repo, "main", commit, by=BY)


async def test_a_base_that_did_not_move(scene: Scene):
    built = await scene.build()

    assert await moved(scene, built.commit) is BaseMove.NONE


async def test_a_base_that_has_our_commit_already(scene: Scene):
    built = await scene.build()
    await scene.mirrors.push(scene.repo, built.commit, BRANCH, by=BY)
    scene.work.git("pull", "-q", "--no-rebase", "--ff", "origin", BRANCH)
    scene.land({"docs/guide.md": "later\n"})

    assert await moved(scene, built.commit) is BaseMove.NONE


async def test_elsewhere(scene: Scene):
    built = await scene.build()
    scene.land({"docs/guide.md": "rewritten\n"})

    assert await moved(scene, built.commit) is BaseMove.APART


async def test_near_in_the_same_file(scene: Scene):
    guide = "".join(f"line {n}\n" for n in range(40))
    built = await scene.build({"docs/guide.md": guide.replace("line 3\n", "line three\n")})
    scene.land({"docs/guide.md": guide.replace("line 33\n", "line thirty-three\n")})

    assert await moved(scene, built.commit) is BaseMove.NEAR


async def test_in_conflict(scene: Scene):
    built = await scene.build()
    scene.land({"app.py": "def add(a, b):\n    return sum((a, b))\n"})

    assert await moved(scene, built.commit) is BaseMove.CONFLICT


async def test_a_file_that_became_a_folder_is_a_conflict(scene: Scene):
    built = await scene.build({"new": "a file\n"})
    scene.land({"new/inside.py": "x\n"})

    assert await moved(scene, built.commit) is BaseMove.CONFLICT


async def test_a_history_that_was_replaced_is_a_conflict(scene: Scene):
    built = await scene.build()
    scene.work.git("checkout", "-q", "--orphan", "fresh")
    scene.work.git("commit", "-q", "-m", "anew")
    scene.work.git("push", "-q", "-f", "origin", "fresh:main")

    assert await moved(scene, built.commit) is BaseMove.CONFLICT


async def test_what_merging_makes_is_not_kept(scene: Scene):
    built = await scene.build()
    scene.land({"docs/guide.md": "rewritten\n"})
    await scene.mirrors.fetch(scene.repo, "main", by=BY)
    before = sorted(scene.mirror.glob("objects/??/*"))

    assert await moved(scene, built.commit) is BaseMove.APART
    assert sorted(scene.mirror.glob("objects/??/*")) == before
    assert list((scene.home / "remotes").glob(".*")) == []


async def test_a_commit_that_is_not_here(scene: Scene):
    for commit in ("1" * 40, "main", "-x"):
        with pytest.raises(NotFoundError, match="is not in our copy"):
            await moved(scene, commit)
        with pytest.raises(NotFoundError, match="is not in our copy"):
            await scene.mirrors.landed_since(scene.repo, "main", commit, by=BY)


async def test_a_git_that_is_too_old_is_refused(scene: Scene, monkeypatch: pytest.MonkeyPatch):
    built = await scene.build()
    scene.land({"docs/guide.md": "rewritten\n"})
    real = Git.run

    async def old(self: Git, *args: str, **more: object) -> Ran:
        if args == ("version",):
            return Ran(0, b"git version 2.37.9\n", "")
        return await real(self, *args, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(Git, "run", old)
    with pytest.raises(RefusedError, match=r"git 2\.38 or newer is needed"):
        await moved(scene, built.commit)


async def test_what_landed_oldest_first(scene: Scene):
    base = scene.work.head
    shas = [scene.land({f"{n}.py": f"{n}\n"}, f"number {n}\n\nwhy") for n in range(3)]

    landed = await scene.mirrors.landed_since(scene.repo, "main", base, by=BY)
    assert [one.sha for one in landed] == shas
    assert [one.message for one in landed] == [f"number {n}\n\nwhy\n" for n in range(3)]
    assert {one.at for one in landed} == {1_700_000_000.0}
    assert len({one.patch_id for one in landed}) == 3
    assert await scene.mirrors.landed_since(scene.repo, "main", shas[-1], by=BY) == ()


async def test_a_merge_is_what_it_brings_to_its_first_parent(scene: Scene):
    built = await scene.build()
    base = scene.work.head
    await scene.mirrors.push(scene.repo, built.commit, BRANCH, by=BY)
    scene.land({"docs/guide.md": "rewritten\n"})
    scene.work.git("fetch", "-q", "origin", BRANCH)
    scene.work.git("merge", "-q", "--no-ff", "-m", "Merge pull request #1", "FETCH_HEAD")
    scene.server.publish(scene.work)

    landed = await scene.mirrors.landed_since(scene.repo, "main", base, by=BY)
    by_message = {one.message.strip(): one for one in landed}
    assert by_message["Merge pull request #1"].patch_id == built.patch_id
    assert by_message["[AI] Fix: #1 it"].sha == built.commit


async def test_at_most_so_many_and_the_rest_the_next_time(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(history, "MOST", 2)
    monkeypatch.setattr(history, "_AT_ONCE", 1)
    base = scene.work.head
    shas = [scene.land({f"{n}.py": f"{n}\n"}) for n in range(5)]

    seen = [base]
    for count in (2, 2, 1, 0):
        landed = await scene.mirrors.landed_since(scene.repo, "main", seen[-1], by=BY)
        assert len(landed) == count
        seen += [one.sha for one in landed]
    assert seen == [base, *shas]


async def test_a_commit_that_is_too_big_to_be_read_hides_no_other(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(history, "_LIMITS", history._LIMITS._replace(max_output=2000))
    base = scene.work.head
    scene.land({"small.py": "x\n"}, "small")
    scene.land({"big.txt": "long line\n" * 1000}, "big")
    scene.land({"empty.txt": ""}, "no lines")

    landed = await scene.mirrors.landed_since(scene.repo, "main", base, by=BY)
    assert [bool(one.patch_id) for one in landed] == [True, False, True]


async def test_messages_cannot_pass_for_patches_or_break_text(scene: Scene):
    base = scene.work.head
    forged = "commit " + "1" * 40 + "\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
    honest = scene.land({"a.py": "x\n"}, "honest")
    scene.work.write({"b.py": "y\n"})
    scene.work.git("add", "-A")
    scene.work.git("commit", "-q", "-F", "-", stdin=forged.encode() + b"\xff\xfe \x1b[31m")
    scene.server.publish(scene.work)

    landed = await scene.mirrors.landed_since(scene.repo, "main", base, by=BY)
    assert [one.sha for one in landed] == [honest, scene.work.head]
    assert all(one.patch_id for one in landed)
    assert landed[1].message.encode()


async def test_lines_that_are_left(scene: Scene):
    async def left(added: dict[str, tuple[str, ...]]) -> float:
        return await scene.mirrors.lines_left(scene.repo, "main", added, by=BY)

    scene.land({**FIX, "twice.py": "same\nsame\n"})
    assert await left({"app.py": ("    return a + b",)}) == 1.0
    assert await left({"app.py": ("    return a + b", "    gone()")}) == 0.5
    assert await left({"app.py": ("    gone()",), "missing.py": ("x",)}) == 0.0
    assert await left({"twice.py": ("same", "same", "same", "same")}) == 0.5
    # Braces and empty lines stand everywhere.
    assert await left({"app.py": ("", "}", "    return a + b")}) == 1.0
    assert await left({"app.py": ("", "}")}) == 1.0
    assert await left({}) == 1.0
    assert await left({"../etc/passwd": ("root",), "": ("x",), "docs": ("y",), "a\0b": ("z",)}) == 0


async def test_what_a_merge_would_change_upon_the_base_as_it_is_now(scene: Scene):
    guide = "".join(f"line {n}\n" for n in range(40))
    scene.land({"docs/guide.md": guide})
    built = await scene.build({"docs/guide.md": guide.replace("line 3\n", "line three\n")})
    scene.land({"docs/guide.md": guide.replace("line 33\n", "line thirty-three\n")})

    rebased = await scene.mirrors.rebased(scene.repo, "main", built.commit, by=BY)

    assert rebased.snapshot.commit == scene.work.git("rev-parse", "HEAD").strip()
    lines = rebased.patch.decode().splitlines()
    assert [line for line in lines if line[:1] in "+-" and line[:3] not in ("+++", "---")] == [
        "-line 3",
        "+line three",
    ]


async def test_what_does_not_merge_has_no_change_to_show(scene: Scene):
    built = await scene.build()
    scene.land({"app.py": "def add(a, b):\n    return sum((a, b))\n"})
    with pytest.raises(ConflictError, match="does not merge"):
        await scene.mirrors.rebased(scene.repo, "main", built.commit, by=BY)

"""Git on trees and configurations of others: what would run if one of our settings were missing."""

import asyncio
import os
import subprocess
import tarfile
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path

import pytest

from tests.support.fakes import StillClock
from tests.support.forge.remote_repository import BRANCH, BY, FULL, TEXT, Scene
from tests.support.forge.repositories import Repository
from tests.support.servers.git_server import serving
from yudai.forge.adapters.folder.forge import LocalForge
from yudai.forge.adapters.git import command as our_git
from yudai.forge.adapters.git import mirror
from yudai.forge.adapters.git.command import Git
from yudai.forge.adapters.mirrors import remote_git
from yudai.kit.errors import RefusedError
from yudai.patches import inspection


class Marks:
    """Programs that leave a file when they run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._folder.mkdir()

    def program(self, name: str) -> str:
        """As a configuration names it; what is given to it comes out again."""
        file = self._folder.parent / f"{name}.sh"
        file.write_text(f"#!/bin/sh\ntouch {self._folder}/{name}\ncat\n")
        file.chmod(0o755)
        return str(file)

    @property
    def ran(self) -> set[str]:
        return {file.name for file in self._folder.iterdir()}


@pytest.fixture
def marks(tmp_path: Path) -> Marks:
    return Marks(tmp_path / "marks")


@pytest.fixture
def booby_trapped(tmp_path: Path, marks: Marks) -> Repository:
    """A work tree as an agent may leave it: its own configuration names programs."""
    files = {"app.py": "x = 1\n", ".gitattributes": "*.py filter=evil diff=evil\n"}
    repository = Repository.create(tmp_path / "tree", files)
    (repository.root / ".git/config").write_text(
        "[core]\n\trepositoryformatversion = 0\n\tbare = false\n"
        f"\tfsmonitor = {marks.program('fsmonitor')}\n"
        f'[filter "evil"]\n\tclean = {marks.program("filter")}\n'
        f'[diff "evil"]\n\ttextconv = {marks.program("textconv")}\n'
    )
    (repository.root / "app.py").write_text("x = 2\n")
    return repository


async def take_tree(repository: Repository, home: Path) -> None:
    forge = LocalForge(home, StillClock(), person=home / "nobody")
    found = await forge.snapshot(str(repository.root), dirty=True)
    assert await forge.read(found, "app.py")


async def test_a_tree_is_read_without_its_own_configuration(
    booby_trapped: Repository, tmp_path: Path, marks: Marks
):
    await take_tree(booby_trapped, tmp_path / "home")
    assert marks.ran == set()


async def test_git_in_that_tree_runs_what_it_names_and_our_settings_alone_would_not_do(
    booby_trapped: Repository, marks: Marks
):
    root = booby_trapped.root
    for word in ("status", "diff"):
        await asyncio.to_thread(_plain_git, root, word)
    assert marks.ran == {"fsmonitor", "filter", "textconv"}

    for mark in (root.parent / "marks").iterdir():
        mark.unlink()
    (root / "app.py").write_text("x = 3\n")
    await Git(root / ".git", work_tree=root).ask("diff")
    # The hardened one has no list of all that a tree may name: it is never run in one.
    assert marks.ran == {"filter", "textconv"}


def _plain_git(folder: Path, *words: str) -> None:
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_TERMINAL_PROMPT": "0"}
    subprocess.run(["git", *words], cwd=folder, env=env, capture_output=True, check=True)


class Person:
    """A configuration of whoever started us, which somebody else has written into."""

    def __init__(self, folder: Path, marks: Marks, *, elsewhere: str, forge: str) -> None:
        self.home = folder
        hooks = folder / "hooks"
        hooks.mkdir(parents=True)
        for name in ("pre-push", "reference-transaction"):
            (hooks / name).symlink_to(marks.program("hook"))
        (folder / ".gitconfig").write_text(
            f"[core]\n\thooksPath = {hooks}\n"
            f'[filter "evil"]\n\tsmudge = {marks.program("smudge")}\n\trequired = true\n'
            f'[url "{elsewhere}/"]\n\tinsteadOf = {forge}/\n'
        )


async def publish(scene: Scene) -> None:
    built = await scene.build()
    await scene.mirrors.push(scene.repo, built.commit, BRANCH, by=BY)


def leave_out(monkeypatch: pytest.MonkeyPatch, name: str, keys: Iterable[str]) -> None:
    settings = getattr(our_git, name)
    left = {key: value for key, value in settings.items() if key not in set(keys)}
    monkeypatch.setattr(our_git, name, left)


def read_configuration(monkeypatch: pytest.MonkeyPatch, person: Person) -> None:
    """As git would by itself."""
    leave_out(monkeypatch, "_ALONE", ("GIT_CONFIG_GLOBAL", "HOME"))
    monkeypatch.setitem(our_git._ALONE, "HOME", str(person.home))


@pytest.mark.parametrize("layer", ["both", "configuration", "hooks path"])
async def test_no_hook_runs_and_each_of_two_defences_suffices(
    scene: Scene, tmp_path: Path, marks: Marks, monkeypatch: pytest.MonkeyPatch, layer: str
):
    person = Person(tmp_path / "person", marks, elsewhere="http://x.invalid", forge="http://y")
    monkeypatch.setenv("HOME", str(person.home))
    if layer == "hooks path":
        read_configuration(monkeypatch, person)
    if layer == "configuration":
        leave_out(monkeypatch, "_OURS", ("core.hooksPath",))
    await publish(scene)
    assert marks.ran == set()


async def test_without_both_a_hook_runs_in_our_own_mirror(
    scene: Scene, tmp_path: Path, marks: Marks, monkeypatch: pytest.MonkeyPatch
):
    person = Person(tmp_path / "person", marks, elsewhere="http://x.invalid", forge="http://y")
    read_configuration(monkeypatch, person)
    leave_out(monkeypatch, "_OURS", ("core.hooksPath",))
    await publish(scene)
    assert "hook" in marks.ran


async def mislead(scene: Scene, folder: Path, person: Callable[[str], Person]) -> bool:
    """Whether a configuration sent us to another server, whose files we took for the forge's."""
    with serving(folder) as elsewhere:
        elsewhere.create(FULL, {"evil.py": "x\n"})
        person(elsewhere.url)
        snapshot = await scene.mirrors.fetch(scene.repo, "main", by=BY)
        is_misled = "evil.py" in await scene.mirrors.paths(snapshot)
        assert bool(elsewhere.asked) is is_misled
        return is_misled


async def test_no_configuration_sends_us_elsewhere(
    scene: Scene, tmp_path: Path, marks: Marks, monkeypatch: pytest.MonkeyPatch
):
    def person(elsewhere: str) -> Person:
        made = Person(tmp_path / "person", marks, elsewhere=elsewhere, forge=scene.server.url)
        monkeypatch.setenv("HOME", str(made.home))
        return made

    assert not await mislead(scene, tmp_path / "elsewhere", person)


async def test_one_that_is_read_does(
    scene: Scene, tmp_path: Path, marks: Marks, monkeypatch: pytest.MonkeyPatch
):
    def person(elsewhere: str) -> Person:
        made = Person(tmp_path / "person", marks, elsewhere=elsewhere, forge=scene.server.url)
        read_configuration(monkeypatch, made)
        return made

    assert await mislead(scene, tmp_path / "elsewhere", person)


async def unpack(scene: Scene) -> dict[str, bytes]:
    """The archive that every sandbox starts from, of a tree whose attributes ask for programs."""
    scene.land(
        {
            ".gitattributes": "* filter=evil\nhidden.py export-ignore\n",
            "hidden.py": "evil()\n",
        }
    )
    snapshot = await scene.mirrors.fetch(scene.repo, "main", by=BY)
    with tarfile.open(snapshot.source) as archive:
        names = [member.name for member in archive if member.isfile()]
        return {name: archive.extractfile(name).read() for name in names}  # type: ignore[union-attr]


async def test_attributes_of_a_tree_run_nothing_and_hide_nothing(
    scene: Scene, tmp_path: Path, marks: Marks, monkeypatch: pytest.MonkeyPatch
):
    """Nor where the filter is somebody's own: large files' usual one, say."""
    person = Person(tmp_path / "person", marks, elsewhere="http://x.invalid", forge="http://y")
    read_configuration(monkeypatch, person)
    files = await unpack(scene)
    assert marks.ran == set()
    assert files["hidden.py"] == b"evil()\n"


async def test_without_our_own_attributes_they_do(
    scene: Scene, tmp_path: Path, marks: Marks, monkeypatch: pytest.MonkeyPatch
):
    person = Person(tmp_path / "person", marks, elsewhere="http://x.invalid", forge="http://y")
    read_configuration(monkeypatch, person)
    monkeypatch.setattr(mirror, "ATTRIBUTES", "")
    files = await unpack(scene)
    assert marks.ran == {"smudge"}
    assert "hidden.py" not in files


async def take_crooked_tree(scene: Scene) -> bool:
    """Whether a tree with a `.git` in it came into our mirror."""
    work = scene.work
    blob = work.git("hash-object", "-w", "--stdin", stdin=b"evil").strip()
    inner = work.git("mktree", stdin=f"100644 blob {blob}\tconfig\n".encode()).strip()
    tree = work.git("mktree", stdin=f"040000 tree {inner}\t.git\n".encode()).strip()
    commit = work.git("commit-tree", "-m", "x", tree).strip()
    work.git("push", "-q", "-f", "origin", f"{commit}:refs/heads/main")
    with pytest.raises(RefusedError):
        await scene.mirrors.fetch(scene.repo, "main", by=BY)
    return (await Git(scene.mirror).run("cat-file", "-e", commit)).exit_code == 0


async def test_crooked_objects_are_not_taken(scene: Scene):
    assert not await take_crooked_tree(scene)


async def test_unchecked_they_are(scene: Scene, monkeypatch: pytest.MonkeyPatch):
    """Git would still not unpack them, which is one defence less than two."""
    monkeypatch.setitem(remote_git._SETTINGS, "transfer.fsckObjects", "false")
    assert await take_crooked_tree(scene)


async def look_into_submodule(
    scene: Scene, folder: Path, look: Callable[[], Awaitable[object]]
) -> bool:
    """Whether looking at a repository made git look where it says that its submodule is."""
    with serving(folder) as elsewhere:
        elsewhere.create(FULL, {"evil.py": "x\n"})
        commit = elsewhere.git(FULL, "rev-parse", "main")
        url = f"{elsewhere.url}/{FULL}.git"
        scene.work.write({".gitmodules": f'[submodule "s"]\n\tpath = s\n\turl = {url}\n'})
        scene.work.git("add", ".gitmodules")
        scene.work.git("update-index", "--add", "--cacheinfo", f"160000,{commit},s")
        scene.work.git("commit", "-qm", "with a submodule")
        scene.server.publish(scene.work)
        await look()
        return bool(elsewhere.asked)


async def test_submodules_are_not_fetched(scene: Scene, tmp_path: Path):
    async def ours() -> None:
        await scene.mirrors.fetch(scene.repo, "main", by=BY)

    assert not await look_into_submodule(scene, tmp_path / "other", ours)


async def test_a_clone_with_submodules_fetches_them(scene: Scene, tmp_path: Path):
    async def with_submodules() -> None:
        url = str(scene.server.bare(FULL))
        words = ("clone", "-q", "--recurse-submodules", url, "clone")
        await asyncio.to_thread(_plain_git, tmp_path, *words)

    assert await look_into_submodule(scene, tmp_path / "other", with_submodules)


def adding(path: str) -> bytes:
    return (
        f"diff --git a/{path} b/{path}\nnew file mode 100644\nindex {'0' * 40}..{'1' * 40}\n"
        f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n"
    ).encode()


DECIDING = [".github/workflows/ci.yml", ".github/CODEOWNERS", "lib/.gitmodules", "Jenkinsfile"]


async def plant(scene: Scene, path: str) -> bool:
    """Whether a commit with such a file was built, ready to be pushed."""
    snapshot = await scene.mirrors.fetch(scene.repo, "main", by=BY)
    try:
        built = await scene.mirrors.build(scene.repo, snapshot.commit, adding(path), TEXT, by=BY)
    except RefusedError:
        return False
    return built.paths == (path,)


@pytest.mark.parametrize("path", DECIDING)
async def test_files_that_decide_what_runs_with_rights_are_never_published(scene: Scene, path: str):
    assert not await plant(scene, path)


@pytest.mark.parametrize("path", DECIDING)
async def test_without_the_list_of_them_they_are(
    scene: Scene, path: str, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(inspection, "_BLOCKED", ())
    assert await plant(scene, path)

"""Snapshots of folders: what is in them, and that nothing of theirs changes by looking."""

import asyncio
import io
import os
import shutil
import tarfile
from pathlib import Path

import pytest

from tests.support.fakes import StillClock
from tests.support.forge.repositories import Repository, look
from yudai.forge.adapters.folder.forge import LocalForge
from yudai.forge.adapters.git.mirror import Caps
from yudai.forge.ports.folder import Forge, Snapshot
from yudai.kit.errors import NotFoundError, RefusedError

FILES = {"README.md": "# Sample\n", "src/app.py": "answer = 41\n"}
POINTER = (
    "version https://git-lfs.github.com/spec/v1\n"
    "oid sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824\n"
    "size 5\n"
)


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository.create(tmp_path / "repo", FILES)


@pytest.fixture
def forge(tmp_path: Path) -> Forge:
    return make_forge(tmp_path)


def make_forge(tmp_path: Path, caps: Caps | None = None) -> Forge:
    return LocalForge(tmp_path / "home", StillClock(), person=tmp_path / "person", caps=caps)


def members(snapshot: Snapshot) -> dict[str, tarfile.TarInfo]:
    with tarfile.open(snapshot.source, errors="surrogateescape") as archive:
        return {member.name: member for member in archive if not member.isdir()}


def content(snapshot: Snapshot, name: str) -> bytes:
    with tarfile.open(snapshot.source, errors="surrogateescape") as archive:
        return (archive.extractfile(name) or io.BytesIO()).read()


async def test_it_says_what_it_found(repository: Repository, forge: Forge):
    found = await forge.snapshot(str(repository.root))

    assert (found.repo, found.root, found.folder) == ("repo", repository.root, "")
    assert (found.branch, found.commit, found.dirty) == ("main", repository.head, False)
    assert found.tree == repository.git("rev-parse", "HEAD^{tree}").strip()
    assert found.notes == ()
    assert Snapshot.model_validate_json(found.model_dump_json()) == found
    assert sorted(members(found)) == ["README.md", "src/app.py"]
    assert content(found, "src/app.py") == b"answer = 41\n"


async def test_looking_leaves_no_trace(repository: Repository, forge: Forge):
    repository.git("gc", "-q")
    repository.write({"src/app.py": "answer = 43\n"})
    repository.commit("loose objects beside a pack")
    before = look(repository.root)

    found = await forge.snapshot(str(repository.root))
    await forge.paths(found)
    await forge.read(found, "README.md")

    assert look(repository.root) == before


async def test_looking_at_changes_leaves_no_trace(repository: Repository, forge: Forge):
    repository.write({"src/staged.py": "1\n", "src/app.py": "answer = 42\n"})
    repository.git("add", "-A")
    repository.write({"README.md": "# Sample\n\nMore.\n", "new/file.txt": "answer = 42\n"})
    os.utime(repository.root / "src/staged.py", (1, 1))
    before = look(repository.root)

    with pytest.raises(RefusedError):
        await forge.snapshot(str(repository.root))
    assert look(repository.root) == before

    await forge.snapshot(str(repository.root), dirty=True)
    assert look(repository.root) == before


async def test_a_second_look_is_the_same(repository: Repository, forge: Forge):
    first = await forge.snapshot(str(repository.root))
    made = first.source.stat().st_ino
    os.utime(first.source, (1.0, 1.0))

    assert await forge.snapshot(str(repository.root)) == first
    assert first.source.stat().st_ino == made
    # Those that nobody uses are removed some day; this one is of use.
    assert first.source.stat().st_mtime > 1.0
    assert list(first.source.parent.iterdir()) == [first.source]
    assert not list((first.source.parent.parent / "repositories").glob(".*"))


async def test_a_folder_inside_is_a_target(repository: Repository, forge: Forge):
    found = await forge.snapshot(str(repository.root / "src"))

    assert (found.root, found.folder) == (repository.root, "src")
    assert "README.md" in members(found)


async def test_a_link_to_a_folder_is_a_target(repository: Repository, forge: Forge, tmp_path: Path):
    (tmp_path / "link").symlink_to(repository.root / "src")

    found = await forge.snapshot(str(tmp_path / "link"))

    assert (found.root, found.folder) == (repository.root, "src")


async def test_odd_names_modes_and_links_survive(repository: Repository, forge: Forge):
    odd = {"with space.txt": b"1", "new\nline": b"2", 'quo"te\t': b"3", "*.py": b"4", ":a": b"5"}
    odd |= {os.fsdecode(b"latin-\xfc.txt"): "Grüße".encode("latin-1"), "Ü/ü": b"6"}
    odd |= {"crlf.txt": b"a\r\nb\r\n", "binary": bytes(range(256)), "deep/" * 60 + "x": b"7"}
    repository.write(odd)
    (repository.root / "tool.sh").write_text("#!/bin/sh\n")
    (repository.root / "tool.sh").chmod(0o755)
    (repository.root / "link").symlink_to("src/app.py")
    repository.commit()

    found = await forge.snapshot(str(repository.root))

    packed = members(found)
    assert {name: content(found, name) for name in odd} == odd
    assert packed["tool.sh"].mode & 0o111 == 0o111
    assert packed["crlf.txt"].mode & 0o111 == 0
    assert packed["link"].linkname == "src/app.py"
    paths = await forge.paths(found)
    assert {*odd, *FILES, "tool.sh", "link"} == set(paths)
    for name, wanted in odd.items():
        assert await forge.read(found, name) == wanted


async def test_attributes_neither_hide_nor_change_anything(repository: Repository, forge: Forge):
    repository.write(
        {
            ".gitattributes": "*.txt export-ignore\n*.md export-subst ident\n*.py eol=crlf\n",
            "hidden.txt": "hidden\n",
            "id.md": "$Format:%H$ $Id$\n",
        }
    )
    repository.commit()

    found = await forge.snapshot(str(repository.root))

    assert content(found, "hidden.txt") == b"hidden\n"
    assert content(found, "id.md") == b"$Format:%H$ $Id$\n"
    assert content(found, "src/app.py") == b"answer = 41\n"


async def test_reading_says_what_is_not_there(repository: Repository, forge: Forge):
    (repository.root / "link.md").symlink_to("README.md")
    (repository.root / "src/up.md").symlink_to("../link.md")
    (repository.root / "out").symlink_to("/etc/passwd")
    (repository.root / "round").symlink_to("round")
    repository.commit()
    found = await forge.snapshot(str(repository.root))

    assert await forge.read(found, "src/up.md") == b"# Sample\n"
    for path in ("none", "src", "src/", "", "/", "../repo/README.md", "out", "round", "a\0b"):
        with pytest.raises(FileNotFoundError):
            await forge.read(found, path)
    with pytest.raises(OSError, match="too large"):
        await forge.read(found, "README.md", max_bytes=3)


async def test_a_snapshot_outlives_the_folder(repository: Repository, forge: Forge, tmp_path: Path):
    found = await forge.snapshot(str(repository.root))
    shutil.rmtree(repository.root)

    assert await forge.paths(found) == ("README.md", "src/app.py")
    assert await forge.read(found, "README.md") == b"# Sample\n"

    shutil.rmtree(tmp_path / "home")
    with pytest.raises(NotFoundError, match="no longer stored"):
        await forge.paths(found)


async def test_a_wide_object_format(tmp_path: Path, forge: Forge):
    repository = Repository.create(tmp_path / "wide", FILES, object_format="sha256")

    found = await forge.snapshot(str(repository.root))

    assert len(found.tree) == 64
    assert await forge.read(found, "README.md") == b"# Sample\n"


async def test_packed_objects_and_packed_branches(repository: Repository, forge: Forge):
    repository.git("branch", "other")
    repository.git("gc", "-q", "--prune=now")

    assert (await forge.snapshot(str(repository.root))).commit == repository.head
    assert (await forge.snapshot(str(repository.root), base="other")).branch == "other"


async def test_objects_borrowed_from_another_repository(
    repository: Repository, forge: Forge, tmp_path: Path
):
    borrower = tmp_path / 'bor:rower "quoted"'
    repository.git("clone", "-q", "--shared", str(repository.root), str(borrower))

    found = await forge.snapshot(str(borrower))

    assert await forge.read(found, "README.md") == b"# Sample\n"


async def test_a_shallow_clone(repository: Repository, forge: Forge, tmp_path: Path):
    repository.commit("second")
    shallow = tmp_path / "shallow"
    repository.git("clone", "-q", "--depth=1", f"file://{repository.root}", str(shallow))

    assert (await forge.snapshot(str(shallow))).commit == repository.head


async def test_a_second_work_tree(repository: Repository, forge: Forge, tmp_path: Path):
    repository.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    side = Repository(tmp_path / "side")
    side.write({"side.txt": "side\n"})
    side.commit()
    before = look(side.root), look(repository.root)

    found = await forge.snapshot(str(side.root))

    assert (found.branch, found.root) == ("side", side.root)
    assert "side.txt" in members(found)
    assert (look(side.root), look(repository.root)) == before
    side.write({"side.txt": "changed\n"})
    with pytest.raises(RefusedError, match=r"side\.txt"):
        await forge.snapshot(str(side.root))
    assert (await forge.snapshot(str(repository.root))).branch == "main"


async def test_another_base(repository: Repository, forge: Forge):
    first = repository.head
    repository.git("branch", "release/1.0")
    repository.git("tag", "-a", "v1", "-m", "v1")
    repository.write({"later.txt": "later\n"})
    second = repository.commit()
    repository.git("update-ref", "refs/remotes/origin/main", second)
    repository.write({"uncommitted.txt": "1"})

    for base in ("release/1.0", "v1", first, first[:8], "main~1", "HEAD^", "refs/tags/v1"):
        found = await forge.snapshot(str(repository.root), base=base)
        assert (found.commit, found.branch) == (first, base)
        assert "later.txt" not in members(found)
    for base in ("main", "HEAD", "origin/main"):
        with pytest.raises(RefusedError, match=r"uncommitted\.txt"):
            await forge.snapshot(str(repository.root), base=base)
    assert (await forge.snapshot(str(repository.root), base="main", dirty=True)).commit == second
    with pytest.raises(RefusedError, match="--dirty"):
        await forge.snapshot(str(repository.root), base="v1", dirty=True)


async def test_a_base_helps_a_detached_head(repository: Repository, forge: Forge):
    repository.git("checkout", "-q", "--detach")

    with pytest.raises(RefusedError, match=r"detached HEAD.*--base"):
        await forge.snapshot(str(repository.root))
    assert (await forge.snapshot(str(repository.root), base="main")).branch == "main"


@pytest.mark.parametrize("base", ["mian", "feature", "../../HEAD", "a..b", "-x", "main:README.md"])
async def test_an_unknown_base_gets_the_nearest_name(
    repository: Repository, forge: Forge, base: str
):
    with pytest.raises(NotFoundError, match=r"there is no branch or commit .* main\?"):
        await forge.snapshot(str(repository.root), base=base)


async def test_uncommitted_changes_are_named(repository: Repository, forge: Forge):
    repository.write({"src/app.py": "answer = 42\n", "a.txt": "", "b.txt": "", "c.txt": ""})
    repository.git("add", "a.txt")

    with pytest.raises(RefusedError) as refused:
        await forge.snapshot(str(repository.root))

    assert str(refused.value) == (
        "uncommitted changes in a.txt, src/app.py, b.txt and 1 more: "
        "commit or stash them, or use --dirty"
    )


async def test_uncommitted_changes_can_be_included(repository: Repository, forge: Forge):
    repository.write({"gone.txt": "", "moved.txt": "moved\n", "old/x.txt": "x", "kind": "file"})
    repository.commit()
    repository.write({"staged.txt": "staged\n", "both.txt": "first\n", "src/app.py": "1\n"})
    repository.git("add", "-A")
    repository.write({"both.txt": "second\n", "new/deep/untracked.txt": "new\n"})
    repository.write({os.fsdecode(b"\xff\n"): "odd\n", "intent.txt": "intent\n"})
    repository.git("add", "-N", "intent.txt")
    repository.git("mv", "moved.txt", "renamed.txt")
    (repository.root / "gone.txt").unlink()
    shutil.rmtree(repository.root / "old")
    (repository.root / "old").symlink_to("src")
    (repository.root / "kind").unlink()
    (repository.root / "kind").mkdir()
    (repository.root / "kind/inner.txt").write_text("inner\n")
    (repository.root / "README.md").chmod(0o755)

    found = await forge.snapshot(str(repository.root), dirty=True)

    assert found.dirty
    assert found.commit == repository.head
    assert set(members(found)) == {
        *("README.md", "src/app.py", "staged.txt", "both.txt", "new/deep/untracked.txt"),
        *("renamed.txt", "intent.txt", "old", "kind/inner.txt", os.fsdecode(b"\xff\n")),
    }
    assert content(found, "both.txt") == b"second\n"
    assert content(found, "staged.txt") == b"staged\n"
    assert content(found, "intent.txt") == b"intent\n"
    assert members(found)["old"].issym()
    assert members(found)["README.md"].mode & 0o111


async def test_nothing_uncommitted_is_not_dirty(repository: Repository, forge: Forge):
    found = await forge.snapshot(str(repository.root), dirty=True)

    assert not found.dirty
    assert found == await forge.snapshot(str(repository.root))


async def test_touched_files_are_no_change(repository: Repository, forge: Forge):
    os.utime(repository.root / "README.md", (1, 1))

    assert not (await forge.snapshot(str(repository.root))).dirty


async def test_a_change_within_the_clock_tick_of_the_index(repository: Repository, forge: Forge):
    """Same size, same times: only reading shows it, and git reads what is as young as its index."""
    file = repository.root / "src/app.py"
    index = (repository.root / ".git/index").stat()
    os.utime(file, ns=(index.st_mtime_ns, index.st_mtime_ns))
    repository.git("update-index", "--refresh")
    times = file.stat().st_mtime_ns
    os.utime(repository.root / ".git/index", ns=(times, times))
    file.write_text("answer = 42\n")
    os.utime(file, ns=(times, times))

    with pytest.raises(RefusedError, match=r"src/app\.py"):
        await forge.snapshot(str(repository.root))


async def test_ignored_files_are_no_change(repository: Repository, forge: Forge, tmp_path: Path):
    repository.write({".gitignore": "*.log\n"})
    repository.commit()
    (repository.root / ".git/info/exclude").write_text("*.mine\n!kept.swp\n")
    person = tmp_path / "person"
    (person / ".config/git").mkdir(parents=True)
    (person / ".config/git/ignore").write_text("*.swp\n")
    repository.write({"a.log": "", "b.mine": "", "c.swp": ""})

    assert not (await forge.snapshot(str(repository.root))).dirty

    repository.write({"kept.swp": ""})
    with pytest.raises(RefusedError, match=r"in kept\.swp:"):
        await forge.snapshot(str(repository.root))
    (repository.root / "kept.swp").unlink()

    (person / ".gitconfig").write_text("[core]\n\texcludesFile = ~/mine\n")
    with pytest.raises(RefusedError, match=r"in c\.swp:"):
        await forge.snapshot(str(repository.root))
    (person / "mine").write_text("c.*\n")
    assert not (await forge.snapshot(str(repository.root))).dirty


async def test_line_ends_as_the_person_has_them(
    repository: Repository, forge: Forge, tmp_path: Path
):
    (tmp_path / "person").mkdir()
    (tmp_path / "person/.gitconfig").write_text("[core]\n\tautocrlf = true\n")
    repository.write({"README.md": "# Sample\r\n"})
    repository.git("-c", "core.autocrlf=true", "add", "README.md")
    os.utime(repository.root / "README.md", (1, 1))

    found = await forge.snapshot(str(repository.root))

    assert content(found, "README.md") == b"# Sample\n"


async def test_submodules_links_and_pointers_are_reported(
    repository: Repository, forge: Forge, tmp_path: Path
):
    other = Repository.create(tmp_path / "other", {"x": "1"})
    allow = ("-c", "protocol.file.allow=always")
    repository.git(*allow, "submodule", "add", "-q", str(other.root), "vendor/other")
    repository.write({".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs -text\n"})
    repository.write({f"data/{name}.bin": POINTER for name in "abcd"})
    (repository.root / "host").symlink_to("/etc/hosts")
    (repository.root / "src/up").symlink_to("../../elsewhere")
    (repository.root / "src/fine").symlink_to("../README.md")
    repository.commit()

    found = await forge.snapshot(str(repository.root))

    assert found.notes == (
        "1 submodule is left empty: vendor/other",
        "4 LFS files are left as the pointer that git keeps: "
        "data/a.bin, data/b.bin, data/c.bin and 1 more",
        "2 symbolic links lead outside the repository: host, src/up",
    )
    assert "vendor/other" not in await forge.paths(found)
    assert "vendor/other/x" not in members(found)
    assert not found.dirty
    (repository.root / "vendor/other/x").write_text("2")
    assert not (await forge.snapshot(str(repository.root))).dirty
    assert (await forge.snapshot(str(repository.root / "vendor/other"), dirty=True)).dirty


async def test_checked_out_lfs_files_are_no_change(repository: Repository, forge: Forge):
    repository.write({".gitattributes": "*.bin filter=lfs -text\n", "a.bin": POINTER})
    repository.write({"b.bin": POINTER})
    repository.commit()
    (repository.root / "a.bin").write_bytes(b"hello")

    found = await forge.snapshot(str(repository.root))

    assert content(found, "a.bin") == POINTER.encode()
    (repository.root / "b.bin").write_bytes(b"olleh")
    with pytest.raises(RefusedError, match=r"in b\.bin:"):
        await forge.snapshot(str(repository.root))
    dirty = await forge.snapshot(str(repository.root), dirty=True)
    assert content(dirty, "a.bin") == POINTER.encode()
    assert content(dirty, "b.bin") == b"olleh"


async def test_a_filtered_file_with_the_index_own_times_is_no_change(
    repository: Repository, forge: Forge
):
    repository.git("config", "filter.rot.clean", "tr a-z b-za")
    repository.git("config", "filter.rot.smudge", "tr b-za a-z")
    repository.write({".gitattributes": "*.rot filter=rot\n", "a.rot": "abc\n"})
    repository.commit()
    stale = (repository.root / "a.rot").stat().st_mtime_ns + 1_000_000_000
    os.utime(repository.root / ".git/index", ns=(stale, stale))

    found = await forge.snapshot(str(repository.root))

    assert content(found, "a.rot") == b"bcd\n"


@pytest.mark.parametrize("flag", ["--sparse-index", "--no-sparse-index"])
async def test_a_sparse_checkout(repository: Repository, forge: Forge, flag: str):
    repository.write({"big/one.txt": "1\n", "big/deep/two.txt": "2\n", "small/x.txt": "x\n"})
    repository.commit()
    repository.git("sparse-checkout", "set", "--cone", flag, "small")
    assert not (repository.root / "big").exists()
    before = look(repository.root)

    found = await forge.snapshot(str(repository.root))

    assert not found.dirty
    assert content(found, "big/deep/two.txt") == b"2\n"
    repository.write({"small/x.txt": "changed\n"})
    dirty = await forge.snapshot(str(repository.root), dirty=True)
    assert content(dirty, "small/x.txt") == b"changed\n"
    assert content(dirty, "big/deep/two.txt") == b"2\n"
    assert {key for key, value in look(repository.root).items() if before[key] != value} == {
        os.fsencode(repository.root / "small/x.txt")
    }


async def test_a_split_index(repository: Repository, forge: Forge):
    repository.git("update-index", "--split-index")
    repository.write({"more.txt": "more\n"})
    repository.git("add", "more.txt")
    assert list((repository.root / ".git").glob("sharedindex.*"))

    with pytest.raises(RefusedError, match=r"in more\.txt:"):
        await forge.snapshot(str(repository.root))
    repository.git("commit", "-qm", "more")
    before = look(repository.root)

    assert not (await forge.snapshot(str(repository.root))).dirty
    assert look(repository.root) == before


async def test_a_repository_inside_is_left_out(repository: Repository, forge: Forge):
    Repository.create(repository.root / "inner", {"x": "1"})

    with pytest.raises(RefusedError, match="in inner/:"):
        await forge.snapshot(str(repository.root))
    found = await forge.snapshot(str(repository.root), dirty=True)

    assert found.notes == ("1 repository inside is left out: inner/",)
    assert not found.dirty


async def test_what_is_too_big_is_refused(repository: Repository, forge: Forge, tmp_path: Path):
    few = make_forge(tmp_path, Caps(files=1))
    small = make_forge(tmp_path, Caps(total_bytes=64))

    with pytest.raises(RefusedError, match=r"too big \(2 files"):
        await few.snapshot(str(repository.root))
    await small.snapshot(str(repository.root))
    repository.write({"big.txt": "x" * 100})
    before = look(repository.root)
    with pytest.raises(RefusedError, match="uncommitted changes are too big"):
        await small.snapshot(str(repository.root), dirty=True)
    assert look(repository.root) == before


async def test_names_that_are_no_text(repository: Repository, forge: Forge):
    repository.git("checkout", "-q", "-b", os.fsdecode(b"caf\xe9"))
    (repository.root / os.fsdecode(b"\xe9")).symlink_to("/etc/hosts")
    repository.commit()

    found = await forge.snapshot(str(repository.root))

    assert Snapshot.model_validate_json(found.model_dump_json()) == found
    assert found.branch == "caf\ufffd"
    assert found.notes == ("1 symbolic link leads outside the repository: \\udce9",)


async def test_several_looks_at_once(repository: Repository, forge: Forge):
    repository.write({"mine.txt": "mine\n"})

    async with asyncio.TaskGroup() as group:
        looks = [
            group.create_task(forge.snapshot(str(repository.root), dirty=True)) for _ in range(8)
        ]

    assert all(look.result() == looks[0].result() for look in looks)
    assert await forge.read(looks[0].result(), "mine.txt") == b"mine\n"


async def test_cancelling_a_look_leaves_nothing(
    repository: Repository, forge: Forge, tmp_path: Path
):
    """Git waits for a pipe that nobody writes to."""
    os.mkfifo(repository.root / ".gitignore")
    looking = asyncio.create_task(forge.snapshot(str(repository.root)))
    writer = await asyncio.to_thread(os.open, repository.root / ".gitignore", os.O_WRONLY)
    looking.cancel()

    with pytest.raises(asyncio.CancelledError):
        await looking

    with pytest.raises(BrokenPipeError):
        os.write(writer, b"nobody reads any more")
    os.close(writer)
    assert not list((tmp_path / "home/repositories").glob(".*"))


async def test_an_empty_tree(tmp_path: Path, forge: Forge):
    repository = Repository.create(tmp_path / "bare tree", {})

    found = await forge.snapshot(str(repository.root))

    assert (members(found), await forge.paths(found)) == ({}, ())

"""Changes that exist, put onto a snapshot: three-way, as git's own text, the folder untouched."""

from pathlib import Path

import pytest

from tests.support.fakes import StillClock
from tests.support.forge.repositories import Repository, look
from tests.support.resource_bombs import delta_bomb
from yudai.forge.adapters.folder.forge import LocalForge
from yudai.forge.domain.change import (
    BranchChange,
    CommitChange,
    DiffText,
    PullChange,
    UnfitError,
)
from yudai.kit.errors import NotFoundError, RefusedError
from yudai.patches.patch import forbidden, parse_patch

LINES = [f"line {number}\n" for number in range(20)]
FILES = {"app.py": "".join(LINES), "old.txt": "old\n", "src/deep/x.txt": "x\n"}


def changed(number: int, to: str) -> str:
    return "".join([*LINES[:number], to, *LINES[number + 1 :]])


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository.create(tmp_path / "repo", FILES)


@pytest.fixture
def forge(tmp_path: Path) -> LocalForge:
    return LocalForge(tmp_path / "home", StillClock(), person=tmp_path / "person")


def on_branch(repository: Repository, name: str, files: dict[str, str | bytes]) -> str:
    repository.git("checkout", "-q", "-b", name)
    repository.write(files)
    commit = repository.commit(name)
    repository.git("checkout", "-q", "main")
    return commit


def both(text: bytes) -> bytes:
    """Our own reader takes what git wrote."""
    assert parse_patch(text.decode("utf-8", "surrogateescape")).files
    return text


async def test_a_branch_is_what_it_changed_since_it_left(repository: Repository, forge: LocalForge):
    on_branch(repository, "fix/lines", {"app.py": changed(2, "fixed\n"), "new.txt": "new\n"})
    repository.write({"app.py": changed(17, "moved on\n")})
    repository.commit("base moved on")
    before = look(repository.root)
    snapshot = await forge.snapshot(str(repository.root))

    text = both(await forge.change(snapshot, BranchChange("fix/lines")))

    assert look(repository.root) == before
    assert b"+fixed" in text
    assert b"moved on" not in [line[1:] for line in text.split(b"\n") if line[:1] in b"+-"]
    await forge.apply(snapshot, text)
    expected = [*LINES]
    expected[2], expected[17] = "fixed\n", "moved on\n"
    assert (repository.root / "app.py").read_text() == "".join(expected)
    assert (repository.root / "new.txt").read_text() == "new\n"


async def test_a_branch_that_conflicts_says_where(repository: Repository, forge: LocalForge):
    on_branch(repository, "fix", {"app.py": changed(2, "mine\n")})
    repository.write({"app.py": changed(2, "yours\n")})
    repository.commit("base moved on")
    snapshot = await forge.snapshot(str(repository.root))
    with pytest.raises(UnfitError, match=r"it conflicts with the base in app\.py"):
        await forge.change(snapshot, BranchChange("fix"))


async def test_a_commit_is_what_it_changes_in_its_parent(repository: Repository, forge: LocalForge):
    repository.git("checkout", "-q", "-b", "long")
    repository.write({"old.txt": "not this\n"})
    repository.commit("another change")
    repository.write({"app.py": changed(3, "this\n")})
    commit = repository.commit("the change")
    repository.git("checkout", "-q", "main")
    snapshot = await forge.snapshot(str(repository.root))

    text = both(await forge.change(snapshot, CommitChange(commit[:10])))

    assert b"+this" in text
    assert b"not this" not in text


async def test_what_a_branch_has_in_common_with_base_is_no_change(
    repository: Repository, forge: LocalForge
):
    repository.git("branch", "same")
    snapshot = await forge.snapshot(str(repository.root))
    assert await forge.change(snapshot, BranchChange("same")) == b""


async def test_a_branch_of_another_history_is_refused(repository: Repository, forge: LocalForge):
    repository.git("checkout", "-q", "--orphan", "alone")
    repository.commit("alone")
    repository.git("checkout", "-q", "main")
    snapshot = await forge.snapshot(str(repository.root))
    with pytest.raises(RefusedError, match="no commit in common"):
        await forge.change(snapshot, BranchChange("alone"))


async def test_a_branch_in_a_shallow_clone(repository: Repository, tmp_path: Path):
    repository.write({"more.txt": "1\n"})
    repository.commit()
    on_branch(repository, "fix", {"app.py": changed(2, "fixed\n")})
    clone = tmp_path / "clone"
    from_there = f"file://{repository.root}"
    repository.git("clone", "-q", "--depth=2", "--no-single-branch", from_there, str(clone))
    forge = LocalForge(tmp_path / "home", StillClock(), person=tmp_path / "person")
    snapshot = await forge.snapshot(str(clone))
    assert b"+fixed" in await forge.change(snapshot, BranchChange("origin/fix"))


async def test_uncommitted_changes_are_part_of_the_base(repository: Repository, forge: LocalForge):
    on_branch(repository, "fix", {"app.py": changed(2, "fixed\n")})
    repository.write({"app.py": changed(15, "uncommitted\n")})
    snapshot = await forge.snapshot(str(repository.root), dirty=True)
    text = await forge.change(snapshot, BranchChange("fix"))
    assert b"+fixed" in text
    assert b"uncommitted" not in text


@pytest.mark.parametrize("change", [BranchChange("nope"), CommitChange("deadbeef")])
async def test_what_is_not_there(repository: Repository, forge: LocalForge, change: BranchChange):
    snapshot = await forge.snapshot(str(repository.root))
    with pytest.raises(NotFoundError, match="there is no branch or commit"):
        await forge.change(snapshot, change)


async def test_a_folder_has_no_pull_requests(repository: Repository, forge: LocalForge):
    snapshot = await forge.snapshot(str(repository.root))
    with pytest.raises(RefusedError, match="owner/repo#12"):
        await forge.change(snapshot, PullChange(3))


class TestTexts:
    async def test_three_ways_of_one_change_are_one_text(
        self, repository: Repository, forge: LocalForge
    ):
        commit = on_branch(repository, "fix", {"app.py": changed(2, "fixed\n")})
        snapshot = await forge.snapshot(str(repository.root))
        diff = repository.git("diff", "main", "fix").encode()
        mail = repository.git("format-patch", "--stdout", "-1", commit).encode()
        plain = diff[diff.index(b"---") :]
        expected = await forge.change(snapshot, BranchChange("fix"))
        for text in (diff, mail, plain, plain.replace(b"a/app.py", b"app.py.orig\t2026-01-01")):
            assert await forge.change(snapshot, DiffText(text)) == expected

    async def test_a_series_of_mails(self, repository: Repository, forge: LocalForge):
        on_branch(repository, "fix", {"app.py": changed(2, "fixed\n")})
        repository.git("checkout", "-q", "fix")
        repository.write({"app.py": changed(2, "better\n")})
        repository.commit("second")
        repository.git("checkout", "-q", "main")
        snapshot = await forge.snapshot(str(repository.root))
        mails = repository.git("format-patch", "--stdout", "main..fix").encode()
        text = await forge.change(snapshot, DiffText(mails))
        assert b"+better" in text
        assert b"+fixed" not in text

    async def test_of_another_base_is_applied_three_way(
        self, repository: Repository, forge: LocalForge
    ):
        """Its context has changed since, so that nothing but the blob it names can tell."""
        repository.write({"app.py": changed(4, "before\n")})
        repository.commit("context")
        on_branch(repository, "fix", {"app.py": changed(4, "before\n").replace("line 7", "fixed")})
        diff = repository.git("diff", "main", "fix").encode()
        repository.git("checkout", "-q", "-b", "release", "HEAD~1")
        snapshot = await forge.snapshot(str(repository.root))

        text = await forge.change(snapshot, DiffText(diff))

        assert b"+fixed" in text
        assert b" line 4\n" in text
        nameless = b"\n".join(x for x in diff.split(b"\n") if not x.startswith(b"index "))
        with pytest.raises(UnfitError, match="does not apply"):
            await forge.change(snapshot, DiffText(nameless))

    async def test_a_rename_is_a_file_that_goes_and_one_that_comes(
        self, repository: Repository, forge: LocalForge
    ):
        repository.git("mv", "app.py", "new.py")
        diff = repository.git("diff", "-M", "HEAD").encode()
        repository.git("reset", "-q", "--hard")
        assert b"rename from" in diff
        snapshot = await forge.snapshot(str(repository.root))
        patch = parse_patch((await forge.change(snapshot, DiffText(diff))).decode())
        assert {file.path: file.kind for file in patch.files} == {
            "app.py": "deleted",
            "new.py": "added",
        }

    async def test_binary_and_bytes_that_are_no_text(
        self, repository: Repository, forge: LocalForge
    ):
        files = {"b.bin": b"\0\1\2" * 100, "latin.txt": b"caf\xe9\n"}
        diff = repository.patch(files)
        snapshot = await forge.snapshot(str(repository.root))
        text = both(await forge.change(snapshot, DiffText(diff)))
        assert b"caf\xe9" in text
        await forge.apply(snapshot, text)
        for name, content in files.items():
            assert (repository.root / name).read_bytes() == content

    @pytest.mark.parametrize(
        "path", ["../out.txt", "/etc/out.txt", ".git/config", "a/../../out.txt", ".GIT/hooks/x"]
    )
    async def test_a_path_that_leads_astray(
        self, repository: Repository, forge: LocalForge, path: str, tmp_path: Path
    ):
        diff = f"--- /dev/null\n+++ b/{path}\n@@ -0,0 +1 @@\n+x\n".encode()
        before = look(tmp_path / "repo")
        snapshot = await forge.snapshot(str(repository.root))
        try:
            text = await forge.change(snapshot, DiffText(diff))
        except UnfitError:
            text = b""
        # What git takes for a path of the tree is refused by whoever looks at the patch next.
        assert not text or forbidden(parse_patch(text.decode()))
        assert look(tmp_path / "repo") == before
        assert not (tmp_path / "out.txt").exists()

    async def test_a_link_out_of_the_repository_is_seen(
        self, repository: Repository, forge: LocalForge
    ):
        diff = (
            b"diff --git a/out b/out\nnew file mode 120000\n--- /dev/null\n+++ b/out\n"
            b"@@ -0,0 +1 @@\n+/etc/passwd\n\\ No newline at end of file\n"
        )
        snapshot = await forge.snapshot(str(repository.root))
        text = await forge.change(snapshot, DiffText(diff))
        assert forbidden(parse_patch(text.decode()))

    async def test_below_a_link_of_the_tree_nothing_is_written(
        self, repository: Repository, forge: LocalForge, tmp_path: Path
    ):
        (repository.root / "out").symlink_to(tmp_path)
        repository.commit("a link")
        snapshot = await forge.snapshot(str(repository.root))
        diff = b"--- /dev/null\n+++ b/out/x.txt\n@@ -0,0 +1 @@\n+x\n"
        with pytest.raises(UnfitError):
            await forge.change(snapshot, DiffText(diff))
        assert not (tmp_path / "x.txt").exists()

    @pytest.mark.parametrize(
        "text",
        [
            b"no patch at all\n",
            b"diff --git a/x b/x\n",
            b"--- a/app.py\n+++ b/app.py\n@@ -1,3 +1,3 @@\n never\n-there\n+x\n",
            b"diff --git a/b.bin b/b.bin\nnew file mode 100644\nindex 0000000..1111111\n"
            b"Binary files /dev/null and b/b.bin differ\n",
        ],
        ids=["prose", "empty", "elsewhere", "binary-without-content"],
    )
    async def test_what_does_not_apply(
        self, repository: Repository, forge: LocalForge, text: bytes
    ):
        snapshot = await forge.snapshot(str(repository.root))
        with pytest.raises(UnfitError, match="does not apply"):
            await forge.change(snapshot, DiffText(text))


async def test_a_patch_that_unpacks_to_too_much(repository: Repository, forge: LocalForge):
    content = bytes(range(256)) * 4000
    repository.write({"f": content})
    repository.commit("something to copy")
    snapshot = await forge.snapshot(str(repository.root))
    small = await forge.change(snapshot, DiffText(delta_bomb(content, times=2)))
    assert len(small) < 100_000
    bomb = delta_bomb(content, times=400)
    assert len(bomb) < 5000
    with pytest.raises(UnfitError, match="unpack"):
        await forge.change(snapshot, DiffText(bomb))


async def test_behind_that_bound_git_has_its_own(repository: Repository, forge: LocalForge):
    """A mail is read by git alone."""
    content = bytes(range(256)) * 4000
    repository.write({"f": content})
    repository.commit("something to copy")
    snapshot = await forge.snapshot(str(repository.root))
    for times in (300, 700):
        mail = b"From: Eve\nSubject: [PATCH] x\n\n---\n" + delta_bomb(content, times=times)
        with pytest.raises(UnfitError):
            await forge.change(snapshot, DiffText(mail))


async def test_the_folders_own_configuration_counts_for_nothing(
    repository: Repository, forge: LocalForge, tmp_path: Path
):
    """Neither its hooks and drivers nor attributes that a branch brings run or filter."""
    mark = tmp_path / "ran"
    attributes = "* diff=evil merge=evil filter=evil\napp.py binary\n"
    on_branch(repository, "fix", {"app.py": changed(2, "fixed\n"), ".gitattributes": attributes})
    repository.write({"app.py": changed(17, "moved on\n"), ".gitattributes": attributes})
    repository.commit("base moved on")
    snapshot = await forge.snapshot(str(repository.root))
    for key in ("diff.evil.command", "diff.evil.textconv", "merge.evil.driver"):
        repository.git("config", key, f"touch {mark}")
    for key in ("filter.evil.clean", "filter.evil.smudge", "core.fsmonitor"):
        repository.git("config", key, f"touch {mark}")
    for name in ("applypatch-msg", "post-applypatch", "post-index-change"):
        hook = repository.root / ".git" / "hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
        hook.chmod(0o755)
    text = await forge.change(snapshot, BranchChange("fix"))
    assert b"+fixed" in text
    assert not mark.exists()

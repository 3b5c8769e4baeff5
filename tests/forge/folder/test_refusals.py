"""Folders that cannot be solved: one line each, with what to do about it."""

import os
import shutil
from pathlib import Path

import pytest

from tests.support.fakes import StillClock
from tests.support.forge.repositories import Repository, look
from yudai.forge.adapters.folder.forge import LocalForge
from yudai.kit.errors import NotFoundError, RefusedError

FILES = {"README.md": "# Sample\n"}


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository.create(tmp_path / "repo", FILES)


@pytest.fixture
def forge(tmp_path: Path) -> LocalForge:
    return LocalForge(tmp_path / "home", StillClock(), person=tmp_path / "person")


async def refusal(forge: LocalForge, folder: Path | str) -> str:
    """The one line; the folder stays as it was."""
    before = look(Path(folder)) if Path(folder).is_dir() else {}
    with pytest.raises(RefusedError) as refused:
        await forge.snapshot(str(folder))
    assert (look(Path(folder)) if Path(folder).is_dir() else {}) == before
    said = str(refused.value)
    assert "\n" not in said
    return said


async def test_no_such_folder(forge: LocalForge, tmp_path: Path):
    said = await refusal(forge, tmp_path / "none")

    assert said == f"there is no folder {tmp_path}/none: name the folder of a git repository"
    with pytest.raises(NotFoundError):
        await forge.snapshot(str(tmp_path / "none"))


async def test_a_file(forge: LocalForge, repository: Repository):
    said = await refusal(forge, repository.root / "README.md")

    assert said.endswith("README.md is a file: name the folder of a git repository")


async def test_no_repository(forge: LocalForge, tmp_path: Path):
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain/.git").write_text("nothing that git would write")

    said = await refusal(forge, tmp_path / "plain")

    assert "plain is not a git repository: run `git init` and commit" in said


async def test_no_commit(forge: LocalForge, tmp_path: Path):
    repository = Repository.create(tmp_path / "empty")

    assert "empty has no commit yet: make one first" in await refusal(forge, repository.root)
    repository.write(FILES)
    repository.git("add", "-A")
    assert "empty has no commit yet: make one first" in await refusal(forge, repository.root)


async def test_a_branch_without_a_commit(forge: LocalForge, repository: Repository):
    repository.git("checkout", "-q", "--orphan", "fresh")

    said = await refusal(forge, repository.root)

    assert said == "branch fresh has no commit yet: make one, or name a branch with --base"
    assert (await forge.snapshot(str(repository.root), base="main")).branch == "main"


async def test_a_detached_head(forge: LocalForge, repository: Repository):
    repository.git("checkout", "-q", "--detach")

    assert "detached HEAD): check out a branch, or name one with --base" in await refusal(
        forge, repository.root
    )


async def test_a_bare_repository(forge: LocalForge, repository: Repository, tmp_path: Path):
    bare = tmp_path / "bare.git"
    repository.git("clone", "-q", "--bare", str(repository.root), str(bare))

    for folder in (bare, bare / "refs", repository.root / ".git", repository.root / ".git/hooks"):
        assert "is a bare repository or a .git folder" in await refusal(forge, folder)
    repository.git("config", "core.bare", "true")
    assert "bare repository (core.bare)" in await refusal(forge, repository.root)


async def test_a_work_tree_of_a_bare_repository_is_fine(
    forge: LocalForge, repository: Repository, tmp_path: Path
):
    bare = tmp_path / "bare.git"
    repository.git("clone", "-q", "--bare", str(repository.root), str(bare))
    Repository(bare).git("worktree", "add", "-q", str(tmp_path / "tree"), "main")

    assert (await forge.snapshot(str(tmp_path / "tree"))).branch == "main"


async def test_a_work_tree_whose_repository_is_gone(
    forge: LocalForge, repository: Repository, tmp_path: Path
):
    repository.git("worktree", "add", "-q", str(tmp_path / "tree"))
    shutil.rmtree(repository.root)

    assert "git worktree repair" in await refusal(forge, tmp_path / "tree")


@pytest.mark.parametrize(
    ("command", "what"),
    [
        (("merge", "other"), "a merge"),
        (("rebase", "other"), "a rebase"),
        (("cherry-pick", "other"), "a cherry-pick"),
        (("revert", "main~1"), "a revert"),
    ],
)
async def test_something_unfinished(
    forge: LocalForge, repository: Repository, command: tuple[str, ...], what: str
):
    repository.git("checkout", "-q", "-b", "other")
    repository.write({"README.md": "# Other\n"})
    repository.commit()
    repository.git("checkout", "-q", "main")
    for text in ("# One\n", "# Two\n"):
        repository.write({"README.md": text})
        repository.commit()
    with pytest.raises(AssertionError):
        repository.git(*command)

    said = await refusal(forge, repository.root)

    assert said == f"{what} is in progress in {repository.root}: finish it or abort it"


async def test_unmerged_files(forge: LocalForge, repository: Repository):
    oid = repository.git("rev-parse", "HEAD:README.md").strip()
    listing = "".join(f"100644 {oid} {stage}\tREADME.md\n" for stage in (1, 2, 3))
    repository.git("update-index", "--force-remove", "README.md")
    repository.git("update-index", "--index-info", stdin=listing.encode())

    said = await refusal(forge, repository.root)

    assert said.endswith("has unmerged files (README.md): finish the merge or abort it")
    with pytest.raises(RefusedError, match="unmerged"):
        await forge.snapshot(str(repository.root), dirty=True)


async def test_a_storage_that_is_not_supported(forge: LocalForge, repository: Repository):
    config = repository.root / ".git/config"
    plain = config.read_text().replace("formatversion = 0", "formatversion = 1")

    config.write_text(plain + "[extensions]\n\trefStorage = reftable\n")
    assert "git refs migrate" in await refusal(forge, repository.root)
    config.write_text(plain + "[extensions]\n\tshiny = true\n")
    assert "not supported: shiny" in await refusal(forge, repository.root)
    config.write_text(plain + "[extensions]\n\tobjectFormat = sha3\n")
    assert "not supported" in await refusal(forge, repository.root)


async def test_a_partial_clone(forge: LocalForge, repository: Repository, tmp_path: Path):
    repository.git("config", "uploadpack.allowFilter", "true")
    url, partial = f"file://{repository.root}", tmp_path / "partial"
    repository.git("clone", "-q", "--filter=blob:none", "--no-checkout", url, str(partial))

    assert "lacks some of its objects" in await refusal(forge, partial)

    Repository(partial).git("checkout", "-q", "main")
    assert (await forge.snapshot(str(partial))).branch == "main"


async def test_a_damaged_repository(forge: LocalForge, repository: Repository):
    head = repository.head
    (repository.root / ".git/objects" / head[:2] / head[2:]).unlink()

    assert "cannot be read: run `git fsck`" in await refusal(forge, repository.root)
    (repository.root / ".git/HEAD").write_text("nonsense\n")
    assert await refusal(forge, repository.root)


async def test_a_damaged_index(forge: LocalForge, repository: Repository):
    (repository.root / ".git/index").write_bytes(b"nonsense")

    assert "index file smaller than expected" in await refusal(forge, repository.root)


async def test_a_folder_without_committed_files(forge: LocalForge, repository: Repository):
    (repository.root / "build").mkdir()

    assert "build holds no committed file" in await refusal(forge, repository.root / "build")


async def test_a_path_that_is_not_utf8(forge: LocalForge, tmp_path: Path):
    odd = Repository.create(tmp_path / os.fsdecode(b"caf\xe9"), FILES)

    assert "is not UTF-8: rename the folder" in await refusal(forge, odd.root)
    (tmp_path / "link").symlink_to(odd.root)
    assert "is not UTF-8: rename the folder" in await refusal(forge, tmp_path / "link")


async def test_a_path_that_no_folder_has(forge: LocalForge):
    with pytest.raises(RefusedError, match="cannot read"):
        await forge.snapshot("a\0b")
    with pytest.raises(RefusedError, match=r"name too long|there is no folder"):
        await forge.snapshot("x" * 5000)


async def test_a_home_that_cannot_be_written(repository: Repository, tmp_path: Path):
    (tmp_path / "home").write_text("a file")
    forge = LocalForge(tmp_path / "home", StillClock(), person=tmp_path / "person")

    said = await refusal(forge, repository.root)

    assert said == f"cannot use {tmp_path}/home/repositories: Not a directory"


@pytest.mark.parametrize("part", [".", ".git"])
async def test_a_folder_that_cannot_be_read(forge: LocalForge, repository: Repository, part: str):
    (repository.root / part).chmod(0o000)
    if os.access(repository.root / part, os.R_OK):
        pytest.skip("nothing is unreadable to this user")
    try:
        with pytest.raises(RefusedError, match="cannot read"):
            await forge.snapshot(str(repository.root))
    finally:
        (repository.root / part).chmod(0o755)


async def test_no_git(forge: LocalForge, repository: Repository, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("shutil.which", lambda *_args, **_kwargs: None)

    with pytest.raises(RefusedError, match="git was not found: install it"):
        await forge.snapshot(str(repository.root))

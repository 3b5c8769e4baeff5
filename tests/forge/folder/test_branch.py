"""A patch as a new branch: a commit appears, and nothing else of the repository changes."""

import shutil
import stat
from pathlib import Path

import pytest

from tests.support.fakes import StillClock
from tests.support.forge.repositories import Repository, look
from yudai.forge.adapters.folder.forge import LocalForge
from yudai.forge.ports.folder import Snapshot
from yudai.kit.errors import ConflictError, RefusedError

FILES = {"README.md": "# Sample\n", "src/app.py": "answer = 41\n", "src/deep/x.txt": "x\n"}


class MovingClock(StillClock):
    def __init__(self) -> None:
        super().__init__()
        self.at = 1_700_000_000.0

    def now(self) -> float:
        self.at += 60
        return self.at


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository.create(tmp_path / "repo", FILES)


@pytest.fixture
def forge(tmp_path: Path) -> LocalForge:
    return LocalForge(tmp_path / "home", MovingClock(), person=tmp_path / "person")


@pytest.fixture
async def found(repository: Repository, forge: LocalForge) -> Snapshot:
    return await forge.snapshot(str(repository.root))


@pytest.fixture
def patch(repository: Repository) -> bytes:
    return repository.patch(
        {"src/app.py": "answer = 42\n", "new/file.txt": "new\n", "README.md": None, "b": b"\0\1"}
    )


def fsck(repository: Repository) -> str:
    return repository.git("fsck", "--strict", "--full", "--no-dangling", "--no-progress")


async def test_a_branch_with_one_commit(
    repository: Repository, forge: LocalForge, found: Snapshot, patch: bytes
):
    before = look(repository.root)

    commit = await forge.branch(found, patch, name="fix/issue-12", message="Fix it\n\nBecause.")

    after = look(repository.root)
    log = repository.git("log", "-1", "--format=%H|%P|%an <%ae>|%cn <%ce>|%at|%B", "fix/issue-12")
    assert log.strip().split("|") == [
        commit,
        found.commit,
        "yudai-bot <bot@yudai.app>",
        "yudai-bot <bot@yudai.app>",
        "1700000060",
        "Fix it\n\nBecause.",
    ]
    diff = repository.git("diff", "--binary", "--full-index", "--no-renames", "main", commit)
    assert diff.encode() == patch
    assert fsck(repository) == ""
    assert repository.git("status", "--porcelain", "--branch") == "## main\n"
    changed = {name for name in before if after[name] != before[name]}
    assert {name.partition(b"/.git/")[2] for name in changed} == {b"objects", b"refs/heads"}


async def test_new_objects_have_the_modes_that_git_gives(
    repository: Repository, forge: LocalForge, found: Snapshot, patch: bytes
):
    commit = await forge.branch(found, patch, name="fix", message="Fix")
    ours = repository.root / ".git/objects" / commit[:2] / commit[2:]
    theirs = repository.root / ".git/objects" / found.commit[:2] / found.commit[2:]

    assert ours.stat().st_mode == theirs.stat().st_mode
    assert ours.parent.stat().st_mode == theirs.parent.stat().st_mode
    heads = repository.root / ".git/refs/heads"
    assert (heads / "fix").stat().st_mode == (heads / "main").stat().st_mode
    assert not list((repository.root / ".git").rglob("tmp_obj_*"))
    assert not list((repository.root / ".git").rglob("*.lock"))


async def test_a_repository_that_users_share(repository: Repository, forge: LocalForge):
    repository.git("config", "core.sharedRepository", "group")
    found = await forge.snapshot(str(repository.root))
    patch = repository.patch({"README.md": "# Shared\n"})

    commit = await forge.branch(found, patch, name="team/fix", message="Fix")

    file = repository.root / ".git/objects" / commit[:2] / commit[2:]
    assert stat.S_IMODE(file.stat().st_mode) & 0o440 == 0o440
    team = repository.root / ".git/refs/heads/team"
    assert stat.S_IMODE(team.stat().st_mode) & 0o2070 == 0o2070
    assert stat.S_IMODE((team / "fix").stat().st_mode) & 0o660 == 0o660


async def test_the_same_branch_twice_is_one(
    repository: Repository, forge: LocalForge, found: Snapshot, patch: bytes
):
    commit = await forge.branch(found, patch, name="fix", message="Fix")
    before = look(repository.root)

    assert await forge.branch(found, patch, name="fix", message="Fix") == commit

    assert look(repository.root) == before
    with pytest.raises(ConflictError, match="there is a branch fix already"):
        await forge.branch(found, patch, name="fix", message="Something else")
    assert look(repository.root) == before


@pytest.mark.parametrize("where", ["loose", "packed"])
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("main", "there is a branch main already: choose another name"),
        ("topic", "branch topic/one is in the way of topic: choose another name"),
        ("topic/one/more", "branch topic/one is in the way of topic/one/more"),
    ],
)
async def test_taken_names(
    repository: Repository,
    forge: LocalForge,
    found: Snapshot,
    patch: bytes,
    name: str,
    said: str,
    where: str,
):
    repository.git("branch", "topic/one")
    if where == "packed":
        repository.git("pack-refs", "--all", "--prune")
    before = look(repository.root)

    with pytest.raises(ConflictError) as refused:
        await forge.branch(found, patch, name=name, message="Fix")

    assert said in str(refused.value)
    assert look(repository.root) == before


async def test_folders_of_deleted_branches_are_no_obstacle(
    repository: Repository, forge: LocalForge, found: Snapshot, patch: bytes
):
    (repository.root / ".git/refs/heads/topic/old").mkdir(parents=True)

    await forge.branch(found, patch, name="topic", message="Fix")

    assert fsck(repository) == ""


async def test_another_process_holds_the_lock(
    repository: Repository, forge: LocalForge, found: Snapshot, patch: bytes
):
    (repository.root / ".git/refs/heads/fix.lock").touch()

    with pytest.raises(ConflictError, match="another process is creating branch fix"):
        await forge.branch(found, patch, name="fix", message="Fix")

    assert (repository.root / ".git/refs/heads/fix.lock").exists()


async def test_a_branch_that_is_checked_out_without_a_commit(
    repository: Repository, forge: LocalForge, found: Snapshot, patch: bytes
):
    repository.git("checkout", "-q", "--orphan", "fresh")

    with pytest.raises(ConflictError, match="checked out without a commit"):
        await forge.branch(found, patch, name="fresh", message="Fix")


@pytest.mark.parametrize(
    "name",
    [
        *("", "-x", "a b", "a..b", "a.lock", "/a", "a/", "a//b", "HEAD", "@{-1}", "a\nb", "a\0b"),
        *("../../x", ".a", "a~1", "a:b", "\udcff", "x" * 5000),
    ],
)
async def test_names_that_git_would_not_take(
    repository: Repository, forge: LocalForge, found: Snapshot, patch: bytes, name: str
):
    before = look(repository.root)

    with pytest.raises(RefusedError) as refused:
        await forge.branch(found, patch, name=name, message="Fix")

    assert "\n" not in str(refused.value)
    assert look(repository.root) == before


async def test_a_folder_of_branches_that_leads_elsewhere(
    repository: Repository, forge: LocalForge, found: Snapshot, patch: bytes, tmp_path: Path
):
    (tmp_path / "elsewhere").mkdir()
    (repository.root / ".git/refs/heads/topic").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(ConflictError, match="leads elsewhere"):
        await forge.branch(found, patch, name="topic/fix", message="Fix")

    assert not list((tmp_path / "elsewhere").iterdir())


async def test_uncommitted_changes_are_not_for_a_branch(
    repository: Repository, forge: LocalForge, patch: bytes
):
    repository.write({"mine.txt": "mine\n"})
    found = await forge.snapshot(str(repository.root), dirty=True)

    with pytest.raises(RefusedError, match="commit them first and start a new solve, or apply"):
        await forge.branch(found, patch, name="fix", message="Fix")


async def test_changes_made_since_do_not_matter(
    repository: Repository, forge: LocalForge, found: Snapshot, patch: bytes
):
    repository.write({"later.txt": "later\n"})
    repository.commit()
    repository.write({"src/app.py": "uncommitted = 1\n", "staged.txt": "1"})
    repository.git("add", "staged.txt")
    status = repository.git("status", "--porcelain")

    commit = await forge.branch(found, patch, name="fix", message="Fix")

    assert repository.git("rev-parse", "fix^").strip() == found.commit
    assert repository.git("rev-parse", "fix").strip() == commit
    assert repository.git("status", "--porcelain") == status
    assert fsck(repository) == ""


async def test_a_commit_that_is_gone(
    repository: Repository, forge: LocalForge, found: Snapshot, patch: bytes
):
    shutil.rmtree(repository.root / ".git")
    Repository.create(repository.root, FILES | {"more.txt": "1"})

    with pytest.raises(RefusedError, match="is no longer in"):
        await forge.branch(found, patch, name="fix", message="Fix")

    assert repository.git("branch", "--list").split() == ["*", "main"]


async def test_a_branch_from_a_second_work_tree(
    repository: Repository, forge: LocalForge, patch: bytes, tmp_path: Path
):
    repository.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    found = await forge.snapshot(str(tmp_path / "side"))

    commit = await forge.branch(found, patch, name="fix", message="Fix")

    assert repository.git("rev-parse", "fix").strip() == commit
    assert repository.git("symbolic-ref", "HEAD").strip() == "refs/heads/main"
    assert fsck(repository) == ""


@pytest.mark.parametrize("how", ["packed", "wide", "shared", "shallow"])
async def test_other_kinds_of_repositories(forge: LocalForge, tmp_path: Path, how: str):
    origin = Repository.create(
        tmp_path / "one", FILES, object_format="sha256" if how == "wide" else "sha1"
    )
    origin.commit("second")
    repository = Repository(tmp_path / "two")
    flags = {"shared": ["--shared"], "shallow": ["--depth=1"]}.get(how, [])
    url = f"file://{origin.root}" if how == "shallow" else str(origin.root)
    origin.git("clone", "-q", *flags, url, str(repository.root))
    if how == "packed":
        repository.git("gc", "-q")
    found = await forge.snapshot(str(repository.root))
    patch = repository.patch({"src/app.py": "answer = 42\n", "README.md": None})
    tip = origin.head

    await forge.branch(found, patch, name="fix", message="Fix")

    assert repository.git("diff", "--name-only", "fix~1", "fix").split() == [
        "README.md",
        "src/app.py",
    ]
    assert fsck(repository) == ""
    repository.git("checkout", "-q", "fix")
    assert (repository.root / "src/app.py").read_text() == "answer = 42\n"
    assert origin.head == tip


async def test_a_message_of_any_kind(
    repository: Repository, forge: LocalForge, found: Snapshot, patch: bytes
):
    await forge.branch(found, patch, name="fix", message="\n Grüße \udcff\0 \n\n-- x\n\n")

    assert (
        repository.git("log", "-1", "--format=%B", "fix").strip() == "Grüße \ufffd\ufffd \n\n-- x"
    )
    assert fsck(repository) == ""


async def test_a_patch_that_goes_back_adds_little(
    repository: Repository, forge: LocalForge, tmp_path: Path
):
    repository.write({"src/app.py": "answer = 42\n"})
    repository.commit()
    found = await forge.snapshot(str(repository.root))
    patch = repository.patch({"src/app.py": FILES["src/app.py"]})
    before = set(_objects(repository))

    commit = await forge.branch(found, patch, name="back", message="Back")

    assert set(_objects(repository)) - before == {commit}


def _objects(repository: Repository) -> list[str]:
    return repository.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname)").split()


async def test_an_objects_folder_that_is_a_link(
    repository: Repository, forge: LocalForge, found: Snapshot, patch: bytes, tmp_path: Path
):
    (tmp_path / "elsewhere").mkdir()
    for number in range(256):
        folder = repository.root / f".git/objects/{number:02x}"
        if not folder.exists():
            folder.symlink_to(tmp_path / "elsewhere")

    with pytest.raises(RefusedError, match="is a symbolic link"):
        await forge.branch(found, patch, name="fix", message="Fix")

    assert not list((tmp_path / "elsewhere").iterdir())
    assert "fix" not in repository.git("branch", "--list")


async def test_a_name_is_checked_before_anything_is_spent(
    repository: Repository, forge: LocalForge, found: Snapshot
):
    before = look(repository.root)
    await forge.check_branch(found, "fix/free")
    with pytest.raises(ConflictError):
        await forge.check_branch(found, "main")
    with pytest.raises(RefusedError, match="not a branch name"):
        await forge.check_branch(found, "a..b")
    with pytest.raises(RefusedError, match="uncommitted"):
        await forge.check_branch(found.model_copy(update={"dirty": True}), "fix/free")
    assert look(repository.root) == before

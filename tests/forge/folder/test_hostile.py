"""A folder whose git configuration would run commands: none of them ever runs for us."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.support.fakes import StillClock
from tests.support.forge.repositories import Repository, look
from yudai.forge.adapters.folder.forge import LocalForge
from yudai.kit.errors import RefusedError

HOOKS = (
    *("applypatch-msg", "commit-msg", "fsmonitor-watchman", "post-applypatch", "post-checkout"),
    *("post-commit", "post-index-change", "post-merge", "post-rewrite", "pre-applypatch"),
    *("pre-auto-gc", "pre-commit", "prepare-commit-msg", "push-to-checkout"),
    *("reference-transaction", "sendemail-validate"),
)
CONFIG = """
[core]
\trepositoryformatversion = 1
\tworktree = {elsewhere}
\tfsmonitor = {mark}
\tsshCommand = {mark}
\thooksPath = {hooks}
\tpager = {mark}
\teditor = {mark}
\taskPass = {mark}
\tgitProxy = {mark}
\talternateRefsCommand = {mark}
\tuntrackedCache = true
\tattributesFile = {attributes}
[extensions]
\tpartialClone = origin
[remote "origin"]
\turl = ext::{mark}
\tpromisor = true
[filter "x"]
\tclean = {mark} && cat
\tsmudge = {mark} && cat
\tprocess = {mark}
\trequired = true
[filter "lfs"]
\tclean = {mark} && cat
\tsmudge = {mark} && cat
[diff "x"]
\ttextconv = {mark}
\tcommand = {mark}
[diff]
\texternal = {mark}
[merge "x"]
\tdriver = {mark}
[alias]
\tstatus = !{mark}
\tls-tree = !{mark}
[credential]
\thelper = !{mark}
[commit]
\tgpgSign = true
[gpg]
\tprogram = {mark}
[status]
\tsubmoduleSummary = true
[submodule]
\trecurse = true
[tar "tar"]
\tcommand = {mark}
[include]
\tpath = {included}
[includeIf "gitdir:/"]
\tpath = {included}
"""


class Trap:
    def __init__(self, tmp_path: Path) -> None:
        self.marks = tmp_path / "marks"
        self.marks.mkdir()
        self._folder = tmp_path
        self._mark = tmp_path / "mark.sh"
        self._mark.write_text(f"#!/bin/sh\necho ran >>'{self.marks}/'$$\n")
        self._mark.chmod(0o755)

    @property
    def sprung(self) -> bool:
        return any(self.marks.iterdir())

    def reset(self) -> None:
        for mark in self.marks.iterdir():
            mark.unlink()

    def arm(self, git_dir: Path) -> None:
        hooks = git_dir / "hooks"
        hooks.mkdir(exist_ok=True)
        for name in HOOKS:
            (hooks / name).write_text(self._mark.read_text())
            (hooks / name).chmod(0o755)
        included = self._folder / "included"
        included.write_text(f"[core]\n\tfsmonitor = {self._mark}\n")
        attributes = self._folder / "attributes"
        attributes.write_text("* filter=x\n")
        (git_dir / "info" / "attributes").write_text("*.md filter=x\n")
        (git_dir / "config").write_text(
            CONFIG.format(
                mark=self._mark,
                hooks=hooks,
                included=included,
                attributes=attributes,
                elsewhere=self._folder / "elsewhere",
            )
        )


@pytest.fixture
def trap(tmp_path: Path) -> Trap:
    return Trap(tmp_path)


@pytest.fixture
def repository(tmp_path: Path, trap: Trap) -> Repository:
    """With a submodule whose own configuration is as bad."""
    repository = Repository.create(
        tmp_path / "repo",
        {
            ".gitattributes": "* filter=x diff=x merge=x\n*.bin filter=lfs\n",
            "README.md": "# Sample\n",
            "src/app.py": "answer = 41\n",
            "data.bin": "data\n",
        },
    )
    module = Repository.create(tmp_path / "module", {"x.txt": "1\n"})
    repository.git(
        *("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(module.root), "module")
    )
    repository.commit()
    trap.arm(repository.root / ".git")
    trap.arm(repository.root / ".git/modules/module")
    repository.write({"module/x.txt": "2\n"})
    return repository


@pytest.fixture
def forge(tmp_path: Path) -> LocalForge:
    return LocalForge(tmp_path / "home", StillClock(), person=tmp_path / "person")


def test_the_trap_works(repository: Repository, trap: Trap):
    """Git itself, told where the work tree is, runs what the configuration names."""
    os.utime(repository.root / "README.md", (1, 1))
    subprocess.run(
        ["git", f"--work-tree={repository.root}", "status"],
        cwd=repository.root,
        env={"PATH": os.environ["PATH"], "HOME": "/nonexistent"},
        capture_output=True,
        check=False,
    )

    assert trap.sprung


async def test_looking_runs_nothing(repository: Repository, forge: LocalForge, trap: Trap):
    os.utime(repository.root / "README.md", (1, 1))
    before = look(repository.root)

    found = await forge.snapshot(str(repository.root))

    assert found.root == repository.root
    assert await forge.read(found, "README.md") == b"# Sample\n"
    assert await forge.snapshot(str(repository.root), base=found.commit) != found
    assert not trap.sprung
    assert look(repository.root) == before


async def test_a_refusal_runs_nothing(repository: Repository, forge: LocalForge, trap: Trap):
    repository.write({"src/app.py": "answer = 42\n", "data.bin": "other\n", "new.md": "new\n"})
    before = look(repository.root)

    with pytest.raises(RefusedError, match=r"data\.bin, src/app\.py, new\.md"):
        await forge.snapshot(str(repository.root))

    assert not trap.sprung
    assert look(repository.root) == before


async def test_taking_changes_runs_nothing(repository: Repository, forge: LocalForge, trap: Trap):
    repository.write({"src/app.py": "answer = 42\n", "data.bin": "other\n", "new.md": "new\n"})
    before = look(repository.root)

    found = await forge.snapshot(str(repository.root), dirty=True)

    assert await forge.read(found, "src/app.py") == b"answer = 42\n"
    assert await forge.read(found, "new.md") == b"new\n"
    assert not trap.sprung
    assert look(repository.root) == before


async def test_a_submodule_as_target_runs_nothing(
    repository: Repository, forge: LocalForge, trap: Trap
):
    before = look(repository.root)

    found = await forge.snapshot(str(repository.root / "module"), dirty=True)

    assert found.root == repository.root / "module"
    assert await forge.read(found, "x.txt") == b"2\n"
    assert not trap.sprung
    assert look(repository.root) == before


PATCH = b"""\
diff --git a/src/app.py b/src/app.py
index 1269488f7fb1f4b56a8c0e5eb48cecbfadfa9219..d81cc0710eb6cf9efd5b920a8453e1e07157b6cd 100644
--- a/src/app.py
+++ b/src/app.py
@@ -1 +1 @@
-answer = 41
+answer = 42
diff --git a/new.md b/new.md
new file mode 100644
index 0000000000000000000000000000000000000000..3e757656cf36eca53338e520d134963a44f793f8
--- /dev/null
+++ b/new.md
@@ -0,0 +1 @@
+new
"""


async def test_applying_runs_nothing(repository: Repository, forge: LocalForge, trap: Trap):
    found = await forge.snapshot(str(repository.root))
    git = look(repository.root / ".git")

    await forge.apply(found, PATCH)

    assert (repository.root / "src/app.py").read_text() == "answer = 42\n"
    assert (repository.root / "new.md").read_text() == "new\n"
    assert not trap.sprung
    assert look(repository.root / ".git") == git


async def test_a_branch_runs_nothing(repository: Repository, forge: LocalForge, trap: Trap):
    found = await forge.snapshot(str(repository.root))
    before = look(repository.root, times=False)

    await forge.branch(found, PATCH, name="fix", message="Fix")

    after = look(repository.root, times=False)
    assert not trap.sprung
    assert {key: after[key] for key in before} == before
    assert all(b"/.git/objects/" in key or key.endswith(b"/fix") for key in after.keys() - before)


async def test_a_configuration_that_is_no_text(repository: Repository, forge: LocalForge):
    (repository.root / ".git/config").write_bytes(b"[core\n\0")

    with pytest.raises(RefusedError, match="git config failed: bad config line 1"):
        await forge.snapshot(str(repository.root))


async def test_pipes_in_place_of_files_are_not_waited_for(
    repository: Repository, forge: LocalForge
):
    for name in ("packed-refs", "info/exclude", "info/sparse-checkout"):
        (repository.root / ".git" / name).unlink(missing_ok=True)
        os.mkfifo(repository.root / ".git" / name)

    assert (await forge.snapshot(str(repository.root))).branch == "main"


async def test_a_program_called_git_in_the_folder_is_not_run(
    repository: Repository, forge: LocalForge, trap: Trap, monkeypatch: pytest.MonkeyPatch
):
    fake = repository.root / "git"
    fake.symlink_to(trap._mark)
    monkeypatch.chdir(repository.root)
    monkeypatch.setenv("PATH", f".:{os.environ['PATH']}")

    with pytest.raises(RefusedError, match="uncommitted changes in git:"):
        await forge.snapshot(".")

    assert not trap.sprung

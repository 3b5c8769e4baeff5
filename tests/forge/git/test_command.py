"""How git is run: alone, in bounds, and to its end."""

import asyncio
import os
from pathlib import Path

import pytest

from tests.support.forge.repositories import Repository
from yudai.forge.adapters.git.command import NOWHERE, Git, Limits
from yudai.kit.errors import RefusedError


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository.create(tmp_path / "repo", {"README.md": "# Sample\n"})


async def test_the_environment_is_not_ours(
    repository: Repository, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
):
    (tmp_path / "config").write_text("[core]\n\tabbrev = 7\n")
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.setenv(name, str(tmp_path / "config"))
    monkeypatch.setenv("GIT_DIR", "/nonexistent")
    monkeypatch.setenv("GIT_INDEX_FILE", "/nonexistent")
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'core.abbrev'='7'")
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "trace"))
    git = Git(repository.root / ".git")

    assert (await git.ask("rev-parse", "HEAD")).decode().strip()
    assert b"abbrev" not in await git.ask("config", "--list")
    assert await git.ask("ls-files") == b"README.md\n"
    assert not (tmp_path / "trace").exists()


async def test_what_fails_is_reported_in_one_line(repository: Repository):
    git = Git(repository.root / ".git")

    ran = await git.run("cat-file", "blob", "nothing")
    assert (ran.exit_code, ran.error) == (128, "Not a valid object name nothing")
    with pytest.raises(RefusedError, match="git cat-file failed: Not a valid object name nothing"):
        await git.ask("cat-file", "blob", "nothing")


async def test_a_repository_around_is_not_found(repository: Repository, tmp_path: Path):
    ran = await Git(NOWHERE, work_tree=repository.root).run("status")

    assert ran.exit_code == 128


async def test_output_has_a_bound(repository: Repository):
    git = Git(repository.root / ".git")

    assert await git.ask("rev-parse", "HEAD", limits=Limits(max_output=41))
    with pytest.raises(RefusedError, match="more than 40 bytes"):
        await git.ask("rev-parse", "HEAD", limits=Limits(max_output=40))


async def test_time_has_a_bound(repository: Repository):
    os.mkfifo(repository.root / ".gitignore")
    git = Git(repository.root / ".git", work_tree=repository.root)

    with pytest.raises(RefusedError, match="took longer than 0 seconds"):
        await git.run("status", limits=Limits(timeout_s=0.2))


async def test_a_full_disk_is_called_by_its_name(repository: Repository):
    git = Git(repository.root / ".git")

    with (
        os.fdopen(os.open("/dev/full", os.O_WRONLY), "wb") as full,
        pytest.raises(RefusedError, match="found no space left"),
    ):
        await git.ask("archive", "--format=tar", "HEAD", into=full)


async def test_a_child_that_does_not_read_is_no_error(repository: Repository):
    git = Git(repository.root / ".git")

    assert await git.ask("rev-parse", "HEAD", stdin=b"x" * (4 << 20))


async def test_many_at_once(repository: Repository):
    git = Git(repository.root / ".git")

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(git.ask("rev-parse", "HEAD")) for _ in range(16)]

    assert {task.result().decode().strip() for task in tasks} == {repository.head}

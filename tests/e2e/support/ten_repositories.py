"""Ten small repositories, each with an issue: `python -m tests.e2e.support.ten_repositories`.

Give it FOLDER and, if it should lock, URL.

URL is where registries are served (see registries.py); lock files name it.
"""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.e2e.support.node_shapes import NODE
from tests.e2e.support.python_shapes import PYTHON
from tests.e2e.support.registries import Places
from tests.e2e.support.shapes import Repository

REPOSITORIES = {repository.name: repository for repository in (*PYTHON, *NODE)}

_GIT = {
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    **{
        f"GIT_{who}_{what}": value
        for who in ("AUTHOR", "COMMITTER")
        for what, value in (
            ("NAME", "Somebody"),
            ("EMAIL", "somebody@example.org"),
            ("DATE", "2024-05-03T12:00:00Z"),
        )
    },
}


def git(folder: Path, *words: str) -> str:
    """Git with no configuration but the repository's own; its output."""
    environment = {"PATH": os.environ["PATH"], **_GIT}
    done = subprocess.run(
        ["git", *words], cwd=folder, env=environment, check=True, capture_output=True
    )
    return done.stdout.decode(errors="surrogateescape")


def create(repository: Repository, folder: Path, places: Places) -> Path:
    """Write it with its history; returns the target inside it."""
    write(folder, {"README.md": "Begun.\n"})
    commit(folder, "Begin")
    write(folder, {**repository.files, **repository.locks(places)})
    for path in repository.executable:
        (folder / path).chmod(0o755)
    for path, target in repository.links.items():
        (folder / path).symlink_to(target)
    commit(folder, "Work on it")
    return folder / repository.folder


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())


def commit(folder: Path, message: str) -> str:
    """Everything that is there, in a repository that is made where there is none."""
    if not (folder / ".git").exists():
        git(folder, "-c", "init.defaultBranch=main", "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", message)
    return git(folder, "rev-parse", "HEAD").strip()


def _main(folder: Path, url: str) -> None:
    for repository in REPOSITORIES.values():
        target = create(repository, folder / repository.name, Places(url))
        (folder / f"{repository.name}.md").write_text(repository.issue)
        sys.stdout.write(f"{target}  {repository.title}\n")


if __name__ == "__main__":
    _main(Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "http://127.0.0.1:8765")

"""Real git repositories for tests, and a look at every byte of a folder."""

import hashlib
import os
import stat
import subprocess
from collections.abc import Mapping
from pathlib import Path

AT = "@1700000000 +0000"
AUTHOR = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org"), ("DATE", AT))
}


class Repository:
    """A person's repository, used the way a person uses it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def create(
        cls,
        root: Path,
        files: Mapping[str, str | bytes] | None = None,
        *,
        object_format: str = "sha1",
    ) -> "Repository":
        """A repository on `main`; with files, also a first commit of them."""
        root.mkdir(parents=True, exist_ok=True)
        repository = cls(root)
        repository.git("init", "-q", "-b", "main", f"--object-format={object_format}")
        if files is not None:
            repository.write(files)
            repository.commit("first")
        return repository

    def git(self, *args: str, stdin: bytes = b"") -> str:
        done = subprocess.run(
            ["git", "-c", "gc.auto=0", *args],
            cwd=self.root,
            env=_environment(),
            input=stdin,
            capture_output=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr.decode()
        return done.stdout.decode("utf-8", "surrogateescape")

    def write(self, files: Mapping[str, str | bytes]) -> None:
        for name, content in files.items():
            path = self.root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode() if isinstance(content, str) else content)

    def commit(self, message: str = "more") -> str:
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)
        return self.head

    @property
    def head(self) -> str:
        return self.git("rev-parse", "HEAD").strip()

    def patch(self, files: Mapping[str, str | bytes | None]) -> bytes:
        """What these changes (None: gone) look like as a patch; the work tree is as before."""
        for name, content in files.items():
            if content is None:
                (self.root / name).unlink()
            else:
                self.write({name: content})
        return self.take_patch()

    def take_patch(self) -> bytes:
        """The uncommitted changes as a patch; they are gone from the work tree afterwards."""
        self.git("add", "-A")
        text = self.git(
            *("diff", "--cached", "--binary", "--full-index", "--no-renames", "--no-ext-diff")
        )
        self.git("reset", "-q", "--hard")
        return text.encode("utf-8", "surrogateescape")


def look(folder: Path, *, times: bool = True) -> dict[bytes, tuple[object, ...]]:
    """Everything in a folder: kinds, modes, contents and, if asked for, times of change."""
    seen: dict[bytes, tuple[object, ...]] = {}
    for name in _walk(os.fsencode(folder)):
        status = os.lstat(name)
        seen[name] = (
            stat.filemode(status.st_mode),
            status.st_mtime_ns if times else 0,
            _content(name, status.st_mode),
        )
    return seen


def _walk(folder: bytes) -> list[bytes]:
    found = [folder]
    for top, folders, files in os.walk(folder):
        found += [os.path.join(top, name) for name in (*folders, *files)]  # noqa: PTH118 - bytes
    return found


def _content(name: bytes, mode: int) -> object:
    if stat.S_ISLNK(mode):
        return os.readlink(name)  # noqa: PTH115 - a path of bytes
    if stat.S_ISREG(mode):
        with open(name, "rb") as file:  # noqa: PTH123 - a path of bytes
            return hashlib.sha256(file.read()).hexdigest()
    return None


def _environment() -> dict[str, str]:
    return {
        **AUTHOR,
        "PATH": os.environ["PATH"],
        "HOME": "/nonexistent",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "LC_ALL": "C",
    }

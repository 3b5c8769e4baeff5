"""Real git repositories for tests, and a look at every byte of a folder."""

import atexit
import hashlib
import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Callable, Hashable, Mapping
from functools import cache
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

        def make(folder: Path) -> None:
            made = cls(folder)
            folder.mkdir(exist_ok=True)
            made.git("init", "-q", "-b", "main", f"--object-format={object_format}")
            if files is not None:
                made.write(files)
                made.commit("first")

        if root.exists():
            make(root)
        else:
            key = None if files is None else tuple(files.items())
            copy_of(("repository", key, object_format), make, root)
        return cls(root)

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


def copy_of(what: Hashable, make: Callable[[Path], None], target: Path) -> None:
    """What `make` puts into a folder, made once: git takes ten times as long as a copy."""
    template = _templates() / hashlib.sha256(repr(what).encode()).hexdigest()
    if not template.exists():
        make(template)
    shutil.copytree(template, target, symlinks=True)


@cache
def _templates() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="repositories-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


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

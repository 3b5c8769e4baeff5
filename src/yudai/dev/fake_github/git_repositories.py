"""Bare repositories on disk: everything that git does apart from talking HTTP."""

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

_HOOK = Path(__file__).parent / "pre-receive"
_CONFIG = {
    "http.receivepack": "true",
    "receive.hideRefs": "refs/pull",
    "receive.maxInputSize": str(256 << 20),
    "uploadpack.allowFilter": "true",
    "uploadpack.allowAnySHA1InWant": "true",
    "gc.auto": "0",
    "receive.autogc": "false",
}
_SHA = re.compile(r"[0-9a-f]{40}")
_FIELDS = "%H%x00%T%x00%P%x00%an%x00%ae%x00%at%x00%cn%x00%ce%x00%ct%x00%B%x01"
ENV = {
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_CONFIG_KEY_0": "safe.directory",
    "GIT_CONFIG_KEY_1": "core.fsync",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_VALUE_0": "*",
    "GIT_CONFIG_VALUE_1": "none",
    "GIT_TERMINAL_PROMPT": "0",
    "HOME": "/nonexistent",
    "LC_ALL": "C",
    "PATH": os.defpath,
}


class GitError(Exception):
    """Git would not; the message is its own."""


class Signature(NamedTuple):
    name: str
    email: str
    at: float


class Commit(NamedTuple):
    sha: str
    tree: str
    parents: tuple[str, ...]
    author: Signature
    committer: Signature
    message: str


class Clone:
    """One bare repository."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def create(self, default_branch: str) -> None:
        self.path.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "--bare", f"--initial-branch={default_branch}", ".")
        lines = [
            f"[{key.partition('.')[0]}]\n\t{key.partition('.')[2]} = {value}\n"
            for key, value in _CONFIG.items()
        ]
        with (self.path / "config").open("a", encoding="utf-8") as config:
            config.write("".join(lines))
        hook = self.path / "hooks" / "pre-receive"
        hook.parent.mkdir(exist_ok=True)
        shutil.copyfile(_HOOK, hook)
        hook.chmod(0o755)

    def git(self, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> str:
        return self.raw(*args, stdin=stdin, env=env).decode("utf-8", "replace").strip("\n")

    def raw(self, *args: str, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> bytes:
        done = subprocess.run(  # noqa: S603 - our own arguments, no shell
            [git_program(), *args],
            cwd=self.path,
            input=stdin,
            capture_output=True,
            env={**ENV, **(env or {})},
            check=False,
        )
        if done.returncode != 0:
            raise GitError((done.stderr or done.stdout).decode("utf-8", "replace").strip())
        return done.stdout

    def ref(self, name: str) -> str | None:
        """A branch's commit, read without starting git; None when there is no such branch."""
        loose = self.path / name
        try:
            if loose.is_file() and _SHA.fullmatch(sha := loose.read_text("ascii").strip()):
                return sha
            packed = (self.path / "packed-refs").read_text("utf-8")
        except (OSError, ValueError):
            return None
        found = (line.split(" ", 1) for line in packed.splitlines() if line[:1] not in "#^")
        return next((sha for sha, ref in found if ref == name), None)

    def branch(self, name: str) -> str | None:
        return self.ref(f"refs/heads/{name}") if is_branch_name(name) else None

    def branches(self) -> dict[str, str]:
        output = self.git("for-each-ref", "--format=%(objectname) %(refname:strip=2)", "refs/heads")
        return {name: sha for sha, name in (line.split(" ", 1) for line in output.splitlines())}

    def move(self, branch: str, sha: str) -> None:
        self.git("update-ref", f"refs/heads/{branch}", sha)

    def take(self, other: "Clone", *refspecs: str) -> None:
        """Fetch from a repository beside this one."""
        self.git("fetch", "-q", "--no-tags", str(other.path), *refspecs)

    def commits(
        self, start: str, *, since: float | None = None, skip: int = 0, limit: int = 1
    ) -> list[Commit]:
        bounds = [f"--skip={skip}", f"--max-count={limit}"]
        if since is not None:
            bounds.append(f"--max-age={int(since)}")
        output = self.git("log", f"--format={_FIELDS}", *bounds, start, "--")
        return [_commit(entry.lstrip("\n")) for entry in output.split("\x01") if entry.strip("\n")]

    def resolve(self, name: str) -> str | None:
        try:
            return self.git("rev-parse", "--verify", "-q", "--end-of-options", f"{name}^{{commit}}")
        except GitError:
            return None

    def is_within(self, commit: str, branch: str) -> bool:
        try:
            self.git("merge-base", "--is-ancestor", commit, branch)
        except GitError:
            return False
        return True

    def write(self, parents: tuple[str, ...], tree: str, message: str, by: Signature) -> str:
        stamp = f"{int(by.at)} +0000"
        env = {
            "GIT_AUTHOR_NAME": by.name,
            "GIT_AUTHOR_EMAIL": by.email,
            "GIT_AUTHOR_DATE": stamp,
            "GIT_COMMITTER_NAME": by.name,
            "GIT_COMMITTER_EMAIL": by.email,
            "GIT_COMMITTER_DATE": stamp,
        }
        above = [part for parent in parents for part in ("-p", parent)]
        return self.git("commit-tree", tree, *above, stdin=message.encode(), env=env)

    def tree_with(self, base: str | None, files: Mapping[str, bytes | None]) -> str:
        """The tree of a commit with these files changed; None takes one away."""
        env = {"GIT_INDEX_FILE": str(self.path / f"index-{os.getpid()}-{id(files):x}")}
        try:
            self.git("read-tree", base or "--empty", env=env)
            lines = [self._index_line(path, content) for path, content in files.items()]
            self.git("update-index", "--index-info", stdin="".join(lines).encode(), env=env)
            return self.git("write-tree", env=env)
        finally:
            Path(env["GIT_INDEX_FILE"]).unlink(missing_ok=True)

    def _index_line(self, path: str, content: bytes | None) -> str:
        if content is None:
            return f"0 {'0' * 40}\t{path}\n"
        blob = self.git("hash-object", "-w", "--stdin", stdin=content)
        return f"100644 {blob}\t{path}\n"


def git_program() -> str:
    return shutil.which("git") or "/usr/bin/git"


def is_branch_name(name: str) -> bool:
    """As far as it decides which file is read."""
    parts = name.split("/")
    return all(part and not part.startswith((".", "-")) for part in parts) and "\0" not in name


def _commit(entry: str) -> Commit:
    sha, tree, parents, an, ae, at, cn, ce, ct, message = entry.split("\0", 9)
    return Commit(
        sha=sha,
        tree=tree,
        parents=tuple(parents.split()),
        author=Signature(an, ae, float(at)),
        committer=Signature(cn, ce, float(ct)),
        message=message.strip("\n"),
    )


class ConflictedError(Exception):
    """Both sides changed the same lines."""


class Sides(NamedTuple):
    base: str
    head: str


def merged_tree(clone: Clone, ours: str, theirs: str) -> str:
    """A tree; ConflictedError where git cannot tell."""
    try:
        return clone.git("merge-tree", "--write-tree", ours, theirs).splitlines()[0]
    except GitError as error:
        raise ConflictedError(str(error)) from None


def merge(
    clone: Clone, sides: Sides, message: str, by: Signature, *, is_squash: bool = False
) -> str:
    tree = merged_tree(clone, sides.base, sides.head)
    return clone.write(sides[:1] if is_squash else sides, tree, message, by)


def rebase(clone: Clone, sides: Sides, by: Signature) -> str:
    """Rebase each commit onto the base; returns the last."""
    found = clone.git("rev-list", "--reverse", "--no-merges", f"{sides.base}..{sides.head}").split()
    top = sides.base
    for sha in found:
        picked = clone.commits(sha)[0]
        tree = _three_way(clone, picked.parents[0], ours=top, theirs=sha, by=by)
        author = Signature(picked.author.name, picked.author.email, by.at)
        top = clone.write((top,), tree, picked.message, author)
    return top


def reverted_tree(clone: Clone, branch: str, *, before: str, after: str, by: Signature) -> str:
    """The branch without what came between `before` and `after`."""
    return _three_way(clone, after, ours=branch, theirs=before, by=by)


def _three_way(clone: Clone, base: str, *, ours: str, theirs: str, by: Signature) -> str:
    """Git of 2022 takes no merge base: two commits upon it have no other one."""
    left, right = (
        clone.write((base,), clone.git("rev-parse", f"{side}^{{tree}}"), "side", by)
        for side in (ours, theirs)
    )
    return merged_tree(clone, left, right)

"""The change that a run produced, as git's own text, and what can be read from it."""

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import NamedTuple

from yudai.kit.errors import RefusedError
from yudai.kit.value import Value
from yudai.patches.git_diff import FileChange, read_changes
from yudai.patches.test_paths import is_test_path


def first_match(path: str, globs: Iterable[str]) -> str | None:
    """The first glob that covers this path or a folder above it.

    `*` and `?` stay within a name, `**` does not; without an inner slash a glob fits anywhere.
    """
    parts = path.split("/")
    return next((glob for glob in globs if _covers(glob, parts)), None)


def _covers(glob: str, parts: list[str]) -> bool:
    names = glob.strip("/").split("/")
    if "/" not in glob.rstrip("/"):
        names = ["**", *names]
    # Which prefixes of the path the names so far can have consumed.
    reached = {0}
    for name in names:
        if name == "**":
            reached = set(range(min(reached), len(parts) + 1))
        else:
            reached = {n + 1 for n in reached if n < len(parts) and _fits(name, parts[n])}
        if not reached:
            return False
    # Whatever lies below a covered folder is covered too.
    return max(reached) > 0


def _fits(pattern: str, name: str) -> bool:
    """Wildcards with one point of return: never worse than the product of both lengths."""
    at = star = 0
    mark = -1
    for_sure = 0
    while for_sure < len(name):
        if at < len(pattern) and pattern[at] == "*":
            mark, star = at, for_sure
            at += 1
        elif at < len(pattern) and pattern[at] in ("?", name[for_sure]):
            at, for_sure = at + 1, for_sure + 1
        elif mark >= 0:
            star += 1
            at, for_sure = mark + 1, star
        else:
            return False
    return not pattern[at:].strip("*")


SYMLINK = "120000"
SUBMODULE = "160000"

# Characters that some file systems leave out when they compare names.
_IGNORABLE = frozenset("\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u206a\ufeff")


class Patch(Value):
    files: tuple[FileChange, ...]

    @property
    def text(self) -> str:
        return "".join(change.text for change in self.files)

    @property
    def paths(self) -> frozenset[str]:
        return frozenset(change.path for change in self.files)

    @property
    def files_changed(self) -> int:
        return len(self.paths)

    @property
    def lines_changed(self) -> int:
        return sum(change.added + change.removed for change in self.files)

    @property
    def source(self) -> "Patch":
        """The part that is judged: everything but test files."""
        return self.only(lambda change: not is_test_path(change.path))

    @property
    def tests(self) -> "Patch":
        return self.only(lambda change: is_test_path(change.path))

    def only(self, predicate: Callable[[FileChange], bool]) -> "Patch":
        return Patch(files=tuple(change for change in self.files if predicate(change)))


def parse_patch(text: str) -> Patch:
    """Read a patch made by `git diff --binary --full-index --no-renames`; refuse any other text."""
    return Patch(files=tuple(read_changes(text)))


def forbidden(patch: Patch, *, protected: Collection[str] = ()) -> tuple[str, ...]:
    """Why this patch must not be applied anywhere: one line for each file that leads astray.

    `protected` are globs of paths that no patch may change.
    """
    found = (
        (change.path, _astray(change) or _guarded(change.path, protected)) for change in patch.files
    )
    return tuple(f"{readable(path)}: {reason}" for path, reason in found if reason)


def _guarded(path: str, protected: Collection[str]) -> str:
    return "" if first_match(path, protected) is None else "is protected by .yudai.yml"


def readable(path: str) -> str:
    """A path as one line of text: no control characters, no undecodable bytes."""
    shown = path.encode("utf-8", "backslashreplace").decode()
    return "".join(char if char.isprintable() else f"\\x{ord(char):02x}" for char in shown)


def _astray(change: FileChange) -> str:
    parts = change.path.split("/")
    if not parts[0] or ".." in parts:
        return "leads outside the repository"
    if any(_is_git_directory(part) for part in parts):
        return "reaches into .git"
    if SUBMODULE in (change.old_mode, change.new_mode):
        return "changes a submodule"
    if change.new_mode == SYMLINK:
        return _astray_link(change, len(parts) - 1)
    return ""


def _astray_link(change: FileChange, depth: int) -> str:
    """Only leading `..` are followed: after another component they could leave through a link."""
    target = "\n".join(change.added_lines)
    parts = target.split("/")
    ups = next((n for n, part in enumerate(parts) if part != ".."), len(parts))
    if not target:
        return "is a symbolic link whose target cannot be read"
    if target.startswith("/") or ups > depth or ".." in parts[ups:]:
        return "is a symbolic link that leads outside the repository"
    if any(_is_git_directory(part) for part in parts):
        return "is a symbolic link into .git"
    return ""


def _is_git_directory(part: str) -> bool:
    """Also as file systems that fold case or ignore characters would read it."""
    folded = "".join(char for char in part if char not in _IGNORABLE).casefold()
    return folded.rstrip(" .") in {".git", "git~1"}


class Touched(NamedTuple):
    path: str
    lines: int
    """Added and removed."""


def touched(diff: str) -> tuple[Touched, ...]:
    """Each file with its changed lines; () when the text is no diff."""
    try:
        patch = parse_patch(diff)
    except RefusedError:
        return tuple(_foreign(diff.split("\n")))
    return tuple(Touched(change.path, change.added + change.removed) for change in patch.files)


def _foreign(lines: list[str]) -> Iterator[Touched]:
    path: str | None = None
    count = 0
    for old, new in zip(lines, [*lines[1:], ""], strict=True):
        # Two lines together, since a removed `-- x` looks like the first of them.
        if old.startswith("--- ") and new.startswith("+++ "):
            if path is not None:
                yield Touched(path, count)
            path, count = _name(old[4:], new[4:]), -1
        elif path is not None and old.startswith(("+", "-")):
            count += 1
    if path is not None:
        yield Touched(path, count)


def _name(old: str, new: str) -> str:
    """The new name, or the old one of a file that is gone; a tab ends it, a date may follow."""
    name = old if new.startswith("/dev/null") else new
    return name.partition("\t")[0].removeprefix("a/").removeprefix("b/").strip()

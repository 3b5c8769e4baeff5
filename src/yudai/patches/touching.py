"""Which files a diff touches, also one that was not made our way: it is read, never applied."""

from collections.abc import Iterator
from typing import NamedTuple

from yudai.kit.errors import RefusedError
from yudai.patches.patch import parse_patch


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

"""Globs of paths from a stranger's file: matched in steps that no pattern can multiply."""

from collections.abc import Iterable


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

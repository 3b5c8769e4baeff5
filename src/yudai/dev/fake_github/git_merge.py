"""Merges, squashes, rebases and reverts without a work tree."""

from typing import NamedTuple

from yudai.dev.fake_github.git_repositories import Clone, GitError, Signature


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


def merge(clone: Clone, sides: Sides, message: str, by: Signature) -> str:
    tree = merged_tree(clone, sides.base, sides.head)
    return clone.write((sides.base, sides.head), tree, message, by)


def squash(clone: Clone, sides: Sides, message: str, by: Signature) -> str:
    tree = merged_tree(clone, sides.base, sides.head)
    return clone.write((sides.base,), tree, message, by)


def rebase(clone: Clone, sides: Sides, by: Signature) -> str:
    """Each commit anew upon the base; returns the last."""
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

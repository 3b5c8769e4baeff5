"""A change that exists already: its text, or where a repository has it."""

from typing import NamedTuple

from yudai.kit.errors import RefusedError


class DiffText(NamedTuple):
    """Text of `git diff`, `diff -u` or `git format-patch`."""

    content: bytes


class BranchChange(NamedTuple):
    """What a branch changes since it left the base."""

    name: str


class CommitChange(NamedTuple):
    """What a commit changes in its first parent."""

    name: str


class PullChange(NamedTuple):
    """What a pull request changes since it left the base."""

    number: int


Change = DiffText | BranchChange | CommitChange | PullChange


class UnfitError(RefusedError):
    """It exists, but cannot be put onto the base: its author's fault alone."""

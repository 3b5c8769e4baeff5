"""What a generated repository is made of, and what a right and a wrong answer to its issue are."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from tests.e2e.support.registries import Places


def _no_locks(places: Places) -> Mapping[str, str]:
    return {}


class Answer(NamedTuple):
    """What a contestant does; paths start at the repository's root."""

    plan: tuple[str, ...]
    path: str
    old: str
    new: str
    test_path: str
    test: str


class Repository(NamedTuple):
    name: str
    issue: str
    """Its first line is the title."""
    files: Mapping[str, str]
    right: Answer
    wrong: Answer
    """Makes the issue's example work and nothing else, or breaks what worked."""
    install: tuple[tuple[str, ...], ...]
    """How a person would install what it needs, in `folder`."""
    test_command: tuple[str, ...]
    """How its own tests are run in `folder`."""
    run_one: tuple[str, ...]
    """How one file of tests is run; the file's path follows."""
    locks: Callable[[Places], Mapping[str, str]] = _no_locks
    """Files that name a registry."""
    folder: str = ""
    """The part of the repository that is the target."""
    executable: frozenset[str] = frozenset()
    links: Mapping[str, str] = {}
    failing: frozenset[str] = frozenset()
    """Tests that fail before and after."""
    is_provable: bool = True
    """False: its tests say nothing but an exit code."""

    @property
    def title(self) -> str:
        return self.issue.partition("\n")[0]

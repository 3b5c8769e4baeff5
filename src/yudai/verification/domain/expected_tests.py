"""Finds the tests of base that an edit is about, and their ids in the patch."""

import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from glob import escape
from types import MappingProxyType
from typing import NamedTuple

from yudai.testing.domain.report import Outcome
from yudai.verification.domain.expectations import Expectation, test_file_of

_NUMBER = re.compile(r" \d+$")
_SEPARATORS = re.compile(r" > |::|\.")
# The parts of a title that are only known when it runs: `%i`, `$name`, a template's code.
_HOLES = re.compile(r"%[sdifjoOpc#%]|\$\{[^}]*\}|\$[A-Za-z_][\w.]*|\\x00|\0")


class EditedTest(NamedTuple):
    """A test by its file and its name in that file."""

    path: str
    test: str


class EditedTests(NamedTuple):
    """Tests of base that a patch edits, by their ids."""

    expectations: Mapping[str, Sequence[Expectation]] = MappingProxyType({})
    """The new expected values of each test."""
    renamed: Mapping[str, str] = MappingProxyType({})
    """New ids of tests whose id contains the changed value."""
    outcomes: Mapping[str, Outcome] = MappingProxyType({})
    """By new id: the results of the edited tests on the patch."""

    def passes(self, test: str) -> bool:
        return self.outcomes.get(self.renamed.get(test, test)) is Outcome.PASSED


NONE_EDITED = EditedTests()


def match_expectations(
    expectations: Iterable[Expectation], known: Sequence[str]
) -> dict[str, list[Expectation]]:
    """Changed expectations by base's test id, in run order; a test can have several new values.

    It may match too many tests: what counts is that an edit makes a test pass.
    """
    found: dict[str, list[Expectation]] = {}
    for expectation in expectations:
        for test in _in_row(expectation, _about(expectation, known)):
            found.setdefault(test, []).append(expectation)
    return found


def match_tests(tests: Iterable[EditedTest], known: Iterable[str]) -> frozenset[str]:
    wanted = list(tests)
    return frozenset(t for t in known if any(_is_about(one.path, one.test, t) for one in wanted))


def renamed_tests(
    edited: Mapping[str, Sequence[Expectation]], base: Sequence[str], own: Sequence[str]
) -> dict[str, str]:
    """New ids of edited tests whose id changed, found by their position in a table.

    A runner's default ids contain the values of a row.
    """
    found: dict[str, str] = {}
    for test, expectations in edited.items():
        if test in own:
            continue
        # A data file does not show which tests use it.
        for expectation in (one for one in expectations if one.test):
            before, after = _about(expectation, base), _about(expectation, own)
            if name := _twin(test, expectation, before, after):
                found.setdefault(test, name)
    return found


def _twin(test: str, expectation: Expectation, before: list[str], after: list[str]) -> str:
    row = expectation.row
    if row and (len(before), len(after)) == (row.rows, row.now_rows):
        return after[row.now] if before[row.at] == test else ""
    gone = [one for one in before if one not in after]
    new = [one for one in after if one not in before]
    return new[gone.index(test)] if len(gone) == len(new) and test in gone else ""


def _in_row(expectation: Expectation, tests: list[str]) -> list[str]:
    """The id of this row among the ids of one table; all of them if it is not known."""
    row = expectation.row
    return tests if row is None or len(tests) != row.rows else [tests[row.at]]


def _about(expectation: Expectation, tests: Iterable[str]) -> list[str]:
    return [test for test in tests if _is_about(expectation.path, expectation.test, test)]


def _is_about(path: str, name: str, test: str) -> bool:
    if not name:
        return True
    owner = test_file_of(path)
    file, separator, title = test.partition("::")
    if not separator:
        return _is_about_method(owner, name, test)
    if owner.endswith(".py") and owner == path:
        # Classes in other files can inherit a method.
        inner, plain = name.rpartition("::"), title.partition("[")[0]
        is_inherited = bool(inner[0]) and plain.rpartition("::")[0] != ""
        return (is_inherited and plain.rpartition("::")[2] == inner[2]) or (
            file == owner and plain == name
        )
    if file != owner:
        return False
    if owner != path:
        return _plain(title) == _plain(_NUMBER.sub("", name))
    return title == name or _fits(name, title)


def _is_about_method(owner: str, name: str, test: str) -> bool:
    """Whether a unittest id, which is dotted, names this method below any start folder."""
    inner = name.replace("::", ".")
    if "." in inner:
        return test.endswith(f".{inner.rpartition('.')[2]}")
    module = owner.removesuffix(".py").replace("/", ".")
    start = test.removesuffix(inner).rstrip(".")
    return test.endswith(f".{inner}") and f".{module}.".endswith(f".{start}.")


def _fits(name: str, title: str) -> bool:
    parts = _HOLES.split(name)
    return len(parts) > 1 and fnmatchcase(title, "*".join(map(escape, parts)))


def _plain(titles: str) -> str:
    """Titles joined as jest does."""
    return _SEPARATORS.sub(" ", titles)

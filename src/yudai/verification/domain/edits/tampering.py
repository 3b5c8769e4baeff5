"""Finds signs that a patch changed tests, test configuration or the test runner."""

import re
import sys
from collections.abc import Collection, Iterator, Mapping
from typing import NamedTuple

from yudai.kit.syntax import UnreadableError
from yudai.patches.patch import Patch, readable
from yudai.patches.test_paths import (
    MIXED_CONFIGS,
    RUNNER_CONFIGS,
    TOOL_CONFIGS,
    is_test_config,
    is_test_path,
    name_of,
)
from yudai.verification.domain.edits.python_test_edits import Edit, edits
from yudai.verification.domain.edits.python_test_edits import grown_tests as grown_python_tests
from yudai.verification.domain.edits.python_test_tree import is_python
from yudai.verification.domain.edits.script_test_edits import SCRIPTS, script_edits
from yudai.verification.domain.edits.test_configuration import (
    UnreadableConfigError,
    changed_sections,
)
from yudai.verification.domain.expectations import Expectation, expectation
from yudai.verification.domain.expected.change import Change
from yudai.verification.domain.expected.script_tests import grown_titles
from yudai.verification.domain.expected.snapshot_files import is_snapshot_file, snapshot_changes
from yudai.verification.domain.expected_tests import EditedTest

Texts = Mapping[str, str | None]

_RUNNER_MODULES = frozenset({"pytest", "_pytest", "pluggy", "unittest"})
_STANDARD = sys.stdlib_module_names - {"test"} | _RUNNER_MODULES
_STARTUP = frozenset({"sitecustomize", "usercustomize"})
_MODULE = re.compile(r"([^/.]+)(?:\.py|\.pyc|(?:\.[^/]*)?\.so|\.pyd|/__init__\.pyc?)")
_CODE = re.compile(
    r".*\.(py|[cm]?[jt]sx?|rb|go|java|kt|cs|php|rs|c|cc|cpp|h|hpp|sh|pl|exs?|scala|swift|feature)"
)
_PRIVATE_IMPORT = re.compile(r"\s*(?:import|from)\s+_pytest\b")
_PROSE = re.compile(r"(README.*|.*\.(md|rst)|requirements.*\.txt)")


class Finding(NamedTuple):
    path: str
    reason: str
    is_runner: bool
    """Whether it changes how tests are run; the file is then withheld from verification."""
    expectation: Expectation | None = None
    """Set if it only changes a test's expected value; `expect.py` decides whether that is right."""

    @property
    def line(self) -> str:
        return f"{readable(self.path)}: {self.reason}"


def needs_reading(path: str, tests: Collection[str] = ()) -> bool:
    """Whether `tampering` needs this file's texts; `tests`: paths of known test files."""
    return path in tests or is_test_path(path) or is_test_config(path)


def tampering(base: Texts, patched: Texts, tests: Collection[str] = ()) -> tuple[Finding, ...]:
    """Compare texts by path; None if there is no such file on that side."""
    return tuple(
        _finding(path, edit)
        for path in sorted(base.keys() | patched.keys())
        if base.get(path) != patched.get(path)
        for edit in _edits(path, base.get(path), patched.get(path), is_test=path in tests)
    )


def grown_tests(base: Texts, patched: Texts) -> Iterator[EditedTest]:
    """Existing tests that gained statements."""
    for path in sorted(base.keys() & patched.keys()):
        before, after = base[path], patched[path]
        if before is not None and after is not None and before != after:
            yield from (EditedTest(path, test) for test in _grown(path, before, after))


def _grown(path: str, before: str, after: str) -> list[str]:
    if SCRIPTS.fullmatch(path):
        return grown_titles(before, after)
    try:
        return grown_python_tests(before, after) if path.endswith(".py") else []
    except UnreadableError:
        return []


def hijacking(patch: Patch, tests: Collection[str] = ()) -> tuple[Finding, ...]:
    """Files that Python or the runner loads automatically, and code that uses its internals."""
    found = [
        (change.path, _startup(change.path) or (_hijack(change.path) if change.is_new else ""))
        for change in patch.files
    ]
    found += [
        (change.path, "reaches into the test runner (_pytest)")
        for change in patch.source.files
        if change.path.endswith(".py")
        and change.path not in tests
        and _private(change.added_lines) > _private(change.removed_lines)
    ]
    return tuple(Finding(path, reason, is_runner=True) for path, reason in found if reason)


def _finding(path: str, edit: Edit) -> Finding:
    found = Finding(path, edit.reason, edit.is_runner)
    if edit.expectation is None:
        return found
    placed = {"path": readable(path), "line": found.line}
    return found._replace(expectation=edit.expectation.model_copy(update=placed))


def _edits(path: str, base: str | None, patched: str | None, *, is_test: bool) -> Iterator[Edit]:
    name = name_of(path)
    if name in TOOL_CONFIGS or _PROSE.fullmatch(name):
        return
    if MIXED_CONFIGS.fullmatch(name) or (RUNNER_CONFIGS.fullmatch(name) and name != "conftest.py"):
        yield from _config_edits(path, base, patched)
    elif patched is None:
        yield Edit("deletes this test file", is_runner=name == "conftest.py")
    elif is_test or is_test_path(path):
        yield from _test_edits(path, base, patched)


def _config_edits(path: str, base: str | None, patched: str | None) -> Iterator[Edit]:
    try:
        for section in changed_sections(path, base, patched):
            yield Edit(f"changes how tests run ({section})", is_runner=True)
    except UnreadableConfigError:
        yield Edit("its test settings could not be read", is_runner=True)


def _test_edits(path: str, base: str | None, patched: str) -> Iterator[Edit]:
    is_conftest = name_of(path) == "conftest.py"
    if base is not None and is_snapshot_file(path):
        yield from _snapshot_edits(path, base, patched)
    elif base is not None and SCRIPTS.fullmatch(path):
        yield from script_edits(base, patched)
    elif base is not None and (not path.endswith(".py") or not is_python(base)):
        yield from _line_edits(base, patched, is_data=_CODE.fullmatch(path) is None)
    elif path.endswith(".py") and (is_conftest or base is not None or is_python(patched)):
        try:
            yield from edits(base or "", patched, is_conftest=is_conftest)
        except UnreadableError:
            yield Edit("could not be read", is_runner=is_conftest)


def _snapshot_edits(path: str, base: str, patched: str) -> Iterator[Edit]:
    """A snapshot file may gain entries. A removed one lets its test accept any value."""
    found = snapshot_changes(path, base, patched)
    if found is None:
        yield from _line_edits(base, patched)
        return
    yield from map(Edit.of, found.changes)
    if found.is_weakened:
        yield Edit("changes lines of this existing test file")


def _line_edits(base: str, patched: str, *, is_data: bool = False) -> Iterator[Edit]:
    """Files that are not Python may gain lines, but no line may change.

    A data file may hold expected values; running the tests shows which tests use it.
    """
    before, after = base.splitlines(), patched.splitlines()
    left = iter(after)
    if all(line in left for line in before):
        return
    reason = "changes lines of this existing test file"
    is_text = "\0" not in base + patched
    if not is_data or not is_text or len(after) < len(before):
        yield Edit(reason)
        return
    gone = "\n".join(line for line in before if line not in set(after))
    come = "\n".join(line for line in after if line not in set(before))
    yield Edit(reason, expectation=expectation(Change("", gone, come)))


def _startup(path: str) -> str:
    module = _MODULE.fullmatch(name_of(path))
    if module and module[1] in _STARTUP:
        return f"{module[1]} runs whenever Python starts"
    if path.endswith(".pth"):
        return "a .pth file runs whenever Python starts"
    if "node_modules" in path.split("/"):
        return "reaches into node_modules, where the test runner is"
    return "compiled code, which may take the place of its source" if path.endswith(".pyc") else ""


def _hijack(path: str) -> str:
    directory, _, name = path.rpartition("/")
    if name == "entry_points.txt" and directory.endswith((".dist-info", ".egg-info")):
        return "registers plugins that the test runner would load"
    module = _MODULE.fullmatch(path.removeprefix("src/"))
    if module and module[1] in _STANDARD:
        return f"takes the place of the module {module[1]}"
    module = _MODULE.fullmatch(name)
    if is_test_path(path) and module and module[1] in _RUNNER_MODULES:
        return f"takes the place of the module {module[1]}"
    return ""


def _private(lines: list[str]) -> int:
    return sum(_PRIVATE_IMPORT.match(line) is not None for line in lines)

"""Finds a patch's edits to a JavaScript or TypeScript test file; additions are allowed."""

import re
from collections import Counter
from collections.abc import Iterator

from yudai.verification.domain.edits.python_test_edits import Edit
from yudai.verification.domain.expectations import expectation
from yudai.verification.domain.expected.script_tables import other_tables
from yudai.verification.domain.expected.script_tests import restored

SCRIPTS = re.compile(r".*\.[cm]?[jt]sx?")

_IMPORT = re.compile(
    r"""\s*(?:import|export|const|let|var)\s+(?:type\s+)?(.*?)\s*
        (?:from\s*|=\s*(?:await\s+)?(?:require|import)\s*\(\s*)(['"`])([^'"`]+)\2.*""",
    re.VERBOSE,
)
_NAME = re.compile(r"[\w$*]+(?:\s*(?:as|:)\s*[\w$]+)?")
_FEWER = re.compile(
    r"\b(?:describe|suite|context|it|test|specify)(?:\.\w+)*\.(?:only|skip|todo|skipIf|runIf)\b"
    r"|\b(?:xit|xtest|xdescribe|xcontext|fit|fdescribe)\s*[(.]"
    r"|\bthis\.skip\(\)|\bprocess\.exit\("
)


def script_edits(base: str, patched: str) -> Iterator[Edit]:
    """Edits of the file; other layout, more imports and new lines are none."""
    patched, changes = restored(base, patched)
    yield from map(Edit.of, changes)
    # Some of the tests use the tables beside them, but it is not known which.
    patched, others = other_tables(base, patched)
    for change in others:
        yield Edit(
            f"changes values that existing tests use: {change.before} -> {change.now}",
            expectation=expectation(change),
        )
    left = iter(_lines(patched))
    if Counter(_FEWER.findall(patched)) - Counter(_FEWER.findall(base)):
        yield Edit("skips tests of this existing test file")
    elif not all(line in left for line in _lines(base)):
        yield Edit("changes lines of this existing test file")
    if lost := _lost_imports(base, patched):
        yield Edit(f"changes what this existing test file imports ({lost})")


def _lines(text: str) -> list[str]:
    stripped = (re.sub(r"\s+", " ", line).strip().rstrip(",;") for line in text.splitlines())
    return [
        line
        for line in stripped
        if line and not line.startswith("//") and not _IMPORT.fullmatch(line)
    ]


def _lost_imports(base: str, patched: str) -> str:
    before, after = _imports(base), _imports(patched)
    return next(
        (module for module, names in before.items() if not names <= after.get(module, set())), ""
    )


def _imports(text: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for line in text.splitlines():
        if match := _IMPORT.fullmatch(line):
            names = (re.sub(r"\s+", " ", name) for name in _NAME.findall(match[1]))
            found.setdefault(match[3], set()).update(names)
    return found

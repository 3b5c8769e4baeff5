"""Reads the changed files before and after the patch; executes none of them."""

from collections.abc import Collection, Iterable
from typing import NamedTuple

from yudai.patches.patch import Patch, readable
from yudai.sandboxes.port import Sandbox
from yudai.verification.case import Readings, Texts
from yudai.verification.clean_sandboxes import (
    UNREADABLE,
    CleanSandboxes,
    apply_patch,
    read_texts,
)
from yudai.verification.domain.edits.tampering import (
    Finding,
    grown_tests,
    hijacking,
    needs_reading,
    tampering,
)
from yudai.verification.domain.judge import Suspicion
from yudai.verification.domain.sources.scripts.frameworks import changed_frameworks
from yudai.verification.test_files import TestFiles

_REGULAR = "100"
_MOST_READ = 400


class Looked(NamedTuple):
    suspicion: Suspicion
    readings: Readings
    title: str = ""


async def look(sandboxes: CleanSandboxes, patch: Patch, files: TestFiles) -> Looked:
    tests = files.tests_of(patch)
    important = [change for change in patch.files if needs_reading(change.path, tests)]
    others = [change for change in patch.files if not needs_reading(change.path, tests)]
    seen = [*important, *others[:_MOST_READ]]
    old = [change.path for change in seen if change.old_mode.startswith(_REGULAR)]
    new = [change.path for change in seen if change.new_mode.startswith(_REGULAR)]
    async with sandboxes.open() as sandbox:
        before = await read_texts(sandbox, old)
        await apply_patch(sandbox, patch)
        after = await read_texts(sandbox, new)
    checked = {change.path for change in important}
    sources = {change.path for change in others}
    found = (
        *hijacking(patch, tests),
        *tampering(_of(before, checked), _of(after, checked), tests),
        *_disarming(_of(before, sources), _of(after, sources)),
    )
    suspicion = Suspicion(
        tampered=tuple(dict.fromkeys(finding.line for finding in found)),
        withheld=tuple(sorted({readable(finding.path) for finding in found if finding.is_runner})),
        expectations=tuple(f.expectation for f in found if f.expectation is not None),
        grown=tuple(grown_tests(_of(before, tests), _of(after, tests))),
    )
    return Looked(suspicion, _readings({change.path for change in seen}, tests, before, after))


def _disarming(before: Texts, after: Texts) -> list[Finding]:
    """Findings about product code that changes how its tests are judged."""
    reason = "changes the test framework while it runs"
    paths = sorted(changed_frameworks(before, after))
    return [Finding(path, reason, is_runner=True) for path in paths]


def _of(texts: Texts, paths: Collection[str]) -> dict[str, str | None]:
    return {path: text for path, text in texts.items() if path in paths}


def _readings(
    seen: Collection[str], tests: frozenset[str], before: Texts, after: Texts
) -> Readings:
    sources = frozenset(seen) - tests
    sides = (_present(before, sources, after), _present(after, sources, before))
    tests_before, tests_after = _of(before, tests), _of(after, tests)
    return Readings(*sides, _legible(tests_before), _legible(tests_after))


def _present(side: Texts, paths: Collection[str], other: Texts) -> dict[str, str | None]:
    """One side's texts for the paths of both sides; None where it has no such file."""
    both = side.keys() | other.keys()
    return {path: _text(side.get(path)) for path in both if path in paths}


def _legible(texts: Texts) -> dict[str, str | None]:
    return {path: _text(text) for path, text in texts.items()}


def _text(text: str | None) -> str | None:
    return "" if text == UNREADABLE else text


async def read_existing(sandbox: Sandbox, paths: Iterable[str]) -> dict[str, str | None]:
    texts = await read_texts(sandbox, list(paths)[:_MOST_READ])
    return _legible(texts)

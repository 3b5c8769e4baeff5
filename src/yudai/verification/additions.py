"""Adds to another answer the definitions that an author's tests need from its patch.

A test file can import what its author's patch introduced. Without these definitions the file could
not be loaded on a rival, and its tests would show nothing about the rival's behaviour.
"""

import builtins
import sys
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import NamedTuple

from yudai.testing.domain.report import Failure, FailureKind
from yudai.verification.case import Readings, Texts
from yudai.verification.domain.sources.names import words
from yudai.verification.domain.symbols import (
    Symbol,
    SymbolKind,
    introduced,
    kept_texts,
    named_by,
    used,
)

# The rival's code uses these names; an author's definition would shadow them.
_EVERYWHERE = frozenset(dir(builtins)) | words(
    """Array BigInt Boolean Buffer Date Error Function Infinity JSON Map Math NaN Number Object
    Promise Proxy Reflect RegExp Set String Symbol URL console exports global globalThis isFinite
    isNaN module parseFloat parseInt process require undefined"""
)


class Laid(NamedTuple):
    """The texts to write over a tree, and the tree's own texts of these files."""

    texts: Mapping[str, str]
    before: Texts


NOTHING_LAID = Laid(MappingProxyType({}), MappingProxyType({}))


def additions(author: Readings, target: Readings, tests: Mapping[str, str], issue: str) -> Laid:
    """The definitions to add. `tests`: the author's tests by id, with their files.

    Names that the issue asks for are left out: a rival has to define them itself.
    """
    symbols = introduced(author.sources_before, author.sources_after)
    wanted = [one for one in _needed(symbols, author, tests) if not named_by(issue, one)]
    if not wanted:
        return NOTHING_LAID
    without = _EVERYWHERE | {one.name for one in symbols if named_by(issue, one)}
    before = {
        path: target.sources_after.get(path, author.sources_before.get(path))
        for path in author.sources_after
    }
    kept = kept_texts(before, author.sources_after, without)
    tests_text = "\n".join(text for text in author.tests_after.values() if text)
    texts = {
        path: text
        for path, text in kept.items()
        if before[path] is not None or _may_be_new(path, wanted, tests_text)
    }
    return Laid(texts, before)


def is_in_laid(failure: Failure | None, laid: Laid) -> bool:
    """Whether an added definition raised the failure, which then shows nothing about the rival.

    New definitions follow a file's own lines.
    """
    if failure is None or failure.kind is FailureKind.ASSERTION or not failure.frames:
        return False
    inner = failure.frames[-1]
    if inner.path not in laid.texts:
        return False
    before = laid.before.get(inner.path)
    return before is None or inner.line > before.count("\n") + 1


def _needed(
    symbols: Collection[Symbol], author: Readings, tests: Mapping[str, str]
) -> Iterable[Symbol]:
    files = author.tests_after
    found: dict[Symbol, None] = {}
    for test, path in tests.items():
        text = files.get(path) or ""
        found.update(dict.fromkeys(used(symbols, path=path, text=text, test=test, files=files)))
    return found


def _may_be_new(path: str, wanted: Iterable[Symbol], tests_text: str) -> bool:
    """Only files that the tests load or open, and none that shadows the standard library."""
    is_loaded = any(one.kind is SymbolKind.MODULE and one.path == path for one in wanted)
    name = path.rpartition("/")[2]
    return (is_loaded or name in tests_text) and name.partition(".")[
        0
    ] not in sys.stdlib_module_names

"""Finds JavaScript product code that changes its assertion module or test runner."""

from collections.abc import Iterator, Mapping

from yudai.verification.domain.edits.python_test_tree import UnreadableError
from yudai.verification.domain.edits.script_test_edits import SCRIPTS
from yudai.verification.domain.sources.names import words
from yudai.verification.domain.sources.script_assertions import arguments
from yudai.verification.domain.sources.script_definitions import bound
from yudai.verification.domain.sources.script_tokens import Script, read_script, statements

_FRAMEWORKS = words(
    """assert assert/strict node:assert node:assert/strict node:test vitest @jest/globals mocha
    chai ava tap expect module node:module"""
)
_GLOBALS = frozenset({"globalThis", "global", "window"})
_TEST_GLOBALS = words(
    "it test describe suite expect assert before after beforeEach afterEach beforeAll afterAll"
)
_CHANGES = words("assign defineProperty defineProperties set setPrototypeOf method spyOn stub")
_SIGNS = words("= += ||= &&= ??=")
_MEMBER = frozenset({".", "?."})


def changed_frameworks(
    before: Mapping[str, str | None], after: Mapping[str, str | None]
) -> Iterator[str]:
    """Paths of scripts that change a framework in more places than on base."""
    for path, text in after.items():
        if text and SCRIPTS.fullmatch(path) and before.get(path) != text:
            found = _changes(text)
            if found and found > _changes(before.get(path) or ""):
                yield path


def _changes(text: str) -> int:
    try:
        script = read_script(text)
    except (UnreadableError, RecursionError, MemoryError):
        return 0
    names = _names(script)
    return sum(_is_change(script, at, names) for at in range(len(script.tokens)))


def _names(script: Script) -> frozenset[str]:
    """Local names of the frameworks, or of their parts, at the top of this file."""
    found: set[str] = set()
    for part in statements(script, 0, len(script.tokens)):
        one = bound(script, part)
        if one.module in _FRAMEWORKS:
            found.update(one.names)
    return frozenset(found)


def _is_change(script: Script, at: int, names: frozenset[str]) -> bool:
    if script.word(at) in _CHANGES and script.word(at + 1) == "(" and script.word(at - 1) == ".":
        given = arguments(script, at + 1)
        return bool(given) and _framework_at(script, given[0].start, names) is not None
    end = _framework_at(script, at, names)
    return end is not None and _is_assigned(script, end)


def _framework_at(script: Script, at: int, names: frozenset[str]) -> int | None:
    """The end of a framework's name, or of the call that loads it."""
    word = script.word(at)
    if script.word(at - 1) in _MEMBER:
        return None
    if word in _GLOBALS and script.word(at + 1) == "." and script.word(at + 2) in _TEST_GLOBALS:
        return at + 1
    if word in names:
        return at + 1
    is_loaded = word == "require" and script.word(at + 1) == "("
    return script.partners[at + 1] + 1 if is_loaded and _loads(script, at) else None


def _loads(script: Script, at: int) -> bool:
    return (script.string(at + 2) or "") in _FRAMEWORKS


def _is_assigned(script: Script, at: int) -> bool:
    """`.equal =`, `['equal'] =`, `.strict.equal =`."""
    start = at
    while at < len(script.tokens):
        if script.word(at) in _MEMBER and script.is_name(at + 1):
            at += 2
        elif script.word(at) == "[":
            at = script.partners[at] + 1
        else:
            break
    return at > start and script.word(at) in _SIGNS

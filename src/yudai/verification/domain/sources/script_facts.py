"""Reads the calls, inputs and expected values of a script's test, to find them in an issue."""

from collections.abc import Iterator

from yudai.verification.domain.sources.facts import FRAMEWORK, Facts, facts_of
from yudai.verification.domain.sources.names import Texts, stem_of, words
from yudai.verification.domain.sources.script_closure import Piece, ScriptTest, script_test
from yudai.verification.domain.sources.script_tokens import Statement, TokenKind

_NO_CALLS = words(
    """if for while switch catch function return await typeof expect describe suite context it test
    specify beforeEach afterEach before after beforeAll afterAll assert require import async"""
)
_LONGEST = 60


def script_facts(path: str, text: str, test: str, files: Texts) -> Facts:
    found = script_test(path, text, test, files)
    pieces = (found.own, *found.helpers)
    packages = {module for module in found.imports.values() if not module.startswith(".")}
    return facts_of(
        names=(name for piece in pieces for name in _called(piece, found)),
        strings=(text for piece in pieces for text in _strings(piece, found)),
        numbers=(n for piece in pieces for n in _tokens(piece, TokenKind.NUMBER)),
        code=(text for piece in pieces for text in _code(piece)),
        without=packages,
    )


def _tokens(piece: Piece, kind: TokenKind) -> Iterator[str]:
    for at in range(piece.part.start, piece.part.end):
        if piece.script.tokens[at].kind is kind:
            yield piece.script.tokens[at].text


def _strings(piece: Piece, test: ScriptTest) -> Iterator[str]:
    """All strings but the test's title, which is no input."""
    title = test.title.start if test.title else -1
    for at in range(piece.part.start, piece.part.end):
        text = piece.script.string(at)
        if text is not None and (at != title or piece.script is not test.script):
            yield text


def _called(piece: Piece, test: ScriptTest) -> Iterator[str]:
    script = piece.script
    for at in range(piece.part.start, piece.part.end):
        word = script.word(at)
        if not script.is_name(at):
            if script.string(at) and script.word(at - 1) in {"[", ","} and _is_listed(piece, at):
                yield script.string(at) or ""
            continue
        module = test.imports.get(word, "")
        if module and module not in FRAMEWORK and module.removeprefix("node:") not in FRAMEWORK:
            yield word
            if module.startswith("."):
                yield stem_of(module)
        is_member = (
            script.word(at - 1) in {".", "?."}
            and test.imports.get(script.word(at - 2), "") not in FRAMEWORK
        )
        if is_member or (script.word(at + 1) == "(" and word not in _NO_CALLS):
            yield word


def _is_listed(piece: Piece, at: int) -> bool:
    """Whether it is in an array argument, as a command line is."""
    for before in range(at - 1, max(piece.part.start, at - 40), -1):
        if piece.script.word(before) == "[" and piece.script.partners[before] > at:
            return piece.script.word(before - 1) in {"(", ","}
    return False


def _code(piece: Piece) -> Iterator[str]:
    """Arrays, objects and calls, as an issue would write them."""
    script = piece.script
    for at in range(piece.part.start, piece.part.end):
        word = script.word(at)
        end = script.partners.get(at, 0) + 1
        if word not in {"(", "[", "{"} or not at + 2 < end < at + _LONGEST:
            continue
        is_call = word == "(" and script.is_name(at - 1) and script.word(at - 1) not in _NO_CALLS
        is_value = word != "(" and script.word(at - 1) in {"(", ",", "=", "[", ":", "return"}
        if is_call or is_value:
            yield script.source(Statement(at - 1 if is_call else at, end))

"""Decides whether a script's test measures how long something takes."""

from collections.abc import Iterator

from yudai.verification.domain.sources.names import words
from yudai.verification.domain.sources.script_assertions import Assertion, assertions, names
from yudai.verification.domain.sources.script_closure import Piece, ScriptTest
from yudai.verification.domain.sources.script_tokens import Script, Statement, TokenKind
from yudai.verification.domain.sources.scripts.values import Values

_ORDERS = words(
    """toBeLessThan toBeLessThanOrEqual toBeGreaterThan toBeGreaterThanOrEqual toBeCloseTo below
    above lessThan greaterThan most least isBelow isAbove isAtMost isAtLeast within closeTo"""
)
_SIGNS = frozenset({"<", ">", "<=", ">="})
_CLOCKS = words("hrtime uptime cpuUsage")

_Part = tuple[Script, Statement]


def is_timed(piece: Piece, values: Values, test: ScriptTest) -> bool:
    script = piece.script
    if "useFakeTimers" in names(test.script, Statement(0, len(test.script.tokens))):
        return False
    return any(
        _is_about_time(script, assertion, values) for assertion in assertions(script, piece.part)
    ) or _has_short_limit(script, piece.part)


def _is_about_time(script: Script, assertion: Assertion, values: Values) -> bool:
    given = [assertion.subject, *assertion.given]
    parts = [made for part in given for made in _made(script, part, values)]
    clocked = [part for part in parts if _has_clock(part)]
    if not clocked:
        return False
    if any(_is_elapsed(part, values) or _says_spans(part) for part in clocked):
        return True
    # One clock in a comparison is only a value: a time before or after it.
    is_order = assertion.matcher in _ORDERS
    sides = given if is_order else list(_sides(script, assertion.subject))
    if len(sides) > 1 and all(_is_clock(script, side, values) for side in sides):
        return True
    return any(_has_sign(part) for part in clocked if part[1] not in given)


def _says_spans(part: _Part) -> bool:
    script, inner = part
    return any(script.word(at) in _CLOCKS and _calls_clock(script, at) for at in range(*inner))


def _sides(script: Script, part: Statement) -> Iterator[Statement]:
    for at in range(*part):
        if script.word(at) in _SIGNS:
            yield from (Statement(part.start, at), Statement(at + 1, part.end))


def _made(script: Script, part: Statement, values: Values) -> list[_Part]:
    """A part, and the declarations of its names."""
    made = [one for name in names(script, part) for one in values.made_of(name)]
    return [(script, part), *made]


def _has_sign(part: _Part) -> bool:
    script, inner = part
    return any(script.word(at) in _SIGNS for at in range(*inner))


def _is_elapsed(part: _Part, values: Values) -> bool:
    """Whether one clock is subtracted from another; minus a number is only another time."""
    script, inner = part
    return any(
        script.word(at) == "-"
        and _is_clock(script, Statement(at + 1, min(at + 4, inner.end)), values)
        and _is_clock(script, Statement(inner.start, at), values)
        for at in range(*inner)
    )


def _is_clock(script: Script, part: Statement, values: Values) -> bool:
    """Whether it calls a clock, or contains a name that holds a clock's value."""
    return any(map(_has_clock, _made(script, part, values)))


def _has_clock(part: _Part) -> bool:
    script, inner = part
    return any(_calls_clock(script, at) for at in range(*inner))


def _calls_clock(script: Script, at: int) -> bool:
    word = script.word(at)
    if word in _CLOCKS:
        return word == "hrtime" or script.word(at - 2) == "process"
    if word == "Date" and script.word(at - 1) == "new":
        is_now = script.word(at + 1) == "(" and script.partners[at + 1] == at + 2
        return is_now or script.word(at + 1) != "("
    is_now = word == "now" and script.word(at - 1) == "." and script.word(at + 1) == "("
    return is_now and script.word(at - 2) in {"Date", "performance"}


def _has_short_limit(script: Script, part: Statement) -> bool:
    """Whether the limit is below a second, and so measures speed and not only an end."""
    for at in range(part.start, part.end - 2):
        if script.word(at) == "timeout" and script.word(at + 1) in {"(", ":"}:
            is_own = script.word(at - 2) == "this" or script.string(at - 3) is not None
            token = script.tokens[at + 2]
            if is_own and token.kind is TokenKind.NUMBER and len(token.text) < 4:
                return True
    return False

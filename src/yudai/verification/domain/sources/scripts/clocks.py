"""Whether a script's test looks at how long something takes."""

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
    is_order = assertion.matcher in _ORDERS or any(
        script.word(at) in _SIGNS for at in range(*assertion.subject)
    )
    return is_order or any(_has_sign(part) or _is_elapsed(part, values) for part in clocked)


def _made(script: Script, part: Statement, values: Values) -> list[_Part]:
    """A part and what the names in it were made of."""
    made = [one for name in names(script, part) for one in values.made_of(name)]
    return [(script, part), *made]


def _has_sign(part: _Part) -> bool:
    script, inner = part
    return any(script.word(at) in _SIGNS for at in range(*inner))


def _is_elapsed(part: _Part, values: Values) -> bool:
    """One clock less another: what is less a number is only some other time."""
    script, inner = part
    return any(
        script.word(at) == "-"
        and _is_clock(script, Statement(at + 1, min(at + 4, inner.end)), values)
        and _is_clock(script, Statement(inner.start, at), values)
        for at in range(*inner)
    )


def _is_clock(script: Script, part: Statement, values: Values) -> bool:
    """Whether a clock is called in it, or was for a name in it."""
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
    """A limit below a second says how fast something has to be, not that it ends."""
    for at in range(part.start, part.end - 2):
        if script.word(at) == "timeout" and script.word(at + 1) in {"(", ":"}:
            is_own = script.word(at - 2) == "this" or script.string(at - 3) is not None
            token = script.tokens[at + 2]
            if is_own and token.kind is TokenKind.NUMBER and len(token.text) < 4:
                return True
    return False

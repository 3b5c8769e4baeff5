"""Reads the agent's plan: a `<plan>` block before its first edit, one line per step."""

import re
from collections.abc import Iterator

MAX_STEPS = 20
MAX_STEP_CHARS = 300

_TAG = re.compile(r"<(/?)plan>", re.IGNORECASE)
_BULLET = re.compile(r"^(?:[-*+\u2022]|\d{1,3}[.):]|\[[ xX]?\])\s+")
# Control, zero-width and direction-changing characters, and halves of surrogate pairs.
_NOT_TEXT = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]"
)


def parse_plan(text: str) -> tuple[str, ...]:
    """Steps of the first plan that has any, else (). The text is untrusted."""
    return next((steps for block in _blocks(text) if (steps := _steps(block))), ())


def _blocks(text: str) -> Iterator[str]:
    # Tag by tag: a lazy `.*?` takes quadratic time on many unclosed tags.
    start: int | None = None
    for tag in _TAG.finditer(text):
        if not tag[1]:
            start = tag.end() if start is None else start
        elif start is not None:
            yield text[start : tag.start()]
            start = None


def _steps(block: str) -> tuple[str, ...]:
    steps: list[str] = []
    for line in block.splitlines():
        if step := _clean(line):
            steps.append(step)
        if len(steps) == MAX_STEPS:
            break
    return tuple(steps)


def _clean(line: str) -> str:
    line = _NOT_TEXT.sub(" ", line[: 2 * MAX_STEP_CHARS]).strip()
    line = _BULLET.sub("", line).strip()
    if len(line) <= MAX_STEP_CHARS:
        return line
    return line[: MAX_STEP_CHARS - 1].rstrip() + "\u2026"

"""Parses slash commands: `/solve #12 model=gpt-4.1 temp=0.2,0.6`."""

import re
from collections.abc import Callable
from difflib import get_close_matches
from typing import Any, NamedTuple

from pydantic import ValidationError

from yudai.forge.domain.issue import Issue, from_markdown
from yudai.gateway.domain.models import MAX_NAME
from yudai.kit.errors import RefusedError
from yudai.kit.text import nearest
from yudai.kit.value import Value
from yudai.solves.domain.budget import MAX_SECONDS
from yudai.solves.domain.matrix import Matrix
from yudai.solves.domain.request import Limits, SolveAsk
from yudai.solves.domain.strategies import Strategy

MAX_ISSUE_NUMBER = 2**31 - 1
EXAMPLE = "model=gpt-4.1,claude-haiku-4.5 temp=0.2,0.6 budget=2.50"
OPTIONS = (
    "options are model, temp, strategy, edits, parallel, budget (dollars) and time (seconds), as in"
)
USAGE = f"write `/solve #12`, or `/solve` and what is wrong; {OPTIONS} `/solve #12 {EXAMPLE}`"
_MAX_SHOWN = 60
_LIKENESS = 0.75
_DIGITS = 9
_MAX_USD = 10_000
_COMMAND = re.compile(r"/[A-Za-z][A-Za-z-]*(?=\s|$)")
_NUMBER = re.compile(r"#?([0-9]{1,18})")
_URL = re.compile(r"(https?://[^\s/@]+/[^\s/?#]+/[^\s/?#]+)/issues/([0-9]{1,18})/?(?:#\S*)?")
_WORD = re.compile(r"\S+")
_OPTION = re.compile(r"([A-Za-z][A-Za-z_-]*)=(.*)")
_AMOUNT = re.compile(r"[0-9]{1,7}(?:\.[0-9]{0,6})?|\.[0-9]{1,6}")


class SolveCommand(Value):
    """A parsed `/solve`; missing options are None or empty."""

    issue_number: int | None = None
    issue: Issue | None = None
    repo_url: str = ""
    """Repository of an issue that was given by URL."""
    models: tuple[str, ...] = ()
    temperatures: tuple[float, ...] = ()
    strategies: tuple[Strategy, ...] = ()
    max_edits: tuple[int, ...] = ()
    max_parallel: int | None = None
    budget_usd: float | None = None
    time_budget_s: float | None = None


def is_command(text: str) -> bool:
    """Whether it looks like a command: `/solve`, `/slove`, but not `/usr/bin/python fails`."""
    return _COMMAND.match(text.strip()) is not None


def parse_command(text: str) -> SolveCommand:
    """Parse a command; RefusedError says what is wrong and what is possible."""
    text = text.strip()
    found = _COMMAND.match(text)
    name = found[0] if found else ""
    if name.lower() != "/solve":
        raise RefusedError(f"there is no command {name or _cut(text)}: {USAGE}")
    head, _, body = text[len(name) :].strip(" \t").partition("\n")
    words = list(_WORD.finditer(head))
    options = _take_options(words)
    if not words and not body.strip():
        raise RefusedError(f"say what to solve: {USAGE}")
    return SolveCommand.model_validate(_subject(words, head, body) | options)


def read_options(text: str) -> SolveCommand:
    """Parse options without an issue; RefusedError for any other word."""
    words = list(_WORD.finditer(text))
    options = _take_options(words)
    if words:
        raise RefusedError(f"{_cut(words[0][0])!r} is not an option: {OPTIONS} `{EXAMPLE}`")
    return SolveCommand.model_validate(options)


def _subject(words: list[re.Match[str]], head: str, body: str) -> dict[str, Any]:
    """The issue: a number, a URL, or text without the options around it."""
    first = words[0][0] if words else ""
    number, url = _NUMBER.fullmatch(first), _URL.fullmatch(first)
    if (number or url) and not body.strip():
        if len(words) > 1:
            raise RefusedError(f"{_cut(words[1][0])!r} is not an option: {USAGE}")
        return _by_number(number[1] if number else "", url)
    title = head[words[0].start() : words[-1].end()] if words else ""
    return {"issue": _issue(f"{title}\n{body}")}


def _by_number(digits: str, url: re.Match[str] | None) -> dict[str, Any]:
    number = int(url[2] if url else digits)
    if not 1 <= number <= MAX_ISSUE_NUMBER:
        raise RefusedError(f"there is no issue #{number}: give the number that the forge shows")
    return {"issue_number": number, "repo_url": url[1] if url else ""}


def _issue(text: str) -> Issue:
    try:
        return from_markdown(text)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False)[0]
        raise RefusedError(
            f"the issue's {problem['loc'][0]}: {problem['msg']}; its first line is its title"
        ) from None


def _take_options(words: list[re.Match[str]]) -> dict[str, Any]:
    """Split off options before and after the issue; those inside belong to its text."""
    taken: dict[str, Any] = {}
    while words and _take(taken, words[0][0]):
        del words[0]
    while words and _take(taken, words[-1][0]):
        del words[-1]
    return taken


def _take(taken: dict[str, Any], word: str) -> bool:
    found = _OPTION.fullmatch(word)
    option = _option(found[1].lower()) if found else None
    if found is None or option is None:
        return False
    if option.field in taken:
        raise RefusedError(f"{found[1]} is there twice: give it once, as in {option.example}")
    try:
        taken[option.field] = option.read(found[2])
    except ValueError as error:
        raise RefusedError(f"{_cut(word)}: {error}, as in {option.example}") from None
    return True


def _option(typed: str) -> "_Option | None":
    option = _OPTIONS.get(_SPELLINGS.get(typed, typed))
    # An issue may begin with `x=1`: only what resembles an option is refused as a typo.
    if option is None and get_close_matches(typed, _OPTIONS, n=1, cutoff=_LIKENESS):
        raise RefusedError(f"there is no option {typed}: {nearest(typed, _OPTIONS)}")
    return option


class _Option(NamedTuple):
    field: str
    example: str
    read: Callable[[str], Any]
    """ValueError says what to give instead."""


def _each(read: Callable[[str], Any]) -> Callable[[str], tuple[Any, ...]]:
    def values(text: str) -> tuple[Any, ...]:
        # A repeated value would make two equal contestants.
        return tuple(dict.fromkeys(read(part) for part in text.split(",")))

    return values


def _model(text: str) -> str:
    if not 1 <= len(text) <= MAX_NAME or not text.isprintable():
        raise ValueError(f"give names of 1 to {MAX_NAME} characters")
    return text


def _strategy(text: str) -> Strategy:
    known = [strategy.value for strategy in Strategy]
    if text not in known:
        raise ValueError(nearest(text, known))
    return Strategy(text)


def _number(least: float, most: float) -> Callable[[str], float]:
    def read(text: str) -> float:
        number = float(text) if _AMOUNT.fullmatch(text) else -1.0
        if not least <= number <= most:
            raise ValueError(f"give a number from {least:g} to {most:,.0f}")
        return number

    return read


def _whole(most: int) -> Callable[[str], int]:
    def read(text: str) -> int:
        number = int(text) if text.isascii() and text.isdecimal() and len(text) <= _DIGITS else 0
        if not 1 <= number <= most:
            raise ValueError(f"give a whole number from 1 to {most:,}")
        return number

    return read


def _dollars(text: str) -> float:
    return _number(0, _MAX_USD)(text.removeprefix("$"))


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else f"{text[:_MAX_SHOWN]}..."


_OPTIONS = {
    "model": _Option("models", "model=gpt-4.1,o3", _each(_model)),
    "temp": _Option("temperatures", "temp=0.2,0.6", _each(_number(0, 2))),
    "strategy": _Option("strategies", "strategy=balanced,test-first", _each(_strategy)),
    "edits": _Option("max_edits", "edits=5,10", _each(_whole(1000))),
    "parallel": _Option("max_parallel", "parallel=4", _whole(1000)),
    "budget": _Option("budget_usd", "budget=2.50", _dollars),
    "time": _Option("time_budget_s", "time=1800", _number(1, MAX_SECONDS)),
}
_SPELLINGS = {
    "models": "model",
    "temps": "temp",
    "temperature": "temp",
    "temperatures": "temp",
    "strategies": "strategy",
    "evolution": "strategy",
    "max_edits": "edits",
    "max_parallel": "parallel",
    "time_budget_s": "time",
}


class Place(NamedTuple):
    """Default repository of a conversation's solves."""

    repo_url: str
    repo_path: str

    def named(self) -> dict[str, str]:
        """RefusedError when it names no repository."""
        if not any(self):
            raise RefusedError(
                "this conversation has no repository to solve in: start another one, with a folder"
            )
        return self._asdict()


def from_command(command: SolveCommand, *, place: Place, matrix: Matrix) -> SolveAsk:
    """Make a request from a command; `matrix` has defaults for missing axes."""
    axes = {
        "models": command.models,
        "temperatures": command.temperatures,
        "strategies": command.strategies,
        "max_edits": command.max_edits,
    }
    issue = command.issue
    asked: dict[str, Any] = {
        "issue_number": command.issue_number,
        "issue_text": "" if issue is None else f"{issue.title}\n{issue.body}",
        "matrix": matrix.model_copy(update={name: new for name, new in axes.items() if new}),
        "limits": Limits(
            max_parallel=command.max_parallel,
            budget_usd=command.budget_usd,
            time_budget_s=command.time_budget_s,
        ),
    }
    return SolveAsk.model_validate(
        asked | ({"repo_url": command.repo_url} if command.repo_url else place.named())
    )

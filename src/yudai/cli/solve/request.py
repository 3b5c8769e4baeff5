"""Turns options into a request. An invalid one is an error of one line."""

import re
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from yudai.cli.options import Options
from yudai.forge.domain.issue import from_markdown
from yudai.forge.domain.repository import Target, parse_target
from yudai.gateway.domain.models import Price, parse_price
from yudai.kit.errors import RefusedError
from yudai.kit.money import usd
from yudai.kit.text import nearest
from yudai.settings import Settings
from yudai.solves.domain.origin import PublishMode
from yudai.solves.domain.request import SolveAsk
from yudai.solves.domain.strategies import Strategy

_MAX_ISSUE = 400_000
_SHORT = re.compile(r"[^/\s#.~][^/\s#]*/[^/\s#]+(?:#[0-9]+)?")

# Fields of our values, as a person knows them.
_OPTIONS = {
    "models": "--model",
    "temperatures": "--temperature",
    "max_edits": "--max-edits",
    "strategies": "--strategy",
    "agents": "--agent",
    "max_parallel": "--parallel",
    "max_steps": "--max-steps",
    "budget_usd": "--budget-usd",
    "run_budget_usd": "--run-budget-usd",
    "time_budget_s": "--time-budget",
    "run_time_budget_s": "--run-time-budget",
    "base_branch": "--base",
    "env": "--env",
    "prices": "--price",
    "reducer": "--reducer",
    "repo_path": "the folder",
    "setup": "--setup",
    "test": "--test",
    "issue_text": "the issue",
    "title": "the issue's first line",
    "body": "the issue",
}


def to_request(options: Options, settings: Settings, target: Target | None) -> SolveAsk:
    """None: a folder. Without a forge, the server's forge is meant."""
    words = _words(options)
    if words:
        _checked(from_markdown, words)
    place = _folder(options, words) if target is None else _remote(options, words, target)
    setup = options.setup
    prices = [parse_price(text) for text in options.price or ()]
    body: dict[str, Any] = {
        **place,
        "issue_text": words,
        "base_branch": options.base,
        "matrix": _matrix(options),
        "limits": {
            "max_parallel": options.parallel,
            "max_runs": settings.max_contestants,
            "max_steps": options.max_steps,
            "time_budget_s": (
                settings.time_budget_s if options.time_budget is None else options.time_budget
            ),
            "run_time_budget_s": options.run_time_budget,
            "budget_usd": options.budget_usd,
            "run_budget_usd": min(options.budget_usd, options.run_budget_usd),
        },
        "prices": {name: _dollars(price) for name, price in prices},
        "setup": None if setup is None else [line for line in setup if line.strip()],
        "test": options.test,
        "reducer": options.reducer,
        "require_proof": not options.accept_unproved,
    }
    return _checked(SolveAsk.model_validate, body)


def _folder(options: Options, words: str) -> dict[str, Any]:
    if options.pr:
        raise RefusedError(
            f"--pr is for a repository at a forge, such as owner/repo#12: {options.target} is a"
            " folder, which takes --apply or --branch"
        )
    if not words:
        raise RefusedError("say what to solve: --text 'what is wrong', or --issue-file FILE")
    return {
        "repo_path": str(Path(options.target).absolute()),
        "dirty": options.dirty,
        "env": "" if options.env is None else str(options.env.absolute()),
    }


def _remote(options: Options, words: str, target: Target) -> dict[str, Any]:
    """AUTO only with a server, which publishes even if this process has ended."""
    given = (
        ("--apply", options.apply),
        ("--branch", options.branch),
        ("--dirty", options.dirty),
        ("--env", options.env is not None),
    )
    for name, is_given in given:
        if is_given:
            raise RefusedError(f"{name} is only for a folder, not {options.target}: leave it out")
    if not words and target.number is None:
        raise RefusedError(
            f"say what to solve: {target.repo.full}#NUMBER, --text 'what is wrong', or"
            " --issue-file FILE"
        )
    return {
        "repo_url": target.repo.url if target.repo.forge else target.repo.full,
        "issue_number": target.number,
        "publish": PublishMode.AUTO if options.pr else PublishMode.ASK,
    }


def _words(options: Options) -> str:
    """Empty when none were given."""
    if options.text and options.issue_file:
        raise RefusedError("choose one of --text and --issue-file")
    if not options.text and not options.issue_file:
        return ""
    text = options.text or _read(options.issue_file)
    if not text.strip():
        raise RefusedError("the issue is empty: say what is wrong and what you expect")
    return text


def _read(name: str) -> str:
    """A file, or standard input for `-`."""
    try:
        if name == "-":
            content = sys.stdin.buffer.read(_MAX_ISSUE + 1)
        else:
            with Path(name).open("rb") as file:
                content = file.read(_MAX_ISSUE + 1)
    except OSError as error:
        raise RefusedError(f"cannot read the issue {name}: {error.strerror}") from None
    if len(content) > _MAX_ISSUE:
        raise RefusedError(f"{name} is larger than {_MAX_ISSUE // 1000} KB: give the issue alone")
    return content.decode("utf-8", "replace")


def _matrix(options: Options) -> dict[str, Any]:
    if not options.model:
        raise RefusedError("name at least one model: --model NAME (`yudai models` lists them)")
    known = [strategy.value for strategy in Strategy]
    for name in options.strategy or ():
        if name not in known:
            raise RefusedError(f"there is no strategy {name!r}: {nearest(name, known)}")
    axes = {
        "models": options.model,
        "temperatures": options.temperature,
        "max_edits": options.max_edits,
        "strategies": options.strategy,
        "agents": options.agent,
    }
    return {name: values for name, values in axes.items() if values is not None}


def _checked(make: Any, raw: object) -> Any:
    try:
        return make(raw)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        loc = [str(part) for part in (*first["loc"], first.get("ctx", {}).get("field", ""))]
        where = next((_OPTIONS[part] for part in loc if part in _OPTIONS), loc[0])
        shown = f", not {first['input']!r}" if isinstance(first["input"], (int, float)) else ""
        raise RefusedError(f"{where}: {first['msg']}{shown}") from None


def _dollars(price: Price) -> dict[str, float]:
    cached = {} if price.cached_micros is None else {"cached_usd": usd(price.cached_micros)}
    return {"input_usd": usd(price.input_micros), "output_usd": usd(price.output_micros), **cached}


def find_target(text: str, *, forge: str = "") -> Target | None:
    """None: a folder. Without a forge whichever one is named, or none at all.

    A folder that exists is a folder, whatever else its name could mean.
    """
    if "://" in text:
        return parse_target(text, forge=forge or _origin(text))
    if not _SHORT.fullmatch(text) or _exists(text):
        return None
    return parse_target(text, forge=forge)


def _origin(url: str) -> str:
    try:
        parts = urlsplit(url)
    except ValueError:
        parts = None
    is_plain = parts is not None and parts.netloc and "@" not in parts.netloc
    if parts is None or not is_plain or parts.scheme not in ("https", "http"):
        raise RefusedError(
            "this is not an issue: give a folder, owner/repo#12 or https://host/owner/"
            "repo/issues/12"
        )
    return f"{parts.scheme}://{parts.netloc}"


def _exists(text: str) -> bool:
    try:
        return Path(text).exists()
    except (OSError, ValueError):
        return False

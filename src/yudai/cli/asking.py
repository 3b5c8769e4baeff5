"""From options to a request: every bad one is one line that says what to do."""

import sys
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from yudai.cli.options import Options
from yudai.domain.budget import MICROS_PER_USD, Budget
from yudai.domain.errors import RefusedError
from yudai.domain.issue import Issue, from_markdown
from yudai.domain.matrix import Matrix, Strategy
from yudai.domain.models import parse_price
from yudai.domain.nearest import nearest
from yudai.services.planning import FolderRequest
from yudai.services.projects import Given
from yudai.settings import Settings

_MAX_ISSUE = 400_000

# Fields of our values, as a person knows them.
_OPTIONS = {
    "models": "--model",
    "temperatures": "--temperature",
    "max_edits": "--max-edits",
    "strategies": "--strategy",
    "max_parallel": "--parallel",
    "max_steps": "--max-steps",
    "cost_cap_micros": "--budget-usd",
    "run_cost_cap_micros": "--run-budget-usd",
    "time_budget_s": "--time-budget",
    "run_time_budget_s": "--run-time-budget",
    "title": "the issue's first line",
    "body": "the issue",
}


def to_request(options: Options, settings: Settings) -> FolderRequest:
    return FolderRequest(
        target=options.target,
        issue=_issue(options),
        matrix=_matrix(options),
        budget=_budget(options, settings),
        base=options.base,
        dirty=options.dirty,
        given=_given(options),
        env=options.env,
        prices=dict(parse_price(text) for text in options.price or ()),
        branch=options.branch,
        reducer=options.reducer,
        require_proof=not options.accept_unproved,
    )


def _given(options: Options) -> Given:
    setup = options.setup
    commands = None if setup is None else tuple(command for command in setup if command.strip())
    return Given(setup=commands, test=options.test, has_env=options.env is not None)


def _issue(options: Options) -> Issue:
    if options.text and options.issue_file:
        raise RefusedError("choose one of --text and --issue-file")
    if not options.text and not options.issue_file:
        raise RefusedError("say what to solve: --text 'what is wrong', or --issue-file FILE")
    text = options.text or _read(options.issue_file)
    if not text.strip():
        raise RefusedError("the issue is empty: say what is wrong and how it should be")
    return _checked(from_markdown, text)


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


def _matrix(options: Options) -> Matrix:
    if not options.model:
        raise RefusedError("name at least one model: --model NAME (`yudai models` lists them)")
    known = [strategy.value for strategy in Strategy]
    for name in options.strategy or ():
        if name not in known:
            raise RefusedError(f"there is no strategy {name!r}: {nearest(name, known)}")
    axes: dict[str, Any] = {
        "models": options.model,
        "temperatures": options.temperature,
        "max_edits": options.max_edits,
        "strategies": options.strategy,
    }
    given = {name: tuple(values) for name, values in axes.items() if values is not None}
    return _checked(Matrix.model_validate, given)


def _budget(options: Options, settings: Settings) -> Budget:
    wanted = options.time_budget
    cap, run_cap = (
        _micros("--budget-usd", options.budget_usd),
        _micros("--run-budget-usd", options.run_budget_usd),
    )
    limits: dict[str, Any] = {
        "max_parallel": options.parallel,
        "max_contestants": settings.max_contestants,
        "max_steps": options.max_steps,
        "time_budget_s": settings.time_budget_s if wanted is None else wanted,
        "run_time_budget_s": options.run_time_budget,
        "cost_cap_micros": cap,
        "run_cost_cap_micros": min(cap, run_cap),
    }
    return _checked(Budget.model_validate, limits)


def _micros(option: str, usd: float) -> int:
    try:
        return round(usd * MICROS_PER_USD)
    except (OverflowError, ValueError):
        raise RefusedError(f"{option}: give a number of dollars") from None


def _checked(make: Any, raw: object) -> Any:
    try:
        return make(raw)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = _OPTIONS.get(str(first["loc"][0]), str(first["loc"][0])) if first["loc"] else ""
        shown = f", not {first['input']!r}" if isinstance(first["input"], (int, float)) else ""
        raise RefusedError(f"{where}: {first['msg']}{shown}") from None

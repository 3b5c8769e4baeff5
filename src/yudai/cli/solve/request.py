"""From options to a request: every bad one is one line that says what to do."""

import sys
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError

from yudai.arena.plan import FolderRequest
from yudai.cli.options import Options
from yudai.forge.domain.issue import Issue, from_markdown
from yudai.forge.domain.repository import Target
from yudai.gateway.domain.models import Price, parse_price
from yudai.kit.errors import RefusedError
from yudai.kit.money import MICROS_PER_USD, usd
from yudai.kit.text import nearest
from yudai.projects.find import Given
from yudai.settings import Settings
from yudai.solves.domain.budget import Budget
from yudai.solves.domain.matrix import Matrix, Strategy
from yudai.solves.domain.origin import PublishMode
from yudai.wiring.command_agents import agent_names

_MAX_ISSUE = 400_000

# Fields of our values, as a person knows them.
_OPTIONS = {
    "models": "--model",
    "temperatures": "--temperature",
    "max_edits": "--max-edits",
    "strategies": "--strategy",
    "agents": "--agent",
    "max_parallel": "--parallel",
    "max_steps": "--max-steps",
    "cost_cap_micros": "--budget-usd",
    "run_cost_cap_micros": "--run-budget-usd",
    "time_budget_s": "--time-budget",
    "run_time_budget_s": "--run-time-budget",
    "title": "the issue's first line",
    "body": "the issue",
}


class ForgeAsk(NamedTuple):
    """A solve at a forge, as it was typed."""

    target: Target
    words: str
    asked: FolderRequest
    """Its matrix, limits and commands; the forge has the issue."""
    publish: PublishMode


def to_request(options: Options, settings: Settings) -> FolderRequest:
    if options.pr:
        raise RefusedError(
            f"--pr is for a repository at a forge, such as owner/repo#12: {options.target} is a"
            " folder, which takes --apply or --branch"
        )
    return _request(options, settings, _issue(options))


def to_forge_ask(options: Options, settings: Settings, target: Target) -> ForgeAsk:
    """AUTO only at a server, which publishes even if nobody waits for it here."""
    given = (
        ("--apply", options.apply),
        ("--branch", options.branch),
        ("--dirty", options.dirty),
        ("--env", options.env is not None),
    )
    for name, is_given in given:
        if is_given:
            raise RefusedError(f"{name} is for a folder, {options.target} is none: leave it out")
    words = _words(options)
    if not words and target.number is None:
        raise RefusedError(
            f"say what to solve: {target.repo.full}#NUMBER, --text 'what is wrong', or"
            " --issue-file FILE"
        )
    issue = _checked(from_markdown, words) if words else Issue(title=f"#{target.number}")
    asked = _request(options, settings, issue.model_copy(update={"number": target.number}))
    return ForgeAsk(target, words, asked, PublishMode.AUTO if options.pr else PublishMode.ASK)


def _request(options: Options, settings: Settings, issue: Issue) -> FolderRequest:
    return FolderRequest(
        target=options.target,
        issue=issue,
        matrix=_matrix(options, settings),
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
    words = _words(options)
    if not words:
        raise RefusedError("say what to solve: --text 'what is wrong', or --issue-file FILE")
    return _checked(from_markdown, words)


def _words(options: Options) -> str:
    """Empty when none were given."""
    if options.text and options.issue_file:
        raise RefusedError("choose one of --text and --issue-file")
    if not options.text and not options.issue_file:
        return ""
    text = options.text or _read(options.issue_file)
    if not text.strip():
        raise RefusedError("the issue is empty: say what is wrong and how it should be")
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


def _matrix(options: Options, settings: Settings) -> Matrix:
    if not options.model:
        raise RefusedError("name at least one model: --model NAME (`yudai models` lists them)")
    known = [strategy.value for strategy in Strategy]
    for name in options.strategy or ():
        if name not in known:
            raise RefusedError(f"there is no strategy {name!r}: {nearest(name, known)}")
    agents = agent_names(settings) if options.agent else ()
    for name in options.agent or ():
        if name not in agents:
            raise RefusedError(f"there is no agent {name!r}: {nearest(name, agents)}")
    axes: dict[str, Any] = {
        "models": options.model,
        "temperatures": options.temperature,
        "max_edits": options.max_edits,
        "strategies": options.strategy,
        "agents": options.agent,
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


def to_body(asked: FolderRequest) -> dict[str, Any]:
    issue = asked.issue
    return {
        "repo_path": asked.target,
        **({"issue_title": issue.title} if issue.body else {}),
        "issue_text": issue.body or issue.title,
        "dirty": asked.dirty,
        "env": "" if asked.env is None else str(asked.env),
        **_common(asked),
    }


def to_forge_body(ask: ForgeAsk) -> dict[str, Any]:
    """A repository whose forge was not named is at the one that the server asks."""
    repo = ask.target.repo
    return {
        "repo_url": repo.url if repo.forge else repo.full,
        "issue_number": ask.target.number,
        "issue_text": ask.words,
        "publish": ask.publish,
        **_common(ask.asked),
    }


def _common(asked: FolderRequest) -> dict[str, Any]:
    budget, setup = asked.budget, asked.given.setup
    return {
        "base_branch": asked.base,
        "matrix": _axes(asked.matrix),
        "limits": {
            "max_parallel": budget.max_parallel,
            "max_runs": budget.max_contestants,
            "max_steps": budget.max_steps,
            "time_budget_s": budget.time_budget_s,
            "run_time_budget_s": budget.run_time_budget_s,
            "budget_usd": usd(budget.cost_cap_micros),
            "run_budget_usd": usd(budget.run_cost_cap_micros),
        },
        "prices": {name: _dollars(price) for name, price in asked.prices.items()},
        "setup": None if setup is None else list(setup),
        "test": asked.given.test,
        "reducer": asked.reducer,
        "require_proof": asked.require_proof,
    }


def _axes(matrix: Matrix) -> dict[str, Any]:
    return matrix.model_dump(mode="json")


def _dollars(price: Price) -> dict[str, float]:
    cached = {} if price.cached_micros is None else {"cached_usd": usd(price.cached_micros)}
    return {"input_usd": usd(price.input_micros), "output_usd": usd(price.output_micros), **cached}

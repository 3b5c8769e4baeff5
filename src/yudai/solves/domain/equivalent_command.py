"""Writes an HTTP request as the equivalent command line."""

import shlex
from collections.abc import Iterator
from decimal import Decimal

from yudai.gateway.domain.models import Price
from yudai.kit.money import MICROS_PER_USD
from yudai.kit.text import clean
from yudai.solves.domain.matrix import Matrix
from yudai.solves.domain.origin import PublishMode
from yudai.solves.domain.request import Folder, Limits, Remote, SolveAsk

PROGRAM = "yudai"
MOST_CONTESTANTS = "SOLVER_ARENA_MAX_RUNS"
"""Set by this setting; the command line has no option for it."""


def command_line(ask: SolveAsk) -> str:
    """The command, quoted for a shell; empty when the command line cannot do it.

    Options with server defaults are left out: the command has the same defaults.
    """
    place = ask.place
    if isinstance(place, Remote) and ask.issue_number is not None and ask.issue_text.strip():
        return ""
    if ask.patches or ask.issue_repo:
        return ""
    most = ask.limits.max_runs
    setting = "" if most is None else f"{MOST_CONTESTANTS}={most} "
    return f"{setting}{PROGRAM} solve {shlex.quote(_target(ask))} {' '.join(_options(ask))}"


def _target(ask: SolveAsk) -> str:
    place = ask.place
    if isinstance(place, Folder):
        return place.path
    if ask.issue_number is None:
        return place.url
    sign = "/issues/" if "://" in place.url else "#"
    return f"{place.url}{sign}{ask.issue_number}"


def _options(ask: SolveAsk) -> Iterator[str]:
    if isinstance(ask.place, Folder) or ask.issue_number is None:
        yield _option("--text", _text(ask))
    yield from _axes(ask.matrix)
    yield from _limits(ask.limits)
    for name, asked in ask.prices.items():
        yield _option("--price", f"{name}={_amounts(asked.price)}")
    yield from _set_up_and_rules(ask)


def _set_up_and_rules(ask: SolveAsk) -> Iterator[str]:
    """Options for set-up and for the choice of the champion."""
    if ask.setup is not None:
        # An empty one means that nothing is installed.
        lines = [line for line in ask.setup if line.strip()] or [""]
        yield from (_option("--setup", line) for line in lines)
    reducer = "" if ask.reducer == SolveAsk.model_fields["reducer"].default else ask.reducer
    texts = {
        "--test": ask.test,
        "--env": ask.env,
        "--base": ask.base_branch,
        "--reducer": reducer,
    }
    yield from (_option(name, value) for name, value in texts.items() if value)
    flags = {
        "--dirty": ask.dirty,
        "--accept-unproved": not ask.require_proof,
        "--pr": ask.publish is PublishMode.AUTO,
    }
    yield from (name for name, is_set in flags.items() if is_set)


def _axes(matrix: Matrix) -> Iterator[str]:
    for name in matrix.models:
        yield _option("--model", name)
    # The matrix contains the defaults, which are also the command's.
    axes = (
        ("temperatures", "--temperature"),
        ("max_edits", "--max-edits"),
        ("strategies", "--strategy"),
    )
    for axis, option in axes:
        values = getattr(matrix, axis)
        if values != Matrix.model_fields[axis].default:
            yield from (_option(option, _shown(value)) for value in values)


def _limits(limits: Limits) -> Iterator[str]:
    for name, option in (
        ("max_parallel", "--parallel"),
        ("max_steps", "--max-steps"),
        ("budget_usd", "--budget-usd"),
        ("run_budget_usd", "--run-budget-usd"),
        ("time_budget_s", "--time-budget"),
        ("run_time_budget_s", "--run-time-budget"),
    ):
        value = getattr(limits, name)
        if value is not None:
            yield _option(option, _shown(value))


def _option(name: str, value: str) -> str:
    """Option and value, joined by `=` when the value looks like an option."""
    sign = "=" if value.startswith("-") else " "
    return f"{name}{sign}{shlex.quote(value)}"


def _text(ask: SolveAsk) -> str:
    """The first line is the title."""
    title, text = ask.issue_title.strip(), ask.issue_text.strip()
    # Arguments cannot contain NUL.
    return clean(f"{title}\n\n{text}" if title and text else text)


def _shown(value: object) -> str:
    return repr(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _amounts(price: Price) -> str:
    amounts = [price.input_micros, price.output_micros]
    if price.cached_micros is not None:
        amounts.append(price.cached_micros)
    return ",".join(f"{(Decimal(micros) / MICROS_PER_USD).normalize():f}" for micros in amounts)

"""The plan of a solve, printed before anything is spent."""

import asyncio
import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from yudai.arena.open import SolveRequest
from yudai.arena.plan import Plan, Planner
from yudai.cli.spinner import working
from yudai.cli.text import one_line, safe
from yudai.forge.ports.folder import Snapshot
from yudai.kit.causes import Cause
from yudai.kit.errors import RefusedError, SandboxError
from yudai.projects.domain.project import Project
from yudai.solves.domain.budget import Entrants
from yudai.solves.domain.request import SolveAsk
from yudai.testing.domain.report import Baseline
from yudai.testing.domain.shortfall import shortfall
from yudai.verification.case import Measured

_MAX_NAMES = 8


def print_plan(console: Console, plan: Plan, baseline: Baseline, *, env: str) -> None:
    request, snapshot, _ = plan
    notes = () if snapshot is None else snapshot.notes
    rows = [
        ("repository", _fetched(request) if snapshot is None else _repository(snapshot)),
        ("issue", one_line(request.issue.label, width=200)),
        ("contestants", _contestants(request.entrants)),
        ("set-up", f"your environment {env}, read-only" if env else _setup(request.project)),
        ("tests", _tests(baseline)),
        *_known(baseline),
        ("price", _price(request.entrants)),
        ("sandbox", request.sandbox_backend),
        *(("note", safe(note)) for note in (*notes, *request.project.notes)),
    ]
    _print(console, rows)


def print_sent_plan(console: Console, asked: SolveAsk, entrants: Entrants, *, server: str) -> None:
    """The plan as known before the server has read the folder."""
    budget = entrants.budget
    number = "" if asked.issue_number is None else f"#{asked.issue_number}"
    limits = f"{budget.time_budget_s:g} s for all runs, {budget.run_time_budget_s:g} s for one"
    rows = [
        ("repository", safe(asked.repo_path or f"{asked.repo_url}{number}")),
        ("issue", one_line(asked.issue.label, width=200)),
        ("contestants", _contestants(entrants)),
        ("price", _price(entrants)),
        ("time", limits),
        ("runs at", f"{safe(server)}, which prepares the base and runs its tests first"),
    ]
    _print(console, rows)


def _print(console: Console, rows: Sequence[tuple[str, str]]) -> None:
    table = Table(box=None, show_header=False, title="Plan", title_justify="left")
    table.add_column(style="dim", no_wrap=True)
    table.add_column(overflow="fold")
    for name, text in rows:
        table.add_row(name, Text(text))
    console.print(table)


def _repository(snapshot: Snapshot) -> str:
    folder = f"/{snapshot.folder}" if snapshot.folder else ""
    dirty = ", with your uncommitted changes" if snapshot.dirty else ""
    return safe(f"{snapshot.repo}{folder} ({snapshot.branch} at {snapshot.commit[:10]}{dirty})")


def _fetched(request: SolveRequest) -> str:
    return safe(f"{request.repo} ({request.base_branch} at {request.base_commit[:10]})")


def _contestants(entrants: Entrants) -> str:
    starting, waiting = entrants.lineup
    shown = _some([contestant.handle for contestant in starting])
    left = f"; {len(waiting)} more do not start (SOLVER_ARENA_MAX_RUNS)" if waiting else ""
    return f"{len(starting)}, {entrants.budget.max_parallel} at a time: {shown}{left}"


def _setup(project: Project) -> str:
    if not project.setup:
        return "nothing to install"
    return safe(f"{' && '.join(project.setup)} ({project.setup_from})")


def _tests(baseline: Baseline) -> str:
    if not baseline.command:
        return "none found: every answer will be unverified (name a command with --test)"
    counts = (
        f"{len(baseline.passing)} pass, {len(baseline.failing)} fail, {len(baseline.flaky)} flaky"
    )
    return safe(f"{baseline.command}: {counts}, run twice on the base")


def _known(baseline: Baseline) -> list[tuple[str, str]]:
    """Tests that are red or flaky before the start count against no contestant."""
    rows: list[tuple[str, str]] = []
    for name, tests in (("failing", baseline.failing), ("flaky", baseline.flaky)):
        if tests:
            rows.append((name, f"{_some(sorted(tests))} (not counted)"))
    if lack := shortfall(baseline):
        rows.append(("partial", safe(lack)))
    return rows


def _price(entrants: Entrants) -> str:
    is_free, low, high, ceiling = entrants.pricing
    return "free" if is_free else f"about ${low:.2f} to ${high:.2f}, capped at ${ceiling:.2f}"


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_NAMES} more" if len(names) > _MAX_NAMES else ""
    return safe(", ".join(names[:_MAX_NAMES]) + more)


async def agreed() -> bool:
    """Ask only on a terminal. Ctrl-C works while it waits."""
    stdin = sys.stdin
    if stdin is None or not stdin.isatty():
        return True
    typer.echo("Start? [Y/n] ", nl=False, err=True)
    loop = asyncio.get_running_loop()
    answered: asyncio.Future[str] = loop.create_future()
    loop.add_reader(stdin, lambda: answered.done() or answered.set_result(stdin.readline()))
    try:
        answer = await answered
    finally:
        loop.remove_reader(stdin)
    return answer.strip().lower() in ("y", "yes") or answer == "\n"


async def make_ready(planner: Planner, plan: Plan, progress: Console) -> Measured:
    with _explained(progress):
        setup = plan.request.project.setup
        commands = f": {' && '.join(setup)}" if setup else ""
        async with working(progress, f"preparing the base{commands}"):
            await planner.prepare(plan)
        async with working(progress, "running the base's tests twice"):
            return await planner.measure(plan)


@contextmanager
def _explained(progress: Console) -> Generator[None]:
    """Print the end of the set-up's log above our own line."""
    try:
        yield
    except SandboxError as error:
        if error.cause is not Cause.SETUP_FAILED:
            raise
        first, _, last = str(error).partition("\n")
        if last:
            progress.print(Text(safe(last), style="dim"), soft_wrap=True)
        raise RefusedError(f"{first} (give other commands with --setup, or --env PATH)") from None

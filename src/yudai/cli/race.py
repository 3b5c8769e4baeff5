"""The race while it runs: a live table on a terminal, a line per event elsewhere."""

import asyncio
from contextlib import suppress

import structlog
from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from yudai.cli.text import dollars, one_line, seconds
from yudai.domain.errors import ConflictError
from yudai.domain.failure import POLICIES, Cause
from yudai.domain.ids import SolveId
from yudai.domain.run_state import RunState
from yudai.domain.solve_state import RESTING, SolveState
from yudai.ports.engine import FlowStatus
from yudai.services.reading import Race, elapsed_s
from yudai.store.tables import EventRow, RunRow
from yudai.wiring import App

log = structlog.get_logger()

_POLL_S = 0.2
_NUMBERS_WIDTH = 48
_WIDE = 110
_STYLES = {
    RunState.QUEUED: "dim",
    RunState.RUNNING: "cyan",
    RunState.VERIFYING: "yellow",
    RunState.COMPLETED: "green",
    RunState.FAILED: "red",
    RunState.CANCELLED: "dim",
}


async def follow(app: App, solve_id: SolveId, console: Console) -> None:
    """Show the race until the flow has ended; being cancelled ends the solve first."""
    watcher = asyncio.create_task(
        _live(app, solve_id, console) if console.is_terminal else _lines(app, solve_id, console)
    )
    try:
        await app.engine.wait(solve_id)
        await asyncio.wait([watcher])
    except asyncio.CancelledError:
        console.print("\nStopping: sandboxes are being removed …", style="yellow")
        with suppress(ConflictError):
            await app.solves.cancel_solve(solve_id)
        raise
    finally:
        await _end(watcher)


async def _end(watcher: asyncio.Task[None]) -> None:
    """Whatever happened to the display, the race and its result stand."""
    watcher.cancel()
    await asyncio.wait([watcher])
    if not watcher.cancelled() and (error := watcher.exception()):
        log.warning("display.failed", error=repr(error))


async def _live(app: App, solve_id: SolveId, console: Console) -> None:
    with Live(console=console, refresh_per_second=8, transient=True) as live:
        while True:
            race = await app.reader.race(solve_id)
            live.update(_table(race, now=app.reader.clock.now(), width=console.width))
            if await _over(app, solve_id, race):
                return
            await asyncio.sleep(_POLL_S)


async def _lines(app: App, solve_id: SolveId, console: Console) -> None:
    cursor = 0
    while True:
        race = await app.reader.race(solve_id, after_event=cursor)
        for event in race.events:
            cursor = event.id
            console.print(_line(race, event), markup=False, soft_wrap=True)
        if await _over(app, solve_id, race):
            return
        await asyncio.sleep(_POLL_S)


async def _over(app: App, solve_id: SolveId, race: Race) -> bool:
    ended = await app.engine.status(solve_id) is not FlowStatus.RUNNING
    return ended or SolveState(race.solve.state) in RESTING


def _line(race: Race, event: EventRow) -> str:
    names = {run.id: run.handle for run in race.runs}
    at = seconds(max(0.0, event.at - race.solve.created_at))
    facts = " ".join(f"{key}={one_line(str(value))}" for key, value in event.data.items())
    who = "" if event.run_id is None else f" {one_line(names.get(event.run_id, event.run_id))}"
    return f"{at:>8}  {event.kind}{who} {facts}".rstrip()


def _table(race: Race, *, now: float, width: int) -> Table:
    table = Table(title=Text(one_line(race.solve.issue_title)), title_justify="left", box=None)
    table.add_column("contestant", no_wrap=True, max_width=max(12, width - _NUMBERS_WIDTH))
    table.add_column("state", no_wrap=True)
    for numbers in ("steps", "edits", "cost", "time"):
        table.add_column(numbers, justify="right", no_wrap=True)
    if width >= _WIDE:
        table.add_column("", overflow="ellipsis", no_wrap=True)
    for run in race.runs:
        cells = _cells(run, race.doing.get(run.id, ""), now=now)
        table.add_row(*cells[: len(table.columns)], style=_STYLES[RunState(run.state)])
    table.caption = Text(_phase(race, now=now))
    table.caption_justify = "left"
    return table


def _cells(run: RunRow, doing: str, *, now: float) -> list[Text]:
    started = run.started_at
    took = "" if started is None else seconds((run.finished_at or now) - started)
    return [
        Text(one_line(run.handle)),
        Text(run.state),
        Text(str(run.steps)),
        Text(str(run.edits)),
        Text(dollars(run.cost_micros)),
        Text(took),
        Text(note(run) or one_line(doing, width=60), style="" if note(run) else "dim"),
    ]


def note(run: RunRow) -> str:
    """What is known of a run so far, in a few words."""
    if run.verdict is not None:
        return one_line(run.verdict.summary)
    if run.cause is not None:
        return POLICIES[Cause(run.cause)].message
    return ""


def _phase(race: Race, *, now: float) -> str:
    elapsed = seconds(elapsed_s(race.solve, now=now))
    if race.solve.baseline is None:
        return f"{elapsed}  preparing the base and running its tests twice"
    left = sum(run.state in (RunState.QUEUED, RunState.RUNNING) for run in race.runs)
    verifying = sum(run.state == RunState.VERIFYING for run in race.runs)
    if left or verifying:
        return f"{elapsed}  {left} running or queued, {verifying} being verified"
    return f"{elapsed}  cross-examination: every new test against every other patch"

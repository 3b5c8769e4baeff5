"""The race while it runs: a live table on a terminal, a line per event elsewhere."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import NamedTuple

from rich.console import Console
from rich.live import Live
from rich.table import Table
from rich.text import Text

from yudai.cli.text import dollars, one_line, seconds
from yudai.cli.waiting import end_display
from yudai.domain.errors import ConflictError
from yudai.domain.failure import POLICIES, Cause
from yudai.domain.ids import SolveId
from yudai.domain.run_state import RunState
from yudai.domain.solve_state import RESTING
from yudai.ports.engine import FlowStatus
from yudai.services.reading import Race, Reader, elapsed_s
from yudai.store.tables import EventRow, RunRow
from yudai.wiring import App

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


# What follows an event of the solve; after the baseline the runs themselves tell the story.
_PHASES = {
    "solve.opened": "waiting to start",
    "solve.started": "preparing the base: its files and its set-up",
    "base.preparing": "preparing the base: its files and its set-up",
    "base.prepared": "running the base's own tests twice",
    "runs.cross_examined": "ranking",
    "solve.cancel_requested": "ending: sandboxes are being removed",
}


class Phase(NamedTuple):
    """The newest event of the solve itself."""

    kind: str
    at: float


async def follow(app: App, solve_id: SolveId, console: Console) -> None:
    """Show the race until the flow has ended; being cancelled ends the solve first."""

    async def is_over() -> bool:
        return await app.engine.status(solve_id) is not FlowStatus.RUNNING

    display = asyncio.create_task(show_race(app.reader, solve_id, console, is_over=is_over))
    try:
        await app.engine.wait(solve_id)
        await asyncio.wait([display])
    except asyncio.CancelledError:
        console.print("\nStopping: sandboxes are being removed …", style="yellow")
        with suppress(ConflictError):
            await app.solves.cancel_solve(solve_id)
        raise
    finally:
        await end_display(display)


async def show_race(
    reader: Reader,
    solve_id: SolveId,
    console: Console,
    *,
    is_over: Callable[[], Awaitable[bool]],
) -> None:
    """From the database alone, until the solve has come to rest or it is over otherwise."""
    if not console.is_terminal:
        await _poll(reader, solve_id, _printer(console), is_over)
        return
    with Live(console=console, refresh_per_second=8, transient=True) as live:

        def draw(race: Race, phase: Phase) -> None:
            live.update(_table(race, phase, now=reader.clock.now(), width=console.width))

        await _poll(reader, solve_id, draw, is_over)


async def _poll(
    reader: Reader,
    solve_id: SolveId,
    draw: Callable[[Race, Phase], None],
    is_over: Callable[[], Awaitable[bool]],
) -> None:
    cursor, phase = 0, Phase("", 0.0)
    while True:
        # Asked before the look, so that the last look shows the end.
        over = await is_over()
        race = await reader.race(solve_id, after_event=cursor)
        for event in race.events:
            cursor = event.id
            phase = Phase(event.kind, event.at) if event.run_id is None else phase
        draw(race, phase)
        over = over or race.solve.state in RESTING
        if over and not race.events:
            return
        await asyncio.sleep(0 if over else _POLL_S)


def _printer(console: Console) -> Callable[[Race, Phase], None]:
    def draw(race: Race, _: Phase) -> None:
        for event in race.events:
            console.print(_line(race, event), markup=False, soft_wrap=True)

    return draw


def _line(race: Race, event: EventRow) -> str:
    names = {run.id: run.handle for run in race.runs}
    at = seconds(max(0.0, event.at - race.solve.created_at))
    facts = " ".join(f"{key}={one_line(str(value))}" for key, value in event.data.items())
    who = "" if event.run_id is None else f" {one_line(names.get(event.run_id, event.run_id))}"
    return f"{at:>8}  {event.kind}{who} {facts}".rstrip()


def _table(race: Race, phase: Phase, *, now: float, width: int) -> Table:
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
    table.caption = Text(phase_words(race, phase, now=now))
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


def phase_words(race: Race, phase: Phase, *, now: float) -> str:
    """What is being done now, and for how long already."""
    elapsed = seconds(elapsed_s(race.solve, now=now))
    left = sum(run.state in (RunState.QUEUED, RunState.RUNNING) for run in race.runs)
    verifying = sum(run.state == RunState.VERIFYING for run in race.runs)
    if (words := _PHASES.get(phase.kind)) is not None:
        return f"{elapsed}  {words} ({seconds(max(0.0, now - phase.at))})"
    if left or verifying:
        return f"{elapsed}  {left} running or queued, {verifying} being verified"
    return f"{elapsed}  cross-examination: every new test against every other patch"

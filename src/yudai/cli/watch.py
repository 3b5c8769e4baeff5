"""`yudai watch` and the display of runs: a live table on a terminal, elsewhere a line per event."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.table import Table
from rich.text import Text

from yudai.arena.prepare import PARTIAL
from yudai.cli import console
from yudai.cli.exit_codes import FAILED
from yudai.cli.records.records import Records, open_records
from yudai.cli.records.source import Source, Watched
from yudai.cli.show.result import (
    blocked_line,
    blocked_of,
    exit_code,
    is_blocked,
    print_document,
    show_result,
)
from yudai.cli.text import dollars, one_line, seconds
from yudai.kit.causes import POLICIES
from yudai.kit.errors import ConflictError
from yudai.kit.ids import SolveId, short
from yudai.kit.money import MICROS_PER_USD
from yudai.runs.domain.states import RunState
from yudai.settings import Settings
from yudai.solves.domain.states import RESTING
from yudai.views.live_runs import LaneView
from yudai.views.solves import EventView

if TYPE_CHECKING:
    from yudai.arena.cancel import Stopper
    from yudai.solves.domain.blocked import BlockedEntry

_NUMBERS_WIDTH = 48
_WIDE = 110
_MAX_SHOWN = 3
_MAX_LEFT = 20
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
    "solve.answered": "ranking again",
}


class Phase(NamedTuple):
    """The newest event of the solve itself."""

    kind: str
    at: float


async def run_watch(settings: Settings, target: str, *, json: bool) -> int:
    async with open_records(settings) as records:
        progress = console.progress()
        solve_id = await records.find(target)
        await watch(records, solve_id, progress)
        document = await records.document(solve_id)
        is_at_rest = document.solve.state in RESTING
        if not is_at_rest:
            _say_dead(solve_id, progress)
        if json:
            print_document(document)
        elif is_at_rest:
            await show_result(records, document, console.result(), server=records.server)
        return exit_code(document) if is_at_rest else FAILED


async def watch(records: Records, solve_id: SolveId, progress: Console) -> None:
    """Show the runs until the solve ends, or its process has died."""
    if remark := await records.remark(solve_id):
        progress.print(Text(remark, style="yellow"), soft_wrap=True)
    try:
        await show_runs(records.watch(solve_id), progress)
    except asyncio.CancelledError:
        progress.print("\nNo longer watching; the solve continues.", style="yellow")
        raise


def _say_dead(solve_id: SolveId, progress: Console) -> None:
    name, program = short(solve_id), console.program()
    progress.print(
        f"The process that ran solve {name} has died: `{program} cancel {name}` ends it.",
        style="red",
        soft_wrap=True,
    )


@asynccontextmanager
async def ending(stopper: "Stopper", solve_id: SolveId, console: Console) -> AsyncGenerator[None]:
    """Cancelling this block cancels the solve."""
    try:
        yield
    except asyncio.CancelledError:
        console.print("\nStopping: sandboxes are being removed …", style="yellow")
        with suppress(ConflictError):
            await stopper.cancel(solve_id)
        raise


async def show_runs(source: Source, console: Console) -> None:
    """Show updates of the source until the last one."""
    display = _Board(console) if console.is_terminal else _Ticker(console)
    with display:
        phase = Phase("", 0.0)
        while True:
            polled = await source.poll()
            for event in polled.seen.events:
                # What was blocked says nothing about how far the solve is.
                if event.run_id is None and not is_blocked(event):
                    phase = Phase(event.kind, event.at)
            display.draw(polled.seen, phase)
            if polled.is_last:
                return
            await asyncio.sleep(polled.wait_s)


class _Ticker:
    """A line for each event."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...

    def draw(self, seen: Watched, _: Phase) -> None:
        for event in seen.events:
            self._console.print(_line(seen, event), markup=False, soft_wrap=True)


class _Board:
    """A table updated in place, with a clock that runs between polls and blocked hosts below."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._shown: tuple[Watched, Phase, float] | None = None
        self._blocked: list[BlockedEntry] = []
        self._notes: list[str] = []
        self._live = Live(
            console=console, get_renderable=self._frame, refresh_per_second=8, transient=True
        )

    def __enter__(self) -> None:
        self._live.start(refresh=False)

    def __exit__(self, *_: object) -> None:
        self._live.stop()
        for line in self._below(_MAX_LEFT):
            self._console.print(line, soft_wrap=True)

    def draw(self, seen: Watched, phase: Phase) -> None:
        self._blocked += blocked_of(seen.events)
        partial = (event for event in seen.events if event.kind == PARTIAL)
        self._notes += [f"note: {one_line(str(one.data.get('reason')))}" for one in partial]
        self._shown = (seen, phase, self._console.get_time())
        self._live.refresh()

    def _frame(self) -> RenderableType:
        if self._shown is None:
            return ""
        seen, phase, drawn = self._shown
        now = seen.at + (self._console.get_time() - drawn)
        table = _table(seen, phase, now=now, width=self._console.width)
        return Group(table, *self._below(_MAX_SHOWN))

    def _below(self, most: int) -> list[Text]:
        """What could not be run on the base, and the newest blocked hosts."""
        runs = () if self._shown is None else self._shown[0].runs
        handles = {run.id: run.handle for run in runs}
        lines = [blocked_line(entry, handles) for entry in self._blocked[-most:]]
        earlier = len(self._blocked) - len(lines)
        words = [f"blocked: {earlier} before that"] if earlier else []
        every = (*self._notes, *words, *lines)
        return [Text(line, style="yellow", overflow="ellipsis") for line in every]


def _line(seen: Watched, event: EventView) -> str:
    names = {run.id: run.handle for run in seen.runs}
    at = seconds(max(0.0, event.at - seen.solve.created_at))
    facts = " ".join(f"{key}={one_line(str(value))}" for key, value in event.data.items())
    run_id = event.run_id
    who = "" if run_id is None else f" {one_line(names.get(run_id, run_id))}"
    return f"{at:>8}  {one_line(event.kind)}{who} {facts}".rstrip()


def _table(seen: Watched, phase: Phase, *, now: float, width: int) -> Table:
    table = Table(title=Text(one_line(seen.issue)), title_justify="left", box=None)
    table.add_column("contestant", no_wrap=True, max_width=max(12, width - _NUMBERS_WIDTH))
    table.add_column("state", no_wrap=True)
    for numbers in ("steps", "edits", "cost", "time"):
        table.add_column(numbers, justify="right", no_wrap=True)
    if width >= _WIDE:
        table.add_column("", overflow="ellipsis", no_wrap=True)
    for run in seen.runs:
        cells = _cells(run, now=now)
        table.add_row(*cells[: len(table.columns)], style=_STYLES[run.state])
    table.caption = Text(phase_words(seen, phase, now=now))
    table.caption_justify = "left"
    return table


def _cells(run: LaneView, *, now: float) -> list[Text]:
    started = run.started_at
    took = "" if started is None else seconds(max(0.0, (run.finished_at or now) - started))
    # A server of an earlier version sends no summary.
    verdict = run.verdict_summary or run.verdict or ""
    note = verdict or ("" if run.cause is None else POLICIES[run.cause].message)
    remark = one_line(note) or one_line(run.last_action, width=60)
    return [
        Text(one_line(run.handle)),
        Text(run.state),
        Text(str(run.steps)),
        Text(str(run.edits)),
        Text(dollars(round(run.cost_usd * MICROS_PER_USD))),
        Text(took),
        Text(remark, style="" if note else "dim"),
    ]


def phase_words(seen: Watched, phase: Phase, *, now: float) -> str:
    """The current phase and its duration."""
    elapsed = seconds(max(0.0, seen.elapsed_s(now)))
    states = [run.state for run in seen.runs]
    left = sum(state in (RunState.QUEUED, RunState.RUNNING) for state in states)
    verifying = states.count(RunState.VERIFYING)
    if (words := _PHASES.get(phase.kind)) is not None:
        return f"{elapsed}  {words} ({seconds(max(0.0, now - phase.at))})"
    if left or verifying:
        return f"{elapsed}  {left} running or queued, {verifying} being verified"
    return f"{elapsed}  cross-examination: running proving tests on the other answers"

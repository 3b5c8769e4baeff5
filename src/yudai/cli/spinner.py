"""Shows progress: a spinner on a terminal, a line at start and end elsewhere."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager

import structlog
from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.text import Text

from yudai.cli.text import one_line, seconds

log: structlog.stdlib.BoundLogger = structlog.get_logger()

PATIENCE_S = 2.0


@asynccontextmanager
async def working(
    console: Console, text: str, *, patience_s: float = PATIENCE_S
) -> AsyncGenerator[None]:
    """Show what is being done; on a terminal only after the patience."""
    said = one_line(text, width=200)
    if not console.is_terminal:
        with _lines(console, said):
            yield
        return
    spinner = asyncio.create_task(_spin(console, said, patience_s), name="spinner")
    try:
        yield
    finally:
        await end_display(spinner)


async def end_display(task: asyncio.Task[None]) -> None:
    """Errors of the display do not affect the work."""
    task.cancel()
    await asyncio.wait([task])
    if not task.cancelled() and (error := task.exception()):
        log.warning("display.failed", error=repr(error))


async def _spin(console: Console, said: str, patience_s: float) -> None:
    begun = console.get_time()
    await asyncio.sleep(patience_s)
    spinner = Spinner("dots")

    def frame() -> Spinner:
        took = seconds(console.get_time() - begun)
        spinner.update(text=Text(f"{one_line(said, width=max(20, console.width - 14))}  {took}"))
        return spinner

    # The display refreshes itself in a thread, so it moves on even while the loop is busy.
    with Live(console=console, get_renderable=frame, refresh_per_second=8, transient=True):
        await asyncio.Event().wait()


@contextmanager
def _lines(console: Console, said: str) -> Generator[None]:
    begun = console.get_time()
    console.print(Text(f"{said} …"), soft_wrap=True)
    end = "stopped"
    try:
        yield
        end = "done"
    finally:
        console.print(
            Text(f"{said}: {end} after {seconds(console.get_time() - begun)}"), soft_wrap=True
        )

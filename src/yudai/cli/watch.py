"""`yudai watch`: a solve that another process runs, from the database alone."""

import asyncio

from rich.console import Console

from yudai.cli import consoles
from yudai.cli.exits import OUR_FAULT
from yudai.cli.race import show_race
from yudai.cli.render import exit_code, print_document, show_result
from yudai.domain.ids import SolveId, short
from yudai.domain.solve_state import RESTING
from yudai.ports.engine import Engine
from yudai.services.reading import Reader
from yudai.services.stopping import Stopper
from yudai.settings import Settings
from yudai.wiring import known_flows, open_library


async def run_watch(settings: Settings, target: str, *, json: bool) -> int:
    async with open_library(settings) as library:
        reader = library.reader
        solve_id = SolveId((await reader.solve(target)).id)
        is_at_rest = await watch(reader, solve_id, known_flows(settings), consoles.progress())
        document = await reader.document(solve_id)
        if json:
            print_document(document)
        elif is_at_rest:
            await show_result(reader, document, consoles.result())
        return exit_code(document) if is_at_rest else OUR_FAULT


async def watch(reader: Reader, solve_id: SolveId, flows: Engine, progress: Console) -> bool:
    """Show the race to its end; False when its process died before it had one."""
    stopper = Stopper(reader.store, reader.clock)

    async def is_dead() -> bool:
        return await stopper.is_dead(solve_id, flows)

    try:
        await show_race(reader, solve_id, progress, is_over=is_dead)
    except asyncio.CancelledError:
        progress.print("\nNo longer watching; the solve goes on.", style="yellow")
        raise
    if (await reader.solve(solve_id)).state in RESTING:
        return True
    name, program = short(solve_id), consoles.program()
    progress.print(
        f"The process that ran solve {name} has died: `{program} cancel {name}` ends it.",
        style="red",
        soft_wrap=True,
    )
    return False

"""`yudai watch`: a solve that another process runs, from the database or its server."""

import asyncio

from rich.console import Console
from rich.text import Text

from yudai.cli import console
from yudai.cli.exit_codes import OUR_FAULT
from yudai.cli.records.choose import open_records
from yudai.cli.records.records import Records
from yudai.cli.show.result import exit_code, print_document, show_result
from yudai.cli.watch.display import show_runs
from yudai.kit.ids import SolveId, short
from yudai.settings import Settings
from yudai.solves.domain.states import RESTING


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
        return exit_code(document) if is_at_rest else OUR_FAULT


async def watch(records: Records, solve_id: SolveId, progress: Console) -> None:
    """Show the runs until the solve ends, or its process has died."""
    if remark := await records.remark(solve_id):
        progress.print(Text(remark, style="yellow"), soft_wrap=True)
    try:
        await show_runs(records.watch(solve_id), progress)
    except asyncio.CancelledError:
        progress.print("\nNo longer watching; the solve goes on.", style="yellow")
        raise


def _say_dead(solve_id: SolveId, progress: Console) -> None:
    name, program = short(solve_id), console.program()
    progress.print(
        f"The process that ran solve {name} has died: `{program} cancel {name}` ends it.",
        style="red",
        soft_wrap=True,
    )

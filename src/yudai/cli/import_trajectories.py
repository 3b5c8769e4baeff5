"""`yudai import`: trajectory files of mini-SWE-agent as runs."""

from collections.abc import Sequence
from pathlib import Path

from rich.text import Text

from yudai.cli import console as consoles
from yudai.cli.exit_codes import OK
from yudai.cli.spinner import working
from yudai.cli.text import one_line, print_json
from yudai.kit.ids import short
from yudai.record.import_trajectories import ImportedRun, Importer
from yudai.settings import Settings
from yudai.wiring import open_context


async def run_import(settings: Settings, files: Sequence[Path], *, json: bool) -> int:
    async with open_context(settings) as context:
        importer = Importer(context)
        async with working(consoles.progress(), "reading trajectories"):
            done = await importer.import_files(files)
    if json:
        print_json({"imported": [_fields(one) for one in done]})
        return OK
    console = consoles.result()
    for one in done:
        console.print(Text(_line(one)), soft_wrap=True)
    if done:
        hint = f"Look closer: {consoles.program()} show {short(done[0].run_id)} [--step N]"
        console.print(hint, style="dim", soft_wrap=True)
    return OK


def _fields(one: ImportedRun) -> dict[str, object]:
    return {
        "file": str(one.path),
        "solve_id": one.solve_id,
        "run_id": one.run_id,
        "handle": one.handle,
        "issue": one.issue,
        "new": one.is_new,
    }


def _line(one: ImportedRun) -> str:
    said = "imported" if one.is_new else "was imported before"
    run = f"solve {short(one.solve_id)}, run {short(one.run_id)}"
    about = f"{one_line(one.handle)}: {one_line(one.issue)}"
    return f"{one_line(str(one.path), width=200)}: {said} ({run}), {about}"

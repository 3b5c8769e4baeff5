"""`yudai compare`: two runs side by side."""

from collections.abc import Callable, Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from yudai.cli import console as consoles
from yudai.cli.exit_codes import OK
from yudai.cli.show.result import MARKS, print_diff
from yudai.cli.text import dollars, one_line, print_json, safe, seconds
from yudai.kit.causes import POLICIES
from yudai.kit.ids import short
from yudai.kit.money import MICROS_PER_USD
from yudai.kit.text import clean
from yudai.patches.patch import readable
from yudai.settings import Settings
from yudai.views.compare import compare_runs
from yudai.views.domain.comparison import Comparison, Side
from yudai.wiring.components import open_context

_MAX_TESTS = 20


async def run_compare(
    settings: Settings, first: str, second: str, *, solve: str, json: bool
) -> int:
    async with open_context(settings) as context:
        found = await compare_runs(context, first, second, solve=solve)
    if json:
        print_json(to_document(found))
    else:
        show_comparison(consoles.result(), found)
    return OK


def to_document(found: Comparison) -> dict[str, object]:
    shown = found.model_dump(mode="json")
    for side in (shown["first"], shown["second"]):
        side["patch"] = clean(side["patch"])
    shown["files"] = {name: list(map(readable, paths)) for name, paths in shown["files"].items()}
    return shown


def show_comparison(console: Console, found: Comparison) -> None:
    console.print(_scorecards(found))
    first, second = one_line(found.first.handle), one_line(found.second.handle)
    if not found.same_base:
        bases = f"{found.first.base} and {found.second.base}"
        warning = f"The bases differ ({bases}): tests are compared by their names only."
        console.print(Text(safe(warning), style="yellow"), soft_wrap=True)
    tests, files = found.tests, found.files
    _list(console, f"Tests that {first} passes and {second} does not", tests.only_first)
    _list(console, f"Tests that {second} passes and {first} does not", tests.only_second)
    _list(console, "Red on base or new, and passed by both", tests.both)
    _list(console, "Failed by both", tests.neither)
    _list(console, f"Passed by {first}, never run on {second}", tests.untried_by_second)
    _list(console, f"Passed by {second}, never run on {first}", tests.untried_by_first)
    _list(console, "Files that both change", files.both)
    _list(console, f"Files that only {first} changes", files.only_first)
    _list(console, f"Files that only {second} changes", files.only_second)
    for side in (found.first, found.second):
        _print_patch(console, side)


def _scorecards(found: Comparison) -> Table:
    sides = [found.first, found.second]
    table = Table(title=Text("Two runs", style="bold"), title_justify="left")
    table.add_column("", no_wrap=True)
    for side in sides:
        table.add_column(Text(safe(side.handle)), overflow="fold")
    rows: Sequence[tuple[str, Callable[[Side], str]]] = (
        ("run", lambda side: short(side.run_id)),
        ("model", lambda side: one_line(side.model)),
        ("verdict", _verdict),
        ("why", lambda side: one_line(side.verdict.summary, width=200)),
        ("files", lambda side: str(side.files_changed)),
        ("lines", lambda side: str(side.lines_changed)),
        ("time", lambda side: seconds(side.latency_ms / 1000)),
        ("cost", lambda side: dollars(round(side.cost_usd * MICROS_PER_USD))),
    )
    for name, cell in rows:
        table.add_row(name, *(Text(cell(side)) for side in sides))
    return table


def _verdict(side: Side) -> str:
    return MARKS[side.verdict.status][0] if side.cause is None else POLICIES[side.cause].message


def _list(console: Console, title: str, names: Sequence[str]) -> None:
    if not names:
        return
    console.print(Text(f"\n{title}: {len(names)}", style="bold"), soft_wrap=True)
    for name in names[:_MAX_TESTS]:
        console.print(Text(f"  {one_line(readable(name), width=300)}"), soft_wrap=True)
    if len(names) > _MAX_TESTS:
        console.print(f"  … and {len(names) - _MAX_TESTS} more (--json)", style="dim")


def _print_patch(console: Console, side: Side) -> None:
    console.print(Text(f"\nThe patch of {one_line(side.handle)}", style="bold"), soft_wrap=True)
    if side.patch:
        whole = f"{consoles.program()} show {short(side.run_id)} --diff"
        print_diff(console, side.patch, whole=whole)
    else:
        console.print("  (none)", style="dim")

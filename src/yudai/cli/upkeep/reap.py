"""`yudai reap`: remove sandboxes whose process is gone, or only list them."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager

from rich.console import Console
from rich.text import Text

from yudai.cli import console as consoles
from yudai.cli.exit_codes import FAILED, OK
from yudai.cli.text import one_line, print_json, safe, seconds
from yudai.sandboxes.port import Fate, Leftover
from yudai.sandboxes.reap import Reaper, Swept, Unswept
from yudai.settings import Settings
from yudai.store.store import Store
from yudai.wiring.components import open_context
from yudai.wiring.sandbox_upkeep import open_reaper

OpenReaper = Callable[[Settings, Store], AbstractAsyncContextManager[Reaper]]
_SIGNS = {Fate.REAPED: ("✓", "green"), Fate.REFUSED: ("✗", "red"), Fate.WAITING: ("…", "dim")}


async def run_reap(
    settings: Settings,
    *,
    dry_run: bool,
    backend: str = "",
    json: bool = False,
    opened: OpenReaper = open_reaper,
) -> int:
    async with open_context(settings) as context, opened(settings, context.store) as reaper:
        swept = await reaper.sweep(dry_run=dry_run, only=backend or None)
    if json:
        print_json(swept.model_dump(mode="json"))
    else:
        _print(swept, consoles.result())
    for failure in swept.failures:
        consoles.progress().print(_failed(failure), soft_wrap=True)
    return FAILED if swept.failures else OK


def _print(swept: Swept, console: Console) -> None:
    for leftover in swept.leftovers:
        console.print(_line(leftover, is_done=not swept.dry_run), soft_wrap=True)
    console.print(_sum(swept), soft_wrap=True)


def _line(leftover: Leftover, *, is_done: bool) -> Text:
    sign, style = _SIGNS[leftover.fate] if is_done else ("-", "dim")
    facts = [leftover.why]
    if leftover.age_s is not None:
        facts.append(f"{seconds(leftover.age_s)} old")
    if leftover.owner:
        facts.append(f"of {one_line(leftover.owner)}")
    if leftover.note:
        facts.append(one_line(leftover.note, width=200))
    line = f" {leftover.backend} {safe(leftover.id)}: {', '.join(facts)}"
    return Text.assemble((sign, style), line)


def _sum(swept: Swept) -> str:
    reaped, refused, waiting = (len(swept.of(fate)) for fate in Fate)
    if not swept.leftovers:
        return "There are no leftovers." if not swept.failures else _unknown(swept.failures)
    done = f"{_many(reaped)} would be removed" if swept.dry_run else f"{_many(reaped)} removed"
    others = [
        words
        for count, words in (
            (refused, f"{refused} could not be removed: the next sweep tries again"),
            (waiting, f"{waiting} watched"),
        )
        if count
    ]
    return f"{'; '.join([done, *others])}."


def _unknown(failures: Sequence[Unswept]) -> str:
    """The reasons are printed on standard error."""
    names = " and ".join(failure.backend for failure in failures)
    verb = "was" if len(failures) == 1 else "were"
    return f"Nothing was found on the backends that answered; {names} {verb} not asked."


def _many(count: int) -> str:
    return "1 leftover" if count == 1 else f"{count} leftovers"


def _failed(failure: Unswept) -> Text:
    return Text(f"yudai: {failure.backend} was not checked: {one_line(failure.error, width=300)}")

"""`yudai bases`: list prepared bases, remove them, free disk space."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from typing import NamedTuple

from rich.console import Console
from rich.table import Table
from rich.text import Text

from yudai.cli import console as consoles
from yudai.cli.exit_codes import OK
from yudai.cli.text import print_json, safe
from yudai.kit.clock import SystemClock
from yudai.kit.errors import ConflictError, RefusedError, SandboxError
from yudai.sandboxes.port import Backend, BaseView
from yudai.settings import Settings
from yudai.wiring.components import open_context
from yudai.wiring.sandbox_upkeep import make_evictor, open_named_backend

_UNITS = ((86_400, "day"), (3600, "hour"), (60, "minute"))
_WIDEST = 10_000
_COLUMNS = ("backend", "key", "size", "made", "last used", "sandboxes")


class Bounds(NamedTuple):
    """None: the setting."""

    max_mb: int | None = None
    max_days: float | None = None


async def run_list(settings: Settings, *, backend: str | None = None, json: bool = False) -> int:
    async with _open_backend(settings, backend) as opened:
        found = await opened.bases()
    if json:
        print_json({"bases": _fields(found), "total_bytes": _total(found)})
    elif found:
        console = consoles.result()
        _print_whole(_table(found, SystemClock().now()), console)
        console.print(f"{_count(found)}, {_size(_total(found))} together", style="dim")
    else:
        consoles.result().print("There are no prepared bases.")
    return OK


async def run_remove(
    settings: Settings, keys: Sequence[str], *, backend: str | None = None, json: bool = False
) -> int:
    """Remove every base that can be removed. The start of a key is enough."""
    removed: list[str] = []
    refused: list[str] = []
    async with _open_backend(settings, backend) as opened:
        known = [base.key for base in await opened.bases()]
        for word in dict.fromkeys(keys):
            try:
                key = _meant(word, known)
                if key in removed:
                    continue
                if await opened.remove_base(key):
                    removed.append(key)
                else:
                    refused.append(f"there is no base {word[:200]!a}: yudai bases lists them")
            except (ConflictError, SandboxError) as error:
                refused.append(str(error))
    if json:
        print_json({"removed": removed})
    for key in () if json else removed:
        consoles.result().print(Text(f"{safe(key)}: removed"))
    if refused:
        raise RefusedError("; ".join(refused))
    return OK


async def run_evict(
    settings: Settings,
    bounds: Bounds,
    *,
    dry_run: bool = False,
    backend: str | None = None,
    json: bool = False,
) -> int:
    async with _open_backend(settings, backend) as opened:
        evictor = make_evictor(settings, opened, SystemClock(), **bounds._asdict())
        chosen = await (evictor.choose() if dry_run else evictor.sweep())
        left = await opened.bases()
    if json:
        print_json({"dry_run": dry_run, "bases": _fields(chosen)})
        return OK
    console = consoles.result()
    for base in chosen:
        what = "would be removed" if dry_run else "removed"
        console.print(Text(f"{safe(base.key)}: {what} ({_size(base.size_bytes)})"), soft_wrap=True)
    if not chosen:
        gather = f"{_count(left)}, {_size(_total(left))} together"
        console.print(f"Nothing to remove: {gather}; those just used always stay.")
    return OK


@asynccontextmanager
async def _open_backend(settings: Settings, name: str | None) -> AsyncGenerator[Backend]:
    async with (
        open_context(settings) as context,
        open_named_backend(settings, name, context.store) as backend,
    ):
        yield backend


def _meant(word: str, known: Sequence[str]) -> str:
    """The key that is this word, else the only one that begins with it, else the word."""
    found = [key for key in known if word and key.startswith(word)]
    if word in known or not found:
        return word
    if len(found) > 1:
        raise ConflictError(f"{len(found)} bases begin with {word[:200]!a}: give more of the key")
    return found[0]


def _print_whole(table: Table, console: Console) -> None:
    """Keys are never cut, so that they can be copied."""
    options = console.options.update(max_width=_WIDEST)
    console.width = max(console.width, console.measure(table, options=options).maximum)
    console.print(table, soft_wrap=True)


def _table(bases: Sequence[BaseView], now: float) -> Table:
    table = Table(box=None)
    for column in _COLUMNS:
        is_number = column in ("size", "sandboxes")
        table.add_column(column, no_wrap=True, justify="right" if is_number else "left")
    for base in sorted(bases, key=lambda base: base.used_at, reverse=True):
        cells = (
            safe(base.backend),
            safe(base.key),
            _size(base.size_bytes),
            _ago(base.made_at, now),
            _ago(base.used_at, now),
            str(base.users),
        )
        table.add_row(*(Text(cell) for cell in cells))
    return table


def _fields(bases: Sequence[BaseView]) -> list[dict[str, object]]:
    return [base.model_dump(mode="json") for base in bases]


def _total(bases: Sequence[BaseView]) -> int:
    return sum(base.size_bytes or 0 for base in bases)


def _count(bases: Sequence[BaseView]) -> str:
    return "1 base" if len(bases) == 1 else f"{len(bases)} bases"


def _size(size: int | None) -> str:
    return "?" if size is None else f"{size / (1 << 20):,.0f} MB"


def _ago(at: float, now: float) -> str:
    if not at:
        return "?"
    for seconds, unit in _UNITS:
        n = int((now - at) // seconds)
        if n > 0:
            return f"{n} {unit}{'s' if n > 1 else ''} ago"
    return "just now"

"""`yudai models`: list the models with their prices, and edit them."""

from collections.abc import Sequence

from rich.table import Table
from rich.text import Text

from yudai.cli import console as consoles
from yudai.cli.exit_codes import OK
from yudai.cli.text import one_line, print_json, safe
from yudai.gateway.catalogue import Entry, ModelChange
from yudai.gateway.domain.models import Provider, parse_amounts
from yudai.kit.errors import RefusedError
from yudai.kit.money import usd
from yudai.kit.text import nearest
from yudai.settings import Settings
from yudai.views.models import model_view
from yudai.wiring.components import make_catalogue, open_context

_PRICE_WIDTH = 6
_WHERE_WIDTH = 16


async def run_models_list(settings: Settings, *, json: bool) -> int:
    async with open_context(settings) as context:
        entries = await make_catalogue(settings, context).list()
    if json:
        print_json([model_view(entry).model_dump(mode="json") for entry in entries])
        return OK
    console = consoles.result()
    console.print(_table(entries, width=console.width))
    console.print(
        "Dollars per million tokens. Change one: yudai models set NAME --price IN,OUT[,CACHED]",
        style="dim",
        soft_wrap=True,
    )
    return OK


def to_change(
    *, provider: str, model_id: str, aliases: Sequence[str] | None, price: str
) -> ModelChange:
    """Missing options change nothing; one empty alias removes all aliases."""
    change = ModelChange(
        provider=_provider(provider) if provider else None,
        model_id=model_id or None,
        aliases=None if aliases is None else tuple(dict.fromkeys(a for a in aliases if a)),
        price=parse_amounts(price) if price else None,
    )
    if change == ModelChange():
        raise RefusedError("say what to change: --price, --alias, --provider or --model-id")
    return change


async def run_models_set(
    settings: Settings, name: str, change: ModelChange, *, json: bool = False
) -> int:
    async with open_context(settings) as context:
        entry = await make_catalogue(settings, context).set_model(name, change)
    _tell(entry, "kept", json=json)
    return OK


async def run_models_remove(settings: Settings, name: str, *, json: bool = False) -> int:
    async with open_context(settings) as context:
        entry = await make_catalogue(settings, context).remove(name)
    if entry is not None:
        _tell(entry, "back to the bundled entry", json=json)
    elif json:
        print_json(None)
    else:
        consoles.result().print(Text(f"{safe(name)}: removed"))
    return OK


def _provider(name: str) -> Provider:
    choices = [Provider.OPENROUTER.value, Provider.LOCAL.value]
    if name in choices:
        return Provider(name)
    raise RefusedError(f"there is no provider {name}: {nearest(name, choices)}")


def _tell(entry: Entry, what: str, *, json: bool) -> None:
    if json:
        print_json(model_view(entry).model_dump(mode="json"))
        return
    put_in, cached, out = _amounts(entry)
    prices = f"{put_in} in, {cached} cached, {out} out per million tokens"
    line = f"{safe(entry.model.name)}: {what} ({entry.model.provider}, {prices})"
    consoles.result().print(Text(line), soft_wrap=True)


def _table(entries: Sequence[Entry], *, width: int) -> Table:
    table = Table(box=None)
    # A name is there to be typed again, so it is never cut; on a narrow terminal the rest is.
    longest = max(len(entry.model.name) for entry in entries)
    table.add_column("model", no_wrap=True, min_width=longest)
    for column in ("input", "cached", "output"):
        table.add_column(column, no_wrap=True, justify="right", min_width=_PRICE_WIDTH)
    for column in ("where", "also called"):
        table.add_column(column, no_wrap=True)
    room = max(0, width - longest - 3 * (_PRICE_WIDTH + 2) - _WHERE_WIDTH)
    for entry in entries:
        cells = (
            safe(entry.model.name),
            *_amounts(entry),
            one_line(_where(entry), width=_WHERE_WIDTH + room // 2),
            one_line(", ".join(entry.model.aliases) or "-", width=max(12, room)),
        )
        table.add_row(*(Text(cell) for cell in cells))
    return table


def _where(entry: Entry) -> str:
    model = entry.model
    is_renamed = model.model_id not in (model.name, *model.aliases)
    served = f"{model.provider}: {model.model_id}" if is_renamed else model.provider
    return f"{served} (edited)" if entry.edited else served


def _amounts(entry: Entry) -> tuple[str, str, str]:
    """Input, cached, output. Cached input without a price costs the same as other input."""
    price = entry.model.price
    if price is None:
        return ("?", "?", "?")
    cached = price.input_micros if price.cached_micros is None else price.cached_micros
    put_in, kept, out = (
        f"${usd(micros):g}" for micros in (price.input_micros, cached, price.output_micros)
    )
    return put_in, kept, out

"""Resolves typed names to models: which provider answers each, at what price."""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import NamedTuple

from yudai.gateway.domain.models import SCRIPTED_PREFIX, Model, Price, Provider, scripted
from yudai.kit.errors import RefusedError
from yudai.kit.hints import MODELS, PRICES, keep_price, price_of
from yudai.kit.value import Value

_SUGGESTIONS = 3
_LIKENESS = 0.6
NO_PRICES: Mapping[str, Price] = {}


class Routes(Value):
    """The configured endpoints."""

    everything_local: bool = False
    """`--base-url` was given: every call goes there."""
    local: bool = False
    """OPENAI_BASE_URL is set."""
    openrouter: bool = False
    """OPENROUTER_API_KEY is set."""

    def provider(self, entry: Model | None) -> Provider:
        """Provider of a model: of its entry in the models table, or None without an entry."""
        if self.everything_local:
            return Provider.LOCAL
        listed = None if entry is None else entry.provider
        if self.local and not (self.openrouter and listed is Provider.OPENROUTER):
            return Provider.LOCAL
        return listed or Provider.OPENROUTER


class _Found(NamedTuple):
    typed: str
    entry: Model | None

    @property
    def name(self) -> str:
        return self.typed if self.entry is None else self.entry.name


class Listing:
    """The models table by name and by alias; the first one to claim an alias keeps it."""

    def __init__(self, entries: Iterable[Model]) -> None:
        self._names = {entry.name: entry for entry in entries}
        self._aliases: dict[str, Model] = {}
        for entry in self._names.values():
            for alias in entry.aliases:
                self._aliases.setdefault(alias, entry)

    def find(self, name: str) -> Model | None:
        return self._names.get(name) or self._aliases.get(name)

    def nearest(self, name: str) -> list[str]:
        """Similar names, best first, each model once."""
        spellings = {known.lower(): known for known in (*self._names, *self._aliases)}
        close = get_close_matches(name.lower(), spellings, n=2 * _SUGGESTIONS, cutoff=_LIKENESS)
        named: dict[str, str] = {}
        for spelling in (spellings[key] for key in close):
            named.setdefault(_Found(spelling, self.find(spelling)).name, spelling)
        return list(named.values())[:_SUGGESTIONS]


def resolve(
    names: Sequence[str],
    listing: Listing,
    routes: Routes,
    *,
    prices: Mapping[str, Price] = NO_PRICES,
) -> tuple[Model, ...]:
    """Each name or alias once, in order; RefusedError says what to do about a name."""
    found = [_Found(name, listing.find(name)) for name in names]
    given = _given(prices, found, listing)
    # Two spellings of one model are one contestant, and the first spelling counts.
    chosen = {item.name: item for item in reversed(found)}
    ordered = dict.fromkeys(item.name for item in found)
    return tuple(_model(chosen[name], routes, listing, given.get(name)) for name in ordered)


def _given(
    prices: Mapping[str, Price], found: Sequence[_Found], listing: Listing
) -> dict[str, Price]:
    wanted = {item.name for item in found}
    given: dict[str, Price] = {}
    for typed, price in prices.items():
        name = _Found(typed, listing.find(typed)).name
        if name not in wanted:
            raise RefusedError(
                PRICES, f" names {typed}, but no contestant uses that model", field="prices"
            )
        given[name] = price
    return given


def _model(found: _Found, routes: Routes, listing: Listing, given: Price | None) -> Model:
    if found.typed.startswith(SCRIPTED_PREFIX):
        return scripted(found.typed)
    entry, provider = found.entry, routes.provider(found.entry)
    price = given or (entry.price if entry else None)
    if price is None:
        raise _unknown(found, provider, listing)
    # A server of the person's own knows a model by what they typed, not by OpenRouter's name.
    listed_there = entry is not None and entry.provider is provider
    return Model(
        name=found.name,
        provider=provider,
        model_id=entry.model_id if entry and listed_there else found.typed,
        aliases=entry.aliases if entry else (),
        price=price,
    )


def _unknown(found: _Found, provider: Provider, listing: Listing) -> RefusedError:
    name = found.typed
    near = [] if found.entry else listing.nearest(name)
    meant = f" (did you mean {' or '.join(near)}?)" if near else ""
    if provider is Provider.LOCAL:
        return RefusedError(
            f"no price is known for {name}{meant}: give ",
            price_of(name, is_free=True),
            " if it costs nothing, else ",
            price_of(name),
            " in dollars per million tokens",
        )
    if found.entry or "/" in name:
        return RefusedError(
            f"no price is known for {name}{meant}: give ",
            price_of(name),
            " in dollars per million tokens, or keep it with ",
            keep_price(name),
        )
    return RefusedError(
        f"there is no model {name}{meant}: ",
        MODELS,
        " lists those that are known; any other needs ",
        price_of(name),
    )

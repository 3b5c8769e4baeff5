"""The models table: resolve names, list, edit; seeded from the packaged list when it is used."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from importlib.resources import files

import yaml
from pydantic import TypeAdapter

from yudai.gateway import queries as models
from yudai.gateway.domain.models import (
    MAX_NAME,
    SCRIPTED_PREFIX,
    Model,
    Price,
    Provider,
    price_in_dollars,
)
from yudai.gateway.domain.routing import NO_PRICES, Listing, Routes, resolve
from yudai.gateway.tables import ModelRow
from yudai.kit.clock import Clock
from yudai.kit.errors import ConflictError, NotFoundError, RefusedError
from yudai.kit.hints import PRICE
from yudai.kit.value import Value
from yudai.store.store import Store


class Entry(Value):
    """One line of the models table."""

    model: Model
    edited: bool
    """Whether a person added or changed it; packaged updates then skip it."""


class ModelChange(Value):
    """Changes to an entry; None: unchanged."""

    provider: Provider | None = None
    model_id: str | None = None
    aliases: tuple[str, ...] | None = None
    price: Price | None = None


@dataclass(frozen=True)
class Catalogue:
    store: Store
    clock: Clock
    routes: Routes = field(default_factory=Routes)

    async def resolve(
        self, names: Sequence[str], *, prices: Mapping[str, Price] = NO_PRICES
    ) -> tuple[Model, ...]:
        """Names and aliases as models with a price and a provider; equal ones once."""
        listing = Listing(row.value for row in await self._rows())
        return resolve(names, listing, self.routes, prices=prices)

    async def list(self) -> tuple[Entry, ...]:
        rows = await self._rows()
        entries = [Entry(model=row.value, edited=row.edited) for row in rows]
        return tuple(sorted(entries, key=lambda entry: entry.model.name))

    async def set_model(self, name: str, change: ModelChange) -> Entry:
        """Change or add an entry. Existing solves keep their prices."""
        await self._rows()
        async with self.store.change() as db:
            known = [row.value for row in await models.everything(db)]
            model = _changed(Listing(known).find(name), name, change)
            _check(model, known)
            await models.put(db, model, edited=True, at=self.clock.now())
        return Entry(model=model, edited=True)

    async def remove(self, name: str) -> Entry | None:
        """Remove an added entry, or restore a packaged one."""
        await self._rows()
        async with self.store.change() as db:
            row = await models.find(db, name)
            original = next((model for model in packaged() if model.name == row.name), None)
            if original is None:
                await models.remove(db, row.name)
                return None
            if not row.edited:
                raise ConflictError(
                    f"{row.name} is bundled and unchanged: there is nothing to remove"
                )
            await models.put(db, original, edited=False, at=self.clock.now())
            return Entry(model=original, edited=False)

    async def _rows(self) -> Sequence[ModelRow]:
        """All rows, after adding updates of the packaged list."""
        async with self.store.read() as db:
            rows = await models.everything(db)
        known = {row.name: row for row in rows}
        if not any(models.is_outdated(known, model) for model in packaged()):
            return rows
        async with self.store.change() as db:
            await models.seed(db, packaged(), at=self.clock.now())
        async with self.store.read() as db:
            return await models.everything(db)


class _Listed(Value):
    """One line of models.yaml."""

    provider: Provider = Provider.OPENROUTER
    aliases: tuple[str, ...] = ()
    input: Decimal
    output: Decimal
    cached: Decimal | None = None


@cache
def packaged() -> tuple[Model, ...]:
    """The packaged list."""
    text = (files("yudai.gateway") / "models.yaml").read_text("utf-8")
    listed = TypeAdapter(dict[str, _Listed]).validate_python(yaml.safe_load(text))
    return tuple(
        Model(
            name=name,
            provider=entry.provider,
            model_id=name,
            aliases=entry.aliases,
            price=price_in_dollars(entry.input, entry.output, entry.cached),
        )
        for name, entry in listed.items()
    )


def _changed(entry: Model | None, name: str, change: ModelChange) -> Model:
    if entry is None:
        if change.price is None:
            raise NotFoundError(
                f"there is no model {name} yet: give ",
                PRICE,
                " in dollars per million tokens to add it",
            )
        entry = _new(name)
    changes = {field: value for field, value in change if value is not None}
    return entry.model_copy(update=changes)


def _new(name: str) -> Model:
    _check_name(name)
    # OpenRouter's names have a vendor; a bare name belongs to a local server.
    provider = Provider.OPENROUTER if "/" in name else Provider.LOCAL
    return Model(name=name, provider=provider, model_id=name)


def _check(model: Model, others: Sequence[Model]) -> None:
    for name in (model.model_id, *model.aliases):
        _check_name(name)
    if model.provider is Provider.SCRIPTED:
        raise RefusedError(
            f"scripted models need no entry: name one {SCRIPTED_PREFIX}FILE; choose openrouter or"
            " local here"
        )
    for other in others:
        taken = {other.name, *other.aliases} & set(model.aliases)
        if other.name != model.name and taken:
            raise RefusedError(f"{min(taken)} means {other.name} already: choose another alias")


def _check_name(name: str) -> None:
    if not name or len(name) > MAX_NAME or not name.isprintable() or " " in name:
        raise RefusedError(
            f"{name[:80]!r} cannot name a model: give 1 to {MAX_NAME} characters without spaces"
        )
    if name.startswith(SCRIPTED_PREFIX):
        raise RefusedError(f"{name} needs no entry: its replies come from a file, at no price")

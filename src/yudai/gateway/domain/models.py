"""Models: their providers and prices."""

import re
from collections.abc import Iterable
from decimal import ROUND_CEILING, Decimal
from enum import StrEnum
from typing import NamedTuple

from pydantic import Field

from yudai.kit.errors import RefusedError
from yudai.kit.value import Value


class Usage(Value):
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    cost_micros: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost_micros=self.cost_micros + other.cost_micros,
        )


TOKENS_PER_PRICE = 1_000_000
SCRIPTED_PREFIX = "scripted/"
SCRIPT_SUFFIXES = ("", ".yaml", ".yml", ".json")
BUNDLED_SCRIPTS = "yudai-demo/"
"""The bundled scripts; a user's script cannot have one of these names."""
MAX_NAME = 300
MAX_DOLLARS = 10_000
"""Limit per million tokens: a higher price is a typing error."""

_MICROS = 1_000_000
_BUNDLED_NAME = re.compile(rf"{BUNDLED_SCRIPTS}[a-z0-9-]+")
_AMOUNT = re.compile(r"(?:[0-9]{1,5}(?:\.[0-9]{0,12})?|\.[0-9]{1,12})")


class Provider(StrEnum):
    OPENROUTER = "openrouter"
    LOCAL = "local"
    """Any OpenAI-compatible server: OPENAI_BASE_URL or --base-url."""
    SCRIPTED = "scripted"


class Price(Value):
    """Micro-dollars per million tokens."""

    input_micros: int = Field(ge=0)
    output_micros: int = Field(ge=0)
    cached_micros: int | None = Field(default=None, ge=0)
    """Price of cached input; None: the same as other input."""

    @property
    def is_free(self) -> bool:
        return not (self.input_micros or self.output_micros or self.cached_micros)

    def cost(self, usage: Usage) -> int:
        """In micro-dollars, rounded up."""
        cached = min(usage.cached_tokens, usage.input_tokens)
        cached_price = self.input_micros if self.cached_micros is None else self.cached_micros
        total = (
            (usage.input_tokens - cached) * self.input_micros
            + cached * cached_price
            + usage.output_tokens * self.output_micros
        )
        return -(-total // TOKENS_PER_PRICE)


FREE = Price(input_micros=0, output_micros=0, cached_micros=0)


class Model(Value):
    """One entry of the models table, as stored with a solve when it opens."""

    name: str = Field(min_length=1, max_length=MAX_NAME)
    """Our name for it: `openai/gpt-4.1`."""
    provider: Provider
    model_id: str = Field(min_length=1, max_length=MAX_NAME)
    """The provider's name for it."""
    aliases: tuple[str, ...] = ()
    price: Price | None = None
    """None: unknown, so that no call is allowed."""


def scripted(name: str) -> Model:
    """Replies from a file, which name their own cost if they have one."""
    return Model(name=name, provider=Provider.SCRIPTED, model_id=name, price=FREE)


class Priced(NamedTuple):
    name: str
    price: Price


def parse_price(text: str) -> Priced:
    """`MODEL=IN,OUT[,CACHED]` in dollars per million tokens.

    The last `=` divides, because a model's name may hold one and a price never does.
    """
    name, sign, amounts = text.rpartition("=")
    if not sign or not name.strip():
        raise RefusedError(f"{text!r} has no model: write MODEL=IN,OUT, as in openai/gpt-4.1=2,8")
    return Priced(name.strip(), parse_amounts(amounts))


def parse_amounts(text: str) -> Price:
    """`IN,OUT[,CACHED]` in dollars per million tokens."""
    parts = [part.strip() for part in text.split(",")]
    if len(parts) not in (2, 3) or not all(map(_AMOUNT.fullmatch, parts)):
        raise RefusedError(
            f"cannot read the price {text!r}: write IN,OUT or IN,OUT,CACHED in dollars per million"
            " tokens, as in 2,8,0.5"
        )
    return price_in_dollars(*map(Decimal, parts))


def price_in_dollars(put_in: Decimal, out: Decimal, cached: Decimal | None = None) -> Price:
    """Dollars per million tokens, rounded up to whole micro-dollars."""
    amounts = [put_in, out] + ([] if cached is None else [cached])
    if not all(0 <= amount <= MAX_DOLLARS for amount in amounts):
        raise RefusedError(f"a price is between $0 and ${MAX_DOLLARS:,} per million tokens")
    if cached is not None and cached > put_in:
        raise RefusedError(
            "cached tokens cannot cost more than uncached input: the order is IN,OUT,CACHED"
        )
    return Price(
        input_micros=_micros(put_in),
        output_micros=_micros(out),
        cached_micros=None if cached is None else _micros(cached),
    )


def _micros(dollars: Decimal) -> int:
    return int((dollars * _MICROS).to_integral_value(ROUND_CEILING))


def free_names(models: Iterable[Model]) -> frozenset[str]:
    return frozenset(model.name for model in models if model.price and model.price.is_free)


def is_script(name: str) -> bool:
    """Whether a model is a file on the calling machine. The demo's are bundled."""
    own = name.removeprefix(SCRIPTED_PREFIX)
    # A plain name and no path: `yudai-demo/../secret` would be any file.
    return own != name and _BUNDLED_NAME.fullmatch(own) is None

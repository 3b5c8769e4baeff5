"""Models with their prices: who answers a call, and what it costs."""

from enum import StrEnum

from pydantic import Field

from yudai.domain.usage import Usage
from yudai.domain.value import Value

TOKENS_PER_PRICE = 1_000_000


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
    """For input tokens that the provider had cached; None: as any other input."""

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
    """One entry of the models table, as a solve keeps it from its opening on."""

    name: str = Field(min_length=1, max_length=300)
    """What people and contestants call it: `openai/gpt-4.1`."""
    provider: Provider
    model_id: str = Field(min_length=1, max_length=300)
    """What the provider calls it."""
    aliases: tuple[str, ...] = ()
    price: Price | None = None
    """None: unknown, so that no call may be made."""


def scripted(name: str) -> Model:
    """Replies from a file, which name their own cost if they have one."""
    return Model(name=name, provider=Provider.SCRIPTED, model_id=name, price=FREE)

"""Lines of the models table as the API shows them."""

from pydantic import Field

from yudai.gateway.catalogue import Entry
from yudai.gateway.domain.models import Model, Price, Provider
from yudai.kit.money import usd
from yudai.kit.value import Value, from_attributes
from yudai.solves.domain.request import AskedPrice


class ModelPrice(Value):
    """Dollars per million tokens."""

    input_usd: float
    output_usd: float
    cached_usd: float | None = Field(description="null: the price of other input.")


class ModelView(Value):
    name: str
    provider: Provider
    model_id: str = Field(description="The provider's name for it.")
    aliases: tuple[str, ...]
    price: ModelPrice | None = Field(description="null: unknown; the model cannot be used.")
    edited: bool = Field(description="Whether a person changed it; packaged updates then skip it.")

    @property
    def model(self) -> Model:
        # Not validated: `price` refuses what is no price, in words for a person.
        price = self.price and AskedPrice.model_construct(**dict(self.price)).price
        return from_attributes(Model, self, price=price)


class ModelList(Value):
    models: tuple[ModelView, ...]


def model_view(entry: Entry) -> ModelView:
    price = entry.model.price and _in_dollars(entry.model.price)
    return from_attributes(ModelView, entry.model, price=price, edited=entry.edited)


def _in_dollars(price: Price) -> ModelPrice:
    cached = price.cached_micros
    return ModelPrice(
        input_usd=usd(price.input_micros),
        output_usd=usd(price.output_micros),
        cached_usd=None if cached is None else usd(cached),
    )

"""The table of models."""

from sqlalchemy import BigInteger, Double, String
from sqlalchemy.orm import Mapped, mapped_column

from yudai.gateway.domain.models import Model, Price, Provider
from yudai.kit.value import from_attributes
from yudai.store.columns import ValueJson, words
from yudai.store.rows import Base, Names


class ModelRow(Base, kw_only=True):
    __tablename__ = "models"

    name: Mapped[str] = mapped_column(String(300), primary_key=True)
    provider: Mapped[Provider] = mapped_column(words(Provider))
    model_id: Mapped[str] = mapped_column(String(300))
    aliases: Mapped[Names] = mapped_column(ValueJson(Names), default=())
    input_micros: Mapped[int | None] = mapped_column(BigInteger, default=None)
    """Micro-dollars per million tokens; None with output_micros: the price is unknown."""
    cached_micros: Mapped[int | None] = mapped_column(BigInteger, default=None)
    output_micros: Mapped[int | None] = mapped_column(BigInteger, default=None)
    edited: Mapped[bool] = mapped_column(default=False)
    """By a person: the packaged list never overwrites it."""
    updated_at: Mapped[float] = mapped_column(Double)

    @property
    def value(self) -> Model:
        known = self.input_micros is not None and self.output_micros is not None
        price = from_attributes(Price, self) if known else None
        return from_attributes(Model, self, price=price)

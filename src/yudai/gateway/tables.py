"""The table of models."""

from sqlalchemy import BigInteger, Double, String
from sqlalchemy.orm import Mapped, mapped_column

from yudai.gateway.domain.models import Model, Price, Provider
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
        price = Price(
            input_micros=self.input_micros or 0,
            output_micros=self.output_micros or 0,
            cached_micros=self.cached_micros,
        )
        return Model(
            name=self.name,
            provider=self.provider,
            model_id=self.model_id,
            aliases=self.aliases,
            price=price if known else None,
        )

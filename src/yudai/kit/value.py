"""The base of every value: frozen, strict, usable as argument, column and API field."""

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

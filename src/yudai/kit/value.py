"""The base of every value: frozen, strict, usable as argument, column and API field."""

from typing import TypeVar

from pydantic import BaseModel, ConfigDict


class Value(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


Shown = TypeVar("Shown", bound=Value)


def from_attributes(view: type[Shown], row: object, **computed: object) -> Shown:
    """Every field is the row's attribute of the same name, unless it is computed."""
    own = {name: getattr(row, name) for name in view.model_fields if name not in computed}
    return view.model_validate(own | computed)

"""One setting: the environment variable that it is read from, its default, what it is for."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic_settings import NoDecode


def _split(value: object) -> object:
    if isinstance(value, str):
        return tuple(word.strip() for word in value.split(",") if word.strip())
    return value


Words = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
"""With commas between them."""


def variable(name: str, default: Any, description: str, **bounds: Any) -> Any:
    """A field of the settings; `bounds` are those of pydantic's Field, such as `ge`."""
    return Field(default, validation_alias=name, description=description, **bounds)

"""Defines a setting: its environment variable, default and description."""

from typing import Annotated, Any

from pydantic import BeforeValidator, Field
from pydantic_settings import NoDecode


def _split(value: object) -> object:
    if isinstance(value, str):
        return tuple(word.strip() for word in value.split(",") if word.strip())
    return value


Words = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
"""Words separated by commas."""


def variable(name: str, default: Any, description: str, **bounds: Any) -> Any:
    """A field of the settings; `bounds` are those of pydantic's Field, such as `ge`."""
    return Field(default, validation_alias=name, description=description, **bounds)

"""Column types: values as JSON text, the words of an enumeration, text from outside."""

import json
import re
from collections.abc import Iterable
from enum import StrEnum
from functools import cache
from typing import Any, TypeVar

from pydantic import TypeAdapter
from sqlalchemy import Dialect, Enum, Text
from sqlalchemy.types import TypeDecorator

from yudai.kit.text import REPLACEMENT, clean

# An escaped backslash is consumed whole, so that `\\u0000` stays the six characters it stands for.
_ESCAPED = re.compile(r"\\(\\|u0000)")


def to_json(value: object) -> str:
    """Cleaned JSON text of plain data; TypeError for anything else."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    if "\\u0000" in text:
        text = _ESCAPED.sub(_replace_nul, text)
    return clean(text)


def _replace_nul(match: re.Match[str]) -> str:
    return match[0] if match[1] == "\\" else REPLACEMENT


T = TypeVar("T")


class ValueJson(TypeDecorator[T]):
    """A value (or a tuple or dict of them) as JSON text; None is NULL."""

    impl = Text
    cache_ok = True

    def __init__(self, value_type: type[T]) -> None:
        super().__init__()
        self.value_type = value_type

    def process_bind_param(self, value: T | None, dialect: Dialect) -> str | None:
        del dialect
        if value is None:
            return None
        return to_json(_adapter(self.value_type).dump_python(value, mode="json"))

    def process_result_value(self, value: Any | None, dialect: Dialect) -> T | None:
        del dialect
        return None if value is None else _adapter(self.value_type).validate_json(value)


class CleanText(TypeDecorator[str]):
    """Untrusted text. Characters that the database refuses become U+FFFD."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        del dialect
        return None if value is None else clean(value)


def words(enumeration: type[StrEnum]) -> Enum:
    """An enumeration stored as text, so that a new member needs no migration."""
    return Enum(enumeration, native_enum=False, length=32, values_callable=_values)


def _values(enumeration: Iterable[StrEnum]) -> list[str]:
    return [word.value for word in enumeration]


@cache
def _adapter(value_type: type[T]) -> TypeAdapter[T]:
    return TypeAdapter(value_type)

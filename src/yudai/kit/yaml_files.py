"""Reads YAML files that people write; an invalid one is an error of one line."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Annotated, Any, cast

import yaml
from pydantic import AfterValidator, BeforeValidator, Field

from yudai.kit.errors import RefusedError

MAX_BYTES = 64 << 10
MAX_COMMAND = 4000
MAX_ENTRIES = 100
DAY_S = 86_400


class _TextLoader(yaml.SafeLoader):
    """Every scalar stays text: `python: 3.10` must not become 3.1."""

    # PyYAML keeps what makes numbers and dates out of words here.
    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - PyYAML's own attribute


def read_yaml(content: bytes, *, name: str, shape: str) -> dict[object, object]:
    """Its keys and values, none for an empty file; RefusedError names the required `shape`."""
    try:
        document = yaml.load(content.decode("utf-8"), Loader=_TextLoader)  # noqa: S506 - a SafeLoader
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise RefusedError(f"{name} cannot be read: {_first_line(error)}") from None
    if document in (None, ""):
        return {}
    if not isinstance(document, dict):
        raise RefusedError(f"{name} has to {shape}")
    return cast("dict[object, object]", document)


def nearest_key(word: str, known: Iterable[str]) -> str:
    keys = list(known)
    close = get_close_matches(word, keys, n=1)
    return f"; did you mean `{close[0]}`?" if close else f"; the keys are {', '.join(keys)}"


def check_line(text: str) -> str:
    """ValueError for an invalid command."""
    if not text.strip() or len(text) > MAX_COMMAND:
        raise ValueError(f"has to have 1 to {MAX_COMMAND} characters")
    if any(char != "\n" and char != "\t" and not char.isprintable() for char in text):
        raise ValueError("contains control characters")
    return text


def _check_lines(lines: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(map(check_line, lines))


def _listed(value: object) -> object:
    if isinstance(value, str):
        return (value,) if value.strip() else ()
    return value


Lines = Annotated[
    tuple[str, ...],
    Field(max_length=MAX_ENTRIES),
    BeforeValidator(_listed),
    AfterValidator(_check_lines),
]
"""Commands or globs. One text stands for a list of one; an empty one for an empty list."""


def _first_line(error: Exception) -> str:
    problem = getattr(error, "problem", None) or str(error) or type(error).__name__
    mark = getattr(error, "problem_mark", None)
    where = "" if mark is None else f" in line {mark.line + 1}"
    return " ".join(str(problem).split())[:200] + where

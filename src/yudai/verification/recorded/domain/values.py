"""Reads recorded values from a sandbox, and compares and shows them by our own rules.

A sandbox sends only nested lists of strings, so that reading them executes no foreign code.
"""

import json
import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import NamedTuple, cast

from yudai.verification.domain.expected.literals import Literal
from yudai.verification.recorded.domain.probe import Expected, Language, Relation

_MOST_DEEP = 40
_MOST_SHOWN = 200
_MOST_DIGITS = 4_000


class Recorded(NamedTuple):
    """The result of one probe; exactly one of these fields is set."""

    value: Literal | None = None
    """A plain value."""
    error: tuple[str, ...] = ()
    """The class of the raised exception, and its base classes."""
    message: str = ""
    other: str = ""
    """The type of a value that is not plain."""
    lost: str = ""
    """Why there is no value: the probe hung or ended the process, or the value was too long."""
    equals_anything: bool = False
    """Whether it claims to equal values that we made up."""

    @property
    def is_known(self) -> bool:
        return self.value is not None or bool(self.error)


LOST = Recorded(lost="nothing was sent")


class _UnreadableError(Exception):
    pass


def read_recorded(sent: object) -> Recorded:
    """Read one record; anything in another form than our recorder's counts as lost."""
    try:
        return _recorded(_list(sent))
    except (_UnreadableError, ValueError, IndexError, OverflowError, RecursionError):
        return Recorded(lost="it cannot be read")


def _recorded(sent: list[object]) -> Recorded:
    kind = _text(sent[0])
    if kind == "raised":
        names = tuple(map(_text, _list(sent[1])))
        return Recorded(error=names, message=_text(sent[2]))
    if kind == "other":
        return Recorded(other=_text(sent[1]), equals_anything=sent[2:] == ["1"])
    if kind == "lost":
        return Recorded(lost=_text(sent[1]))
    return Recorded(value=_value(sent, 0))


def _value(sent: list[object], depth: int) -> Literal:
    if depth > _MOST_DEEP:
        raise _UnreadableError
    kind = _text(sent[0])
    if reader := _SINGLE.get(kind):
        return reader(_text(sent[1]))
    if kind in {"none", "undefined"}:
        return (kind, None)
    items = [_list(item) for item in sent[1:]]
    if kind in {"list", "tuple"}:
        return (kind, tuple(_value(item, depth + 1) for item in items))
    if kind == "set":
        return (kind, frozenset(_value(item, depth + 1) for item in items))
    if kind == "map":
        return (kind, frozenset(_pair(item, depth + 1) for item in items))
    raise _UnreadableError


def _pair(sent: list[object], depth: int) -> tuple[Literal, Literal]:
    if len(sent) != 2:
        raise _UnreadableError
    return (_value(_list(sent[0]), depth), _value(_list(sent[1]), depth))


def _integer(text: str) -> Literal:
    if len(text) > _MOST_DIGITS:
        raise _UnreadableError
    return ("number", int(text))


def _float(text: str) -> Literal:
    number = float(text)
    # NaN equals itself here, so that two answers that both give it agree.
    return ("nan", None) if math.isnan(number) else ("number", number)


def _text_value(text: str) -> Literal:
    return ("text", text)


_SINGLE: Mapping[str, Callable[[str], Literal]] = MappingProxyType(
    {
        "bool": lambda text: ("truth", text == "1"),
        "int": _integer,
        "float": _float,
        "str": _text_value,
        "bytes": lambda text: ("bytes", bytes.fromhex(text)),
        "bigint": lambda text: ("bigint", text),
    }
)


def _list(sent: object) -> list[object]:
    if not isinstance(sent, list) or not sent:
        raise _UnreadableError
    return cast("list[object]", sent)


def _text(sent: object) -> str:
    if not isinstance(sent, str):
        raise _UnreadableError
    return sent


def holds(expected: Expected, recorded: Recorded) -> bool | None:
    """Whether a record meets the test's expectation; None if that is not known."""
    if expected.relation is Relation.OPEN or recorded.lost == LOST.lost:
        return None
    if expected.relation is Relation.RAISES:
        return _raises(expected, recorded)
    if recorded.equals_anything and expected.relation is Relation.EQUAL:
        return False
    if recorded.other:
        return None
    if recorded.value is None:
        return False
    return _RELATIONS[expected.relation](recorded.value, expected.value or ("none", None))


def _raises(expected: Expected, recorded: Recorded) -> bool | None:
    if recorded.lost:
        return None
    if not recorded.error:
        return False
    return not expected.error or expected.error in recorded.error


def _is_true(value: Literal, _: Literal) -> bool:
    kind, inner = value
    return kind == "nan" or (bool(inner) and inner != "0")


def _contains(value: Literal, part: Literal) -> bool | None:
    kind, inner = value
    if kind in {"text", "bytes"} and part[0] == kind:
        return cast("str", part[1]) in cast("str", inner)
    if kind in {"list", "tuple", "set"}:
        return part in cast("tuple[Literal, ...]", inner)
    if kind == "map":
        return any(key == part for key, _ in cast("frozenset[tuple[Literal, Literal]]", inner))
    return None


_RELATIONS: Mapping[Relation, Callable[[Literal, Literal], bool | None]] = MappingProxyType(
    {
        Relation.EQUAL: lambda value, other: value == other,
        Relation.DIFFERENT: lambda value, other: value != other,
        Relation.TRUE: _is_true,
        Relation.FALSE: lambda value, other: not _is_true(value, other),
        Relation.CONTAINS: _contains,
        Relation.MEMBER: lambda value, other: _contains(other, value),
    }
)


def same(one: Recorded, other: Recorded) -> bool | None:
    """Whether two records are the same; None if that is not known.

    Two exceptions are the same, whatever their classes and messages are.
    """
    if not (one.is_known and other.is_known):
        return None
    if one.error or other.error:
        return bool(one.error) and bool(other.error)
    return one.value == other.value


def shown(recorded: Recorded, language: Language) -> str:
    """A short text of the record, as a person would write it."""
    if recorded.error:
        text = f"{recorded.error[0]}: {recorded.message}" if recorded.message else recorded.error[0]
        return _short(f"raises {text}")
    if recorded.value is not None:
        return _short(written(recorded.value, language))
    return recorded.lost or f"a {recorded.other}"


def _short(text: str) -> str:
    text = "".join(c if c.isprintable() else " " for c in text)
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


def written(value: Literal, language: Language) -> str:
    kind, inner = value
    if kind in {"none", "truth", "undefined", "nan"}:
        return _WORDS[language][kind, inner]
    if kind == "text":
        is_python = language is Language.PYTHON
        return repr(inner) if is_python else json.dumps(inner, ensure_ascii=False)
    if kind == "map":
        pairs = cast("frozenset[tuple[Literal, Literal]]", inner)
        found = sorted(f"{written(k, language)}: {written(v, language)}" for k, v in pairs)
        return f"{{{', '.join(found)}}}"
    if kind in _BRACKETS:
        items = [written(item, language) for item in cast("tuple[Literal, ...]", inner)]
        begin, end = _BRACKETS[kind]
        ordered = sorted(items) if kind == "set" else items
        comma = "," if kind == "tuple" and len(items) == 1 else ""
        return f"{begin}{', '.join(ordered)}{comma}{end}"
    return f"{inner}n" if kind == "bigint" else repr(inner)


_BRACKETS = {"list": "[]", "tuple": "()", "set": "{}"}
_WORDS: Mapping[Language, Mapping[tuple[str, object], str]] = MappingProxyType(
    {
        Language.PYTHON: {
            ("none", None): "None",
            ("truth", True): "True",
            ("truth", False): "False",
            ("undefined", None): "undefined",
            ("nan", None): "nan",
        },
        Language.NODE: {
            ("none", None): "null",
            ("truth", True): "true",
            ("truth", False): "false",
            ("undefined", None): "undefined",
            ("nan", None): "NaN",
        },
    }
)

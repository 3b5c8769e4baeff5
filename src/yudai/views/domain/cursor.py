"""Polling cursor: the last revision seen per run.

A single global sequence would skip rows, because concurrent transactions commit out of order. A run
has one writer at a time.
"""

import base64
import binascii
import zlib
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

MAX_CHARS = 16_384
_VERSION = 1
_HEAD = 5
_EPOCH_BYTES = 4
_MAX_VARINT = 9
_PER_MARK = 4
# While nothing happens, watchers send the same one again and again.
_REMEMBERED = 256


class Mark(NamedTuple):
    """The position in one run; -1 and attempt 0: nothing was seen."""

    attempt: int = 0
    rev: int = -1
    seq: int = -1
    """The last message that was sent."""
    read_rev: int = -1
    """The run's `rev` at which there was no message after that one."""


UNSEEN = Mark()


class Cursor(NamedTuple):
    epoch: int
    """The solve that the cursor belongs to."""
    rev: int = -1
    event: int = 0
    turn: int = 0
    """Index of the next run, if not all could be sent at once."""
    marks: tuple[Mark, ...] = ()
    """In the order of the runs."""


def epoch_of(solve_id: str, created_at: float) -> int:
    return zlib.crc32(f"{_VERSION} {solve_id} {created_at!r}".encode())


def encode(cursor: Cursor) -> str:
    numbers = [cursor.rev + 1, cursor.event, cursor.turn]
    for mark in cursor.marks:
        numbers += (mark.attempt, mark.rev + 1, mark.seq + 1, mark.read_rev + 1)
    head = bytes([_VERSION]) + cursor.epoch.to_bytes(_EPOCH_BYTES, "big")
    return base64.urlsafe_b64encode(head + _packed(numbers)).rstrip(b"=").decode()


def decode(text: str) -> Cursor | None:
    """None if `encode` did not write it."""
    return _decode(text) if len(text) <= MAX_CHARS and text.isascii() else None


@lru_cache(_REMEMBERED)
def _decode(text: str) -> Cursor | None:
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        numbers = list(_unpacked(packed[_HEAD:]))
    except (binascii.Error, ValueError):
        return None
    if len(packed) < _HEAD or packed[0] != _VERSION or len(numbers) % _PER_MARK != 3:
        return None
    rev, event, turn, *rest = numbers
    epoch = int.from_bytes(packed[1:_HEAD], "big")
    cursor = Cursor(epoch, rev - 1, event, turn, tuple(_marks(rest)))
    # Only the canonical spelling is accepted.
    return cursor if encode(cursor) == text else None


def _marks(numbers: Sequence[int]) -> Iterator[Mark]:
    for at in range(0, len(numbers), _PER_MARK):
        attempt, rev, seq, read_rev = numbers[at : at + _PER_MARK]
        yield Mark(attempt, rev - 1, seq - 1, read_rev - 1)


def _packed(numbers: Iterable[int]) -> bytes:
    """Seven bits per byte, the lowest first; the eighth says that there are more."""
    packed = bytearray()
    for number in numbers:
        left = number
        while left > 0x7F:
            packed.append(left & 0x7F | 0x80)
            left >>= 7
        packed.append(left)
    return bytes(packed)


def _unpacked(packed: bytes) -> Iterator[int]:
    number = shift = 0
    for byte in packed:
        number |= (byte & 0x7F) << shift
        shift += 7
        if shift > 7 * _MAX_VARINT:
            raise ValueError("a number in the cursor is too large")
        if byte < 0x80:
            yield number
            number = shift = 0
    if shift:
        raise ValueError("the cursor ends in the middle of a number")

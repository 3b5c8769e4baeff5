"""Capped output: the head and the tail are kept, the middle is counted and dropped."""

from typing import NamedTuple

_MARKER_ROOM = 64


class Captured(NamedTuple):
    output: bytes
    truncated: bool


class Capture:
    """Holds at most about one and a half times its limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        room = max(limit - _MARKER_ROOM, 0)
        self._head_room = room // 2
        self._tail_room = room - self._head_room
        self._whole = bytearray()
        self._tail = bytearray()
        self._total = 0

    def feed(self, data: bytes) -> None:
        self._total += len(data)
        fits = self._limit - len(self._whole)
        self._whole += data[:fits]
        if len(data) > fits:
            self._tail += data[max(fits, len(data) - self._tail_room) :]
        if len(self._tail) > 2 * self._tail_room:
            del self._tail[: -self._tail_room or None]

    def result(self) -> Captured:
        if self._total <= self._limit:
            return Captured(bytes(self._whole), truncated=False)
        head = bytes(self._whole[: self._head_room])
        tail = bytes((self._whole + self._tail)[-self._tail_room :]) if self._tail_room else b""
        dropped = self._total - len(head) - len(tail)
        marker = b"\n[... %d bytes dropped ...]\n" % dropped
        return Captured((head + marker + tail)[: self._limit], truncated=True)

"""Identifiers: time-ordered UUIDs (version 7), one type per thing."""

from typing import NewType
from uuid import UUID

SolveId = NewType("SolveId", str)
RunId = NewType("RunId", str)
WorkerId = NewType("WorkerId", str)
ConversationId = NewType("ConversationId", str)
MessageId = NewType("MessageId", int)

LOCAL_USER = "local"


def uuid7(*, unix_ms: int, entropy: int) -> str:
    """Build a version 7 UUID from the time and 74 random bits."""
    rand_a = (entropy >> 62) & 0xFFF
    rand_b = entropy & ((1 << 62) - 1)
    bits = (unix_ms & ((1 << 48) - 1)) << 80 | 0x7 << 76 | rand_a << 64 | 0b10 << 62 | rand_b
    return str(UUID(int=bits))


def short(identifier: str) -> str:
    """The part of an id that a person reads and types: its random end."""
    return identifier[-8:]

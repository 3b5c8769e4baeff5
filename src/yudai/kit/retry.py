"""Retries: growing pauses, and the loop around them."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator
from itertools import takewhile
from typing import TypeVar

T = TypeVar("T")
E = TypeVar("E", bound=Exception)


def growing(first_s: float, *, longest_s: float, factor: float = 2.0) -> Iterator[float]:
    """Endless pauses, each a multiple of the one before, up to the longest."""
    pause_s = first_s
    while True:
        yield pause_s
        pause_s = min(factor * pause_s, longest_s)


def grown(failures: int, first_s: float, *, longest_s: float) -> float:
    """The pause after so many failures, for callers that keep only their number."""
    return min(first_s * 2 ** max(failures - 1, 0), longest_s)


def within(seconds: float, pauses_s: Iterable[float]) -> Iterator[float]:
    """Pauses until one would end later than so many seconds from now."""
    ends_s = time.monotonic() + seconds
    return takewhile(lambda pause_s: time.monotonic() + pause_s <= ends_s, pauses_s)


async def retry(
    act: Callable[[], Awaitable[T]],
    pauses_s: Iterable[float],
    *,
    on: type[E] | tuple[type[E], ...],
    tell: Callable[[E, float], None] | None = None,
) -> T:
    """Act, and again after each pause; raises the error of the last attempt.

    Each of `pauses_s` is read when it is needed, so that it can depend on the time. `tell` gets the
    error and the pause before each retry.
    """
    pauses = iter(pauses_s)
    while True:
        try:
            return await act()
        except on as error:
            pause_s = next(pauses, None)
            if pause_s is None:
                raise
            if tell is not None:
                tell(error, pause_s)
        await asyncio.sleep(pause_s)

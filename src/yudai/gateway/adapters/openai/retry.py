"""How long and how often an endpoint is tried before a call has failed."""

import math
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import NamedTuple

from yudai.kit.retry import grown


class Patience(NamedTuple):
    attempts: int = 4
    attempt_s: float = 300.0
    """For one attempt as a whole, so that an endpoint that drips ends too."""
    connect_s: float = 15.0
    longest_wait_s: float = 60.0
    """An endpoint that asks to be left alone for longer is given up."""
    max_bytes: int = 8 << 20
    """Of one answer, after unpacking."""


def pause(failures: int, *, asked_s: float | None, dice: float) -> float:
    """Seconds until the next attempt; the dice (0 to 1) keep many callers from coming at once."""
    if asked_s is not None:
        return asked_s + dice
    return grown(failures, 1.0, longest_s=30.0) * (1 + dice) / 2


def retry_after(header: str, *, now: float) -> float | None:
    """Seconds from now, of a header that gives seconds or a date; None when it says neither."""
    try:
        seconds = float(header)
    except ValueError:
        return _until(header, now)
    return None if math.isnan(seconds) else max(0.0, seconds)


def _until(date: str, now: float) -> float | None:
    try:
        at = parsedate_to_datetime(date)
    except (ValueError, TypeError, OverflowError, IndexError):
        return None
    # A date without a zone is meant as UTC.
    return max(0.0, (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp() - now)

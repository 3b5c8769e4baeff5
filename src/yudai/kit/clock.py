"""Time and randomness arrive from outside, so that tests are exact."""

from typing import Protocol


class Clock(Protocol):
    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    def new_id(self) -> str:
        """A new time-ordered identifier."""
        ...

    def token(self) -> str:
        """Sixteen random hexadecimal digits."""
        ...

"""Time and randomness arrive from outside, so that tests are exact."""

import secrets
import time
from typing import Protocol

from yudai.kit.ids import uuid7


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


class SystemClock:
    def now(self) -> float:
        return time.time()

    def new_id(self) -> str:
        return uuid7(unix_ms=int(self.now() * 1000), entropy=secrets.randbits(74))

    def token(self) -> str:
        return secrets.token_hex(8)

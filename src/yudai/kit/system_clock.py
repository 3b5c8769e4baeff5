"""The real clock and the real dice."""

import secrets
import time

from yudai.kit.ids import uuid7


class SystemClock:
    def now(self) -> float:
        return time.time()

    def new_id(self) -> str:
        return uuid7(unix_ms=int(self.now() * 1000), entropy=secrets.randbits(74))

    def token(self) -> str:
        return secrets.token_hex(8)

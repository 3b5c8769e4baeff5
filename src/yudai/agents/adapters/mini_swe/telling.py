"""Tells each message once, in order, the moment it exists."""

from collections.abc import Callable
from itertools import count
from typing import Any

from yudai.runs.domain.progress import OnMessage, Progress
from yudai.runs.domain.trajectory.trajectory import TrajectoryMessage


class Teller:
    def __init__(self, on_message: OnMessage, *, now: Callable[[], float]) -> None:
        self._on_message = on_message
        self._now = now
        self._seq = count()

    def tell(self, body: dict[str, Any], progress: Progress) -> None:
        message = TrajectoryMessage(
            seq=next(self._seq), step=progress.steps, role=body["role"], at=self._now(), body=body
        )
        self._on_message(message, progress)

"""Log of requests, for assertions; it holds no tokens."""

import threading
from typing import Any, NamedTuple

_MAX = 10_000


class Request(NamedTuple):
    method: str
    path: str
    query: str = ""
    login: str = ""
    """Empty without a login."""
    body: Any = None
    """JSON, where it was JSON."""
    status: int = 0
    """0: there was no answer."""


class RequestLog:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._requests: list[Request] = []

    def add(self, request: Request) -> None:
        with self._lock:
            self._requests.append(request)
            del self._requests[:-_MAX]

    def clear(self) -> None:
        with self._lock:
            self._requests.clear()

    def all(self, method: str = "", path_end: str = "") -> list[Request]:
        with self._lock:
            return [
                request
                for request in self._requests
                if method in ("", request.method) and request.path.endswith(path_end)
            ]

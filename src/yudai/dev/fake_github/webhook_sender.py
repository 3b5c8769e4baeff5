"""Sends webhooks in the background, in order, and says what came back."""

import hashlib
import hmac
import threading
import time
from collections.abc import Callable
from queue import Queue

import httpx

from yudai.dev.fake_github.records import Delivery

_TIMEOUT_S = 10.0

Done = Callable[[Delivery], None]


def sign(body: bytes, secret: str) -> str:
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def headers_of(delivery: Delivery) -> dict[str, str]:
    return {
        "Content-Type": "application/json",
        "User-Agent": "GitHub-Hookshot/fake",
        "X-GitHub-Delivery": delivery.guid,
        "X-GitHub-Event": delivery.event,
        "X-GitHub-Hook-ID": "1",
        "X-Hub-Signature-256": delivery.signature,
    }


class Courier:
    """One thread, started with the first parcel."""

    def __init__(self) -> None:
        self._queue: Queue[tuple[str, Delivery, Done] | None] = Queue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._left = 0
        self._idle = threading.Condition(self._lock)

    def send(self, url: str, delivery: Delivery, done: Done) -> None:
        with self._lock:
            self._left += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="webhooks", daemon=True)
                self._thread.start()
        self._queue.put((url, delivery, done))

    def wait(self, timeout_s: float = 10.0) -> bool:
        """Until everything is delivered or refused."""
        with self._idle:
            return self._idle.wait_for(lambda: self._left == 0, timeout_s)

    def close(self) -> None:
        """What waits is dropped; what is under way ends first."""
        with self._lock:
            thread, self._thread = self._thread, None
        if thread is not None:
            while not self._queue.empty():
                self._queue.get_nowait()
            self._queue.put(None)
            thread.join(_TIMEOUT_S + 1)
        with self._idle:
            self._left = 0
            self._idle.notify_all()

    def _work(self) -> None:
        with httpx.Client(trust_env=False, timeout=_TIMEOUT_S) as client:
            while (parcel := self._queue.get()) is not None:
                url, delivery, done = parcel
                started = time.monotonic()
                delivery.status_code = _post(client, url, delivery)
                delivery.seconds = time.monotonic() - started
                done(delivery)
                with self._idle:
                    self._left -= 1
                    self._idle.notify_all()


def _post(client: httpx.Client, url: str, delivery: Delivery) -> int:
    try:
        return client.post(
            url, content=delivery.body.encode(), headers=headers_of(delivery)
        ).status_code
    except (httpx.HTTPError, httpx.InvalidURL):
        return 0

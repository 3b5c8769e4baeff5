"""Sends webhooks in the background, in order, and stores each answer's status."""

import hashlib
import hmac
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cached_property

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


class WebhookSender:
    """One thread, started with the first delivery."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="webhooks")
        self._pending: set[Future[None]] = set()

    def send(self, url: str, delivery: Delivery, done: Done) -> None:
        sending = self._pool.submit(self._send, url, delivery, done)
        self._pending = {one for one in self._pending if not one.done()} | {sending}

    def wait(self, timeout_s: float = 10.0) -> bool:
        """Until everything is delivered or refused."""
        return not wait(self._pending, timeout_s).not_done

    def close(self) -> None:
        """Drop what waits; what is under way ends first."""
        self._pool.shutdown(cancel_futures=True)
        if "_client" in self.__dict__:
            self._client.close()

    @cached_property
    def _client(self) -> httpx.Client:
        return httpx.Client(trust_env=False, timeout=_TIMEOUT_S)

    def _send(self, url: str, delivery: Delivery, done: Done) -> None:
        started = time.monotonic()
        delivery.status_code = _post(self._client, url, delivery)
        delivery.seconds = time.monotonic() - started
        done(delivery)


def _post(client: httpx.Client, url: str, delivery: Delivery) -> int:
    try:
        return client.post(
            url, content=delivery.body.encode(), headers=headers_of(delivery)
        ).status_code
    except (httpx.HTTPError, httpx.InvalidURL):
        return 0

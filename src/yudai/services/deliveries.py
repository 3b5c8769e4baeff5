"""Webhooks: signed hints that something may have changed; the forge is asked what is true."""

import hashlib
import hmac
import json
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import NamedTuple

import structlog
from pydantic import SecretStr

from yudai.domain.errors import NotFoundError, RefusedError, WorldError
from yudai.domain.forge import RepoRef, parse_target
from yudai.domain.plain import as_count, as_object, as_text
from yudai.ports.clock import Clock
from yudai.store import deliveries
from yudai.store.deliveries import KEPT_S
from yudai.store.forge_tables import DeliveryRow
from yudai.store.store import Store

log: structlog.stdlib.BoundLogger = structlog.get_logger()

MAX_TRIES = 20
_AT_ONCE = 50
_MAX_REPO = 300
_SIGNATURE = re.compile(rb"sha256=[0-9a-f]{64}")
_ID = re.compile(r"[0-9A-Za-z-]{1,100}")
# Where an event's payload has the number of what it is about.
_ABOUT: dict[str, str] = {
    "issues": "issue",
    "issue_comment": "issue",
    "pull_request": "pull_request",
    "push": "",
}
_ASKING = frozenset({"issues", "issue_comment"})

Hear = Callable[[RepoRef, int], Awaitable[object]]
Settle = Callable[[RepoRef, int | None], Awaitable[object]]


class UnsignedError(RefusedError):
    """Nobody knows who sent it."""


class Delivery(NamedTuple):
    """As it came: nothing in it is known to be true."""

    id: str
    event: str
    signature: str
    body: bytes


class _Hint(NamedTuple):
    is_asking: bool
    repo: str
    number: int | None


@dataclass(frozen=True)
class Deliveries:
    store: Store
    clock: Clock
    forge_url: str
    hear: Hear
    settle: Settle
    secret: SecretStr | None = None
    """What webhooks are signed with; None: none are taken."""

    async def take(self, delivery: Delivery) -> None:
        """Keep the hint; what came before, or is of no use to us, is taken without a word."""
        if self.secret is None:
            raise NotFoundError("this server takes no webhooks: set GITHUB_WEBHOOK_SECRET")
        # Before anything of it is read: whoever cannot sign may not make us parse.
        if not is_signed(self.secret, delivery.body, delivery.signature):
            raise UnsignedError("the signature does not fit: send X-Hub-Signature-256")
        if not _ID.fullmatch(delivery.id):
            raise RefusedError("send X-GitHub-Delivery, as the forge does")
        hint = _hint(delivery.event, delivery.body)
        if hint is None:
            return
        row = DeliveryRow(
            id=delivery.id,
            body_sha256=hashlib.sha256(delivery.body).hexdigest(),
            event=delivery.event,
            repo=hint.repo,
            number=hint.number,
            received_at=self.clock.now(),
        )
        async with self.store.change() as db:
            is_new = await deliveries.add(db, row)
        log.info("delivery.taken", id=row.id, hook=row.event, repo=row.repo, is_new=is_new)

    async def process(self) -> int:
        """A chore of the workers: harmless when two of them do it at once."""
        async with self.store.read() as db:
            rows = await deliveries.waiting(db, most_tries=MAX_TRIES, limit=_AT_ONCE)
        # Ten comments on one issue are one look at it.
        hints: defaultdict[_Hint, list[str]] = defaultdict(list)
        for row in rows:
            hints[_Hint(row.event in _ASKING, row.repo, row.number)].append(row.id)
        done = [await self._follow(hint, ids) for hint, ids in hints.items()]
        if rows:
            async with self.store.change() as db:
                await deliveries.forget(db, before=self.clock.now() - KEPT_S)
        return sum(done)

    async def _follow(self, hint: _Hint, ids: list[str]) -> bool:
        async with self.store.change() as db:
            await deliveries.try_on(db, ids)
        try:
            await self._act(hint)
        except WorldError as error:
            # The next sweep tries it again, and the poller finds it in any case.
            log.warning("delivery.not_followed", repo=hint.repo, error=str(error))
            return False
        except RefusedError as error:
            log.info("delivery.of_no_use", repo=hint.repo, error=str(error))
        async with self.store.change() as db:
            await deliveries.settle(db, ids, at=self.clock.now())
        return True

    async def _act(self, hint: _Hint) -> None:
        repo = parse_target(hint.repo, forge=self.forge_url).repo
        if not hint.is_asking:
            await self.settle(repo, hint.number)
        elif hint.number is not None:
            await self.hear(repo, hint.number)


def is_signed(secret: SecretStr, body: bytes, signature: str) -> bool:
    """Over the bytes as they came, in the same time whatever they are."""
    given = signature.encode("utf-8", "replace")
    digest = hmac.new(secret.get_secret_value().encode(), body, hashlib.sha256).hexdigest()
    right = hmac.compare_digest(f"sha256={digest}".encode(), given)
    return right and _SIGNATURE.fullmatch(given) is not None and bool(secret.get_secret_value())


def _hint(event: str, body: bytes) -> _Hint | None:
    """None: nothing that we would do anything about."""
    if event not in _ABOUT:
        return None
    try:
        told = as_object(json.loads(body))
    except (ValueError, RecursionError):
        raise RefusedError("the body is not JSON: set the webhook to application/json") from None
    repo = as_text(as_object(told.get("repository")).get("full_name"))
    subject = as_object(told.get(_ABOUT[event]))
    # A comment on a pull request asks for nothing.
    if not repo or (event in _ASKING and subject.get("pull_request") is not None):
        return None
    return _Hint(event in _ASKING, repo[:_MAX_REPO], as_count(subject.get("number")) or None)

"""Webhooks: signed hints that something may have changed. The facts are read from the forge."""

import asyncio
import hashlib
import hmac
import json
import re
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import structlog
from pydantic import SecretStr
from sqlalchemy.ext.asyncio import AsyncSession

from yudai.forge.domain.repository import RepoRef, parse_target
from yudai.kit.clock import Clock
from yudai.kit.errors import InfrastructureError, NotFoundError, RefusedError
from yudai.kit.untyped import as_count, as_object, as_text
from yudai.publishing import outcome_queries as pulls
from yudai.store.store import Store
from yudai.triggers import queries
from yudai.triggers.queries import KEPT_S
from yudai.triggers.tables import DeliveryRow

log: structlog.stdlib.BoundLogger = structlog.get_logger()

MAX_TRIES = 20
SETTLE_EVERY_S = 30.0
SETTLE_S = 60.0
# More than the repositories whose hints wait for `settle_every_s`.
_AT_ONCE = 500
_MAX_REPO = 300
_SIGNATURE = re.compile(rb"sha256=[0-9a-f]{64}")
_ID = re.compile(r"[0-9A-Za-z-]{1,100}")
# Part of an event's payload that has the issue's or pull request's number.
_ABOUT: dict[str, str] = {
    "issues": "issue",
    "issue_comment": "issue",
    "pull_request": "pull_request",
    "push": "",
}
_ASKING = frozenset({"issues", "issue_comment"})
# Actions on pull requests that we record; "" when the payload has none.
_TELLING = frozenset({"", "closed", "reopened", "ready_for_review", "converted_to_draft", "edited"})

CheckIssue = Callable[[RepoRef, int], Awaitable[object]]
Settle = Callable[[RepoRef, int | None], Awaitable[object]]


class UnsignedError(RefusedError):
    """The sender is unknown."""


class Delivery(NamedTuple):
    """A delivery as received; untrusted."""

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
    check_issue: CheckIssue
    settle: Settle
    secret: SecretStr | None = None
    """Secret that signs webhooks; None: webhooks are refused."""
    settle_every_s: float = SETTLE_EVERY_S
    """Minimum time between checks of a whole repository caused by hints."""
    settle_s: float = SETTLE_S
    """Time limit of such a check."""
    _looked: dict[str, float] = field(default_factory=dict[str, float], compare=False, repr=False)

    async def take(self, delivery: Delivery) -> None:
        """Store the hint; repeated or irrelevant deliveries are accepted and dropped."""
        if self.secret is None:
            raise NotFoundError("this server accepts no webhooks: set GITHUB_WEBHOOK_SECRET")
        # Check the signature before parsing anything.
        if not is_signed(self.secret, delivery.body, delivery.signature):
            raise UnsignedError("the signature is wrong: send X-Hub-Signature-256")
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
            is_new = await queries.add_delivery(db, row)
        log.info("delivery.taken", id=row.id, hook=row.event, repo=row.repo, is_new=is_new)

    async def process(self) -> int:
        """Process stored hints; several workers may do so at once."""
        # Ten comments on one issue are one check.
        hints: defaultdict[_Hint, list[str]] = defaultdict(list)
        async with self.store.read() as db:
            rows = await queries.waiting_deliveries(db, most_tries=MAX_TRIES, limit=_AT_ONCE)
            for row in rows:
                hints[await self._narrow(db, row)].append(row.id)
        asking = [await self._follow(*one) for one in hints.items() if one[0].is_asking]
        settled = await self._settle_all({k: v for k, v in hints.items() if not k.is_asking})
        if rows:
            async with self.store.change() as db:
                await queries.forget_deliveries(db, before=self.clock.now() - KEPT_S)
        return sum(asking) + settled

    async def _narrow(self, db: AsyncSession, row: DeliveryRow) -> _Hint:
        """Treat a foreign pull request like a push: the base branch may have moved."""
        hint = _Hint(row.event in _ASKING, row.repo, row.number)
        if hint.is_asking:
            return hint
        try:
            url = parse_target(hint.repo, forge=self.forge_url).repo.url
        except RefusedError:
            return hint
        is_ours = hint.number is not None and await pulls.is_ours(db, url, hint.number)
        return hint if is_ours else hint._replace(number=None)

    async def _settle_all(self, hints: Mapping[_Hint, list[str]]) -> int:
        """Process for at most `settle_s`, so that new requests do not wait for all hints."""
        began, done = self.clock.now(), 0
        for hint, ids in hints.items():
            if self.clock.now() - began >= self.settle_s:
                break
            if self._is_early(hint):
                # Keep one hint for later.
                await self._put_away(ids[1:])
            else:
                done += await self._settle_one(hint, ids)
        return done

    async def _settle_one(self, hint: _Hint, ids: list[str]) -> bool:
        try:
            return await self._follow(hint, ids)
        finally:
            if hint.number is None:
                # Count from the end, so that slow or failing checks leave time for others.
                self._looked[hint.repo.lower()] = self.clock.now()

    def _is_early(self, hint: _Hint) -> bool:
        """Whether the whole repository was checked recently: that is expensive."""
        last = self._looked.get(hint.repo.lower())
        if last is None or hint.number is not None:
            return False
        return 0 <= self.clock.now() - last < self.settle_every_s

    async def _follow(self, hint: _Hint, ids: list[str]) -> bool:
        async with self.store.change() as db:
            await queries.count_tries(db, ids)
        try:
            await self._act(hint)
        except (InfrastructureError, TimeoutError) as error:
            # A later round tries again, and the poller finds it in any case.
            log.warning("delivery.not_followed", repo=hint.repo, error=str(error) or "too slow")
            return False
        except RefusedError as error:
            log.info("delivery.ignored", repo=hint.repo, error=str(error))
        await self._put_away(ids)
        return True

    async def _put_away(self, ids: list[str]) -> None:
        if ids:
            async with self.store.change() as db:
                await queries.settle_deliveries(db, ids, at=self.clock.now())

    async def _act(self, hint: _Hint) -> None:
        repo = parse_target(hint.repo, forge=self.forge_url).repo
        if not hint.is_asking:
            async with asyncio.timeout(self.settle_s):
                await self.settle(repo, hint.number)
        elif hint.number is not None:
            await self.check_issue(repo, hint.number)


def is_signed(secret: SecretStr, body: bytes, signature: str) -> bool:
    """Compare the signature of the raw bytes, in constant time."""
    given = signature.encode("utf-8", "replace")
    digest = hmac.new(secret.get_secret_value().encode(), body, hashlib.sha256).hexdigest()
    right = hmac.compare_digest(f"sha256={digest}".encode(), given)
    return right and _SIGNATURE.fullmatch(given) is not None and bool(secret.get_secret_value())


def _hint(event: str, body: bytes) -> _Hint | None:
    """The delivery's hint; None when it is irrelevant."""
    if event not in _ABOUT:
        return None
    try:
        document = as_object(json.loads(body))
    except (ValueError, RecursionError):
        raise RefusedError("the body is not JSON: set the webhook to application/json") from None
    repo = as_text(as_object(document.get("repository")).get("full_name"))
    subject = as_object(document.get(_ABOUT[event]))
    # Comments on pull requests are ignored.
    if not repo or (event in _ASKING and subject.get("pull_request") is not None):
        return None
    is_telling = event != "pull_request" or as_text(document.get("action")) in _TELLING
    number = as_count(subject.get("number")) if is_telling else None
    return _Hint(event in _ASKING, repo[:_MAX_REPO], number or None)

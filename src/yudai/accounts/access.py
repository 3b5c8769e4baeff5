"""A person's rights: their present role in the repository, read with their own token."""

import asyncio
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple, NoReturn

from yudai.accounts import queries as ownership
from yudai.accounts.credentials import Keyring
from yudai.accounts.queries import Ownership
from yudai.forge.domain.repository import RepoRef, Role, parse_target
from yudai.forge.ports.login import SignedOutError
from yudai.forge.ports.remote import Credential, Repositories
from yudai.kit.clock import Clock
from yudai.kit.errors import (
    ForbiddenError,
    ForgeError,
    NotFoundError,
    RefusedError,
    UnknownCallerError,
)
from yudai.kit.ids import ConversationId, RunId, SolveId
from yudai.store.store import Store

KNOWN_S = 300.0
"""Roles are cached for this long."""
MAX_KNOWN = 20_000
MAX_LISTED = 200
_AT_ONCE = 8


class Right(StrEnum):
    READ = "read"
    RUN = "run"
    ANSWER = "answer"
    PUBLISH = "publish"
    ADMIN = "admin"


NEEDS: dict[Right, Role] = {
    Right.READ: Role.READ,
    Right.RUN: Role.TRIAGE,
    Right.ANSWER: Role.WRITE,
    Right.PUBLISH: Role.WRITE,
    Right.ADMIN: Role.ADMIN,
}
# Owners who may read the repository may also end their own solve, and answer its questions.
_OWNERS: dict[Right, Role] = NEEDS | {Right.RUN: Role.READ, Right.ANSWER: Role.READ}


class _Known(NamedTuple):
    role: Role
    until: float


@dataclass(frozen=True)
class Access:
    store: Store
    clock: Clock
    forge: Repositories
    keyring: Keyring
    _known: dict[tuple[str, str], _Known] = field(
        default_factory=dict[tuple[str, str], _Known], compare=False, repr=False
    )

    async def check_solve(self, user_id: str, solve_id: SolveId, right: Right) -> str:
        """The owner's id; NotFoundError without read access, ForbiddenError with only that."""
        async with self.store.read() as db:
            found = await ownership.of_solve(db, solve_id)
        return await self._check(user_id, found, right, name=f"solve {solve_id}")

    async def check_run(self, user_id: str, run_id: RunId, right: Right) -> str:
        async with self.store.read() as db:
            found = await ownership.of_run(db, run_id)
        return await self._check(user_id, found, right, name=f"run {run_id}")

    async def check_conversation(
        self, user_id: str, conversation_id: ConversationId, right: Right
    ) -> str:
        """The folder of a user's own conversation, or ""; its repository must be readable."""
        async with self.store.read() as db:
            found = await ownership.of_conversation(db, conversation_id)
        name = f"conversation {conversation_id}"
        if found is None or found[0].owner_id != user_id:
            _not_found(name)
        await self._check(user_id, found[0], right, name=name)
        return found[1]

    async def check_repo(self, user_id: str, repo_url: str, right: Right) -> RepoRef:
        """The repository; RefusedError when it is not at this forge."""
        repo = parse_target(repo_url, forge=self.forge.url).repo
        role = await self._role(user_id, repo)
        if role is Role.NONE:
            _not_found(f"repository {repo.full}")
        _check_role(role, NEEDS[right], repo)
        return repo

    async def visible(self, user_id: str) -> frozenset[str]:
        """Repositories of solves that the user may read now, newest first."""
        async with self.store.read() as db:
            urls = await ownership.repo_urls(db, limit=MAX_LISTED)
        turns = asyncio.Semaphore(_AT_ONCE)
        own = await self._own(user_id)
        await self._learn(user_id, urls, own)

        async def is_readable(url: str) -> bool:
            async with turns:
                try:
                    return (await self._role_at(user_id, url)).allows(Role.READ)
                except (ForgeError, SignedOutError):
                    # Unknown for the moment: do not show it.
                    return False

        async with asyncio.TaskGroup() as group:
            tasks = {url: group.create_task(is_readable(url)) for url in urls}
        return frozenset(url for url, task in tasks.items() if task.result())

    def forget(self, user_id: str) -> None:
        """Clear the user's cached roles."""
        for key in [key for key in self._known if key[0] == user_id]:
            self._known.pop(key, None)

    async def _check(
        self, user_id: str, found: Ownership | None, right: Right, *, name: str
    ) -> str:
        if found is None:
            _not_found(name)
        is_owner = found.owner_id == user_id
        if not found.repo_url:
            if not is_owner:
                _not_found(name)
            return found.owner_id
        role = await self._role_at(user_id, found.repo_url)
        if not role.allows(Role.READ):
            _not_found(name)
        needed = (_OWNERS if is_owner else NEEDS)[right]
        _check_role(role, needed, parse_target(found.repo_url, forge=self.forge.url).repo)
        return found.owner_id

    async def _role_at(self, user_id: str, repo_url: str) -> Role:
        try:
            repo = parse_target(repo_url, forge=self.forge.url).repo
        except RefusedError:
            # At another forge, about which this one knows nothing.
            return Role.NONE
        return await self._role(user_id, repo)

    async def _role(self, user_id: str, repo: RepoRef) -> Role:
        known = self._known.get((user_id, repo.url.lower()))
        if known is not None and known.until > self.clock.now():
            return known.role
        own = await self._own(user_id)
        role = await self._asked(user_id, repo, own)
        self._note(user_id, repo, role)
        return role

    async def _asked(self, user_id: str, repo: RepoRef, own: Credential) -> Role:
        try:
            return (await self.forge.repository(repo, by=own)).role
        except NotFoundError:
            return Role.NONE
        except ForbiddenError:
            await self._check_alive(user_id, own)
            return Role.NONE

    async def _check_alive(self, user_id: str, own: Credential) -> None:
        """Find out whether the forge refuses the token or only the repository."""
        try:
            await self.forge.whoami(by=own)
        except UnknownCallerError:
            await self.keyring.sign_out(user_id)
            raise SignedOutError from None
        except ForbiddenError as error:
            # From a proxy, or temporary: do not sign the user out.
            raise ForgeError(f"the forge is unavailable: {error}") from error

    async def _own(self, user_id: str) -> Credential:
        own = await self.keyring.own(user_id)
        if own is None:
            raise SignedOutError
        return own

    async def _learn(self, user_id: str, urls: Iterable[str], own: Credential) -> None:
        """Cache most roles that a list needs with one request."""
        now = self.clock.now()
        known = {key for key, one in self._known.items() if key[0] == user_id and one.until > now}
        missing = [url for url in urls if (user_id, url.lower()) not in known]
        if len(missing) < 2:
            return
        try:
            listed = await self.forge.repositories(by=own)
        except ForbiddenError:
            await self._check_alive(user_id, own)
            return
        wanted = {url.lower() for url in missing}
        for one in listed:
            if one.ref.url.lower() in wanted:
                self._note(user_id, one.ref, one.role)

    def _note(self, user_id: str, repo: RepoRef, role: Role) -> None:
        now = self.clock.now()
        if len(self._known) >= MAX_KNOWN:
            for key in [key for key, one in self._known.items() if one.until <= now]:
                del self._known[key]
            while len(self._known) >= MAX_KNOWN:
                self._known.pop(next(iter(self._known)))
        self._known[user_id, repo.url.lower()] = _Known(role, now + KNOWN_S)


def _check_role(role: Role, needed: Role, repo: RepoRef) -> None:
    if not role.allows(needed):
        raise ForbiddenError(
            f"your role in {repo.full} is {role}: this needs {needed}, ask there for it"
        )


def _not_found(name: str) -> NoReturn:
    raise NotFoundError(f"there is no {name}")

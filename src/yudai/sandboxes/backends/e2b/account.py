"""An account at E2B: its calls with our types, deadlines and errors."""

import inspect
import math
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

from e2b import AsyncSandbox, SandboxException, SandboxQuery, SandboxState

from yudai.kit.concurrency import BackgroundTasks
from yudai.sandboxes.backends.e2b.errors import AbsentError, UnreachedError, asking
from yudai.sandboxes.backends.network.addresses import PRIVATE, without_login
from yudai.sandboxes.backends.remote.cloud import (
    BaseGoneError,
    DeniedError,
    Found,
    MachineSpec,
    NoAnswerError,
)

_DOMAIN = "e2b.app"
_PER_PAGE = 100
_MARGIN_S = 5.0
_LAST_WORDS_S = 30.0
_NO_FULL_SNAPSHOTS = frozenset({400, 409})
_TAKES_KEYS = "idempotency_key" in inspect.signature(AsyncSandbox.create).parameters
_ALL = "0.0.0.0/0"
_EVERYTHING = "*"
_PORTS = frozenset({"", "80", "443"})


def egress(hosts: Sequence[str]) -> dict[str, Any]:
    """Allowed hosts as E2B's rules: those for names hold for the ports 80 and 443 only."""
    names = list(dict.fromkeys(_name(host) for host in hosts))
    if not names:
        return {"deny_out": [_ALL]}
    if _EVERYTHING in names:
        return {"deny_out": list(PRIVATE)}
    return {"allow_out": names, "deny_out": [_ALL]}


def _name(host: str) -> str:
    name, _, port = host.partition(":")
    if port not in _PORTS:
        raise DeniedError(f"{host} cannot be allowed: E2B's rules support ports 80 and 443")
    if name == _EVERYTHING and port:
        raise DeniedError(f"{host} cannot be allowed: E2B's rules open every port of all hosts")
    return name


class Address(NamedTuple):
    """Where the control plane is; None is E2B's own."""

    domain: str | None = None
    api_url: str | None = None
    sandbox_url: str | None = None


class Timings(NamedTuple):
    call_s: float = 30.0
    create_s: float = 60.0
    ready_s: float = 60.0
    """Seconds until a created machine must answer."""
    snapshot_s: float = 600.0
    look_up_s: float = 120.0
    """Seconds for finding out the result of a call whose response was lost."""


class Account:
    def __init__(self, api_key: str, address: Address, timings: Timings) -> None:
        domain = address.domain or _DOMAIN
        # Whatever is not said here, the SDK would take from the environment.
        self._options: dict[str, Any] = {
            "api_key": api_key,
            "domain": domain,
            "api_url": address.api_url or f"https://api.{domain}",
            "sandbox_url": address.sandbox_url,
            "debug": False,
            "http_version": "2",
        }
        self.timings = timings
        self.chores = BackgroundTasks(patience_s=_LAST_WORDS_S)

    async def make(self, machine_spec: MachineSpec, template: str) -> AsyncSandbox:
        try:
            return await self._make(machine_spec, template)
        except AbsentError as error:
            if not machine_spec.image:
                raise
            raise BaseGoneError(f"the prepared base is gone: {error}") from error

    async def attach(self, machine_id: str, ttl_s: float) -> AsyncSandbox:
        async with self.asking("looking up a sandbox") as options:
            return await AsyncSandbox.connect(machine_id, timeout=math.ceil(ttl_s), **options)

    async def fork(
        self, machine_id: str, count: int, ttl_s: float
    ) -> Sequence[AsyncSandbox | Exception]:
        async with self.asking("forking a sandbox", self.timings.create_s) as options:
            return await AsyncSandbox.fork(
                machine_id, timeout=math.ceil(ttl_s), count=count, **options
            )

    async def snapshot(self, machine_id: str, name: str) -> str:
        """A snapshot with memory, or of the disk alone if the account supports only that."""
        try:
            return await self._snapshot(machine_id, name)
        except NoAnswerError:
            found = [key async for key in self._snapshots(name)]
            if not found:
                raise
            return found[0]

    async def has_snapshot(self, image: str) -> bool:
        return bool([key async for key in self._snapshots(image)])

    async def remove_snapshot(self, image: str) -> bool:
        async with self.asking("removing a snapshot") as options:
            return await AsyncSandbox.delete_snapshot(image, **options)

    async def kill(self, machine_id: str) -> bool:
        try:
            return await self._kill(machine_id)
        except NoAnswerError:
            # A machine that is gone was ended by the call whose answer was lost.
            await self._kill(machine_id)
            return True

    async def find(self, tags: Mapping[str, str]) -> list[Found]:
        """List all pages, running and paused; checks the filter, as deletions depend on it."""
        query = SandboxQuery(metadata=dict(tags), state=[SandboxState.RUNNING, SandboxState.PAUSED])
        async with self.asking("listing sandboxes") as options:
            pages = AsyncSandbox.list(query=query, limit=_PER_PAGE, **options)
        found: dict[str, Found] = {}
        async for one in self._items("listing sandboxes", pages):
            key, metadata = one.sandbox_id, dict(one.metadata)
            if tags.items() <= metadata.items():
                found[key] = Found(key, metadata, one.state.value, one.started_at.timestamp())
        return list(found.values())

    async def look(self) -> None:
        """Whether the key is accepted."""
        async with self.asking("asking E2B") as options:
            await AsyncSandbox.list(limit=1, **options).next_items()

    @asynccontextmanager
    async def asking(
        self, doing: str, timeout_s: float | None = None
    ) -> AsyncGenerator[dict[str, Any]]:
        limit_s = timeout_s or self.timings.call_s
        try:
            async with asking(doing, limit_s + _MARGIN_S):
                yield {**self._options, "request_timeout": limit_s}
        except UnreachedError as error:
            at = without_login(self._options["api_url"])
            raise UnreachedError(
                f"E2B cannot be reached at {at}: check E2B_API_URL and the network"
            ) from error

    async def _make(self, machine_spec: MachineSpec, template: str) -> AsyncSandbox:
        more = {"idempotency_key": machine_spec.key} if _TAKES_KEYS else {}
        async with self.asking("creating a sandbox", self.timings.create_s) as options:
            return await AsyncSandbox.create(
                machine_spec.image or template,
                timeout=math.ceil(machine_spec.ttl_s),
                metadata=dict(machine_spec.tags),
                allow_internet_access=bool(machine_spec.hosts),
                network={**egress(machine_spec.hosts), "allow_public_traffic": False},  # pyright: ignore[reportArgumentType] - a TypedDict
                **more,
                **options,
            )

    async def _kill(self, machine_id: str) -> bool:
        async with self.asking("ending a sandbox") as options:
            return await AsyncSandbox.kill(machine_id, **options)

    async def _snapshot(self, machine_id: str, name: str) -> str:
        async with self.asking("keeping a snapshot", self.timings.snapshot_s) as options:
            try:
                kept = await AsyncSandbox.create_snapshot(machine_id, name, **options)
            except SandboxException as error:
                if error.status_code not in _NO_FULL_SNAPSHOTS:
                    raise
                kept = await AsyncSandbox.create_snapshot(
                    machine_id, name, mode="filesystem", **options
                )
        return kept.snapshot_id

    async def _snapshots(self, name: str) -> AsyncGenerator[str]:
        async with self.asking("listing snapshots") as options:
            pages = AsyncSandbox.list_snapshots(name=name, **options)
        async for one in self._items("listing snapshots", pages):
            if _bare(name) in {_bare(one.snapshot_id), *map(_bare, one.names)}:
                yield one.snapshot_id

    async def _items(self, doing: str, pages: Any) -> AsyncGenerator[Any]:
        while pages.has_next:
            async with self.asking(doing):
                items = await pages.next_items()
            for one in items:
                yield one


def _bare(name: str) -> str:
    """Without the team before it and the tag behind it."""
    return name.rpartition("/")[2].partition(":")[0]

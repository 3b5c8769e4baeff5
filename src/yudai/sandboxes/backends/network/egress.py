"""The socket of ours that a box without a network sees: a proxy's, or one that hears of names."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from yudai.kit.errors import RefusedError
from yudai.sandboxes.backends.network.dial import Ways
from yudai.sandboxes.backends.network.name_watch import NameWatch
from yudai.sandboxes.backends.network.nscd import Entry
from yudai.sandboxes.backends.network.proxy import Proxy
from yudai.sandboxes.backends.network.start_forwarder import (
    forward_by_file,
    proxy_variables,
    write_forwarder,
)
from yudai.sandboxes.domain.allowed_hosts import Allowed
from yudai.sandboxes.port import Blocked, NetworkPolicy, OnBlocked, Phase

_SOCKET = "proxy"
_REMEMBERED = 10_000


class Reach(NamedTuple):
    """For whom a box is, which says what it may reach; and what runs the forwarder in it."""

    phase: Phase
    owner: str
    python: str


class Server(Protocol):
    async def close(self) -> None: ...


class Outlet(NamedTuple):
    server: Server
    opening: str = ""
    """A line of shell that comes before each command: it ends once the way is open."""
    variables: Mapping[str, str] = {}


class Outlets:
    def __init__(self, policy: NetworkPolicy, on_blocked: OnBlocked, ways: Ways) -> None:
        """RefusedError for an entry that is no host. Doors are for agents' commands alone."""
        for phase in Phase:
            try:
                Allowed(policy.hosts(phase))
            except ValueError as error:
                setting = f"SANDBOX_{phase.value.upper()}_HOSTS"
                raise RefusedError(f"{setting}: {error}") from None
        self._policy = policy
        self._on_blocked = once(on_blocked)
        self._ways = ways

    def open(self, folder: Path, reach: Reach, *, seen_as: str, entries: Sequence[Entry]) -> Outlet:
        """Open one in a folder of the host that the box sees under another name.

        `entries` are those of the box's /etc/hosts.
        """
        if self._has_proxy(reach.phase):
            return self._proxy(folder, reach, seen_as)
        watch = NameWatch(
            folder,
            phase=reach.phase,
            owner=reach.owner,
            on_blocked=self._on_blocked,
            entries=entries,
        )
        watch.start()
        return Outlet(watch)

    def _has_proxy(self, phase: Phase) -> bool:
        """Set-up always has one, so that what it misses can be told with its port."""
        doors = phase is Phase.AGENT and self._ways.doors
        return phase is Phase.SETUP or bool(doors or self._policy.hosts(phase))

    def _proxy(self, folder: Path, reach: Reach, seen_as: str) -> Outlet:
        ways = self._ways
        if reach.phase is not Phase.AGENT:
            ways = Ways(upstream=ways.upstream, resolve=ways.resolve, bounds=ways.bounds)
        proxy = Proxy(
            folder / _SOCKET,
            hosts=self._policy.hosts(reach.phase),
            phase=reach.phase,
            owner=reach.owner,
            on_blocked=self._on_blocked,
            ways=ways,
        )
        write_forwarder(folder)
        proxy.start()
        line = forward_by_file(reach.python, seen_as, socket=f"{seen_as}/{_SOCKET}")
        return Outlet(proxy, line, proxy_variables())


def once(on_blocked: OnBlocked) -> OnBlocked:
    """Boxes of one owner may all try the same; of very many the oldest are forgotten."""
    told: dict[Blocked, None] = {}

    def tell(blocked: Blocked) -> None:
        if blocked not in told:
            told[blocked] = None
            if len(told) > _REMEMBERED:
                del told[next(iter(told))]
            on_blocked(blocked)

    return tell

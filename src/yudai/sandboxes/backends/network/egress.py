"""The socket of ours that a box without a network sees: a proxy's, or one that hears of names."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Protocol

from yudai.kit.errors import RefusedError
from yudai.sandboxes.backends.network.dial import Ways
from yudai.sandboxes.backends.network.name_watch import NameWatch
from yudai.sandboxes.backends.network.nscd import Entry
from yudai.sandboxes.backends.network.proxy import Proxy
from yudai.sandboxes.backends.network.start_forwarder import (
    SOCKET,
    forward_by_file,
    proxy_variables,
    write_forwarder,
)
from yudai.sandboxes.domain.allowed_hosts import Allowed
from yudai.sandboxes.port import Blocked, NetworkPolicy, OnBlocked, Phase

_SOCKET = Path(SOCKET).name
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
        server = make_server(
            folder,
            self._policy.hosts(reach.phase),
            phase=reach.phase,
            owner=reach.owner,
            on_blocked=self._on_blocked,
            ways=self._ways,
            entries=entries,
        )
        if isinstance(server, NameWatch):
            server.start()
            return Outlet(server)
        write_forwarder(folder)
        server.start()
        line = forward_by_file(reach.python, seen_as, socket=f"{seen_as}/{_SOCKET}")
        return Outlet(server, line, proxy_variables())


def make_server(  # noqa: PLR0913 - each is a fact of its own
    folder: Path,
    hosts: Sequence[str],
    *,
    phase: Phase,
    owner: str,
    on_blocked: OnBlocked,
    ways: Ways,
    entries: Sequence[Entry] | None = None,
) -> Proxy | NameWatch:
    """A proxy where something may be reached, in its folder; ValueError for what is no host.

    Set-up always has one, so that what it misses can be told with its port.
    """
    if phase is not Phase.AGENT:
        # Those to services of ours are for agents' commands alone.
        ways = replace(ways, doors={})
    if not (hosts or ways.doors or phase is Phase.SETUP):
        return NameWatch(folder, phase=phase, owner=owner, on_blocked=on_blocked, entries=entries)
    socket = folder / _SOCKET
    return Proxy(socket, hosts=hosts, phase=phase, owner=owner, on_blocked=on_blocked, ways=ways)


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

"""The socket that a sandbox without a network sees: the proxy's, or the name watch's."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Protocol

from yudai.kit.errors import RefusedError
from yudai.sandboxes.backends.network.dial import DialSettings
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


class EgressScope(NamedTuple):
    """A sandbox's phase and owner, which decide what it may reach, and the forwarder's Python."""

    phase: Phase
    owner: str
    python: str


class Server(Protocol):
    async def close(self) -> None: ...


class EgressSocket(NamedTuple):
    server: Server
    opening: str = ""
    """A line of shell that comes before each command: it ends once the way is open."""
    variables: Mapping[str, str] = {}


class EgressSockets:
    def __init__(self, policy: NetworkPolicy, on_blocked: OnBlocked, dialing: DialSettings) -> None:
        """RefusedError for an entry that is no host. Doors are for agents' commands alone."""
        for phase in Phase:
            try:
                Allowed(policy.hosts(phase))
            except ValueError as error:
                setting = f"SANDBOX_{phase.value.upper()}_HOSTS"
                raise RefusedError(f"{setting}: {error}") from None
        self._policy = policy
        self._on_blocked = once(on_blocked)
        self._dialing = dialing

    def open(
        self, folder: Path, scope: EgressScope, *, seen_as: str, entries: Sequence[Entry]
    ) -> EgressSocket:
        """Open one in a folder of the host that the sandbox sees under another name.

        `entries` are those of the sandbox's /etc/hosts.
        """
        server = make_server(
            folder,
            self._policy.hosts(scope.phase),
            phase=scope.phase,
            owner=scope.owner,
            on_blocked=self._on_blocked,
            dialing=self._dialing,
            entries=entries,
        )
        if isinstance(server, NameWatch):
            server.start()
            return EgressSocket(server)
        write_forwarder(folder)
        server.start()
        line = forward_by_file(scope.python, seen_as, socket=f"{seen_as}/{_SOCKET}")
        return EgressSocket(server, line, proxy_variables())


def make_server(  # noqa: PLR0913 - each is a fact of its own
    folder: Path,
    hosts: Sequence[str],
    *,
    phase: Phase,
    owner: str,
    on_blocked: OnBlocked,
    dialing: DialSettings,
    entries: Sequence[Entry] | None = None,
) -> Proxy | NameWatch:
    """Make a proxy if any host is allowed, else a name watch; ValueError for a bad host.

    Set-up always gets a proxy, so that blocked hosts are reported with their port.
    """
    if phase is not Phase.AGENT:
        # Those to services of ours are for agents' commands alone.
        dialing = replace(dialing, local_sockets={})
    if not (hosts or dialing.local_sockets or phase is Phase.SETUP):
        return NameWatch(folder, phase=phase, owner=owner, on_blocked=on_blocked, entries=entries)
    socket = folder / _SOCKET
    return Proxy(
        socket,
        hosts=hosts,
        phase=phase,
        owner=owner,
        on_blocked=on_blocked,
        dialing=dialing,
    )


def once(on_blocked: OnBlocked) -> OnBlocked:
    """Sandboxes of one owner may all try the same; of very many the oldest are forgotten."""
    told: dict[Blocked, None] = {}

    def tell(blocked: Blocked) -> None:
        if blocked not in told:
            told[blocked] = None
            if len(told) > _REMEMBERED:
                del told[next(iter(told))]
            on_blocked(blocked)

    return tell

"""The socket that a sandbox without a network sees: the proxy's, or the name watch's."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import NamedTuple

from yudai.kit.errors import RefusedError
from yudai.sandboxes.backends.network.dial import DialSettings
from yudai.sandboxes.backends.network.name_watch import Entry, NameWatch
from yudai.sandboxes.backends.network.proxy import Proxy
from yudai.sandboxes.backends.network.streams import BlockedHosts
from yudai.sandboxes.domain.allowed_hosts import Allowed
from yudai.sandboxes.port import Blocked, NetworkPolicy, OnBlocked, Phase

PORT = 3128
SOCKET = "/run/doors/proxy"
"""Path of the proxy's socket inside a container."""
FORWARDER = "forward"
_SOCKET = Path(SOCKET).name
_REMEMBERED = 10_000
_URL = f"http://127.0.0.1:{PORT}"
_URLS = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "YARN_HTTP_PROXY", "YARN_HTTPS_PROXY")
_NPM = ("npm_config_proxy", "npm_config_https_proxy")
_NO_PROXY = ("NO_PROXY", "no_proxy", "npm_config_noproxy")
_NO_SSH = (
    "echo 'yudai: git over ssh does not go through the proxy: use an https URL' >&2; exit 128; :"
)


def forward_line(python: str = "python3", *, socket: str = SOCKET) -> str:
    """A line of shell that brings the forwarder along; it ends once that listens."""
    return _line(python, "-c", _source(), socket)


def forward_by_file(python: str, folder: str, *, socket: str) -> str:
    """The same with the file of `write_forwarder`: short, because shells quote a failing line.

    A command still runs if the forwarder does not start, and says so.
    """
    line = _line(python, f"{folder}/{FORWARDER}", socket)
    return f"{line} </dev/null || echo 'yudai: the proxy cannot be reached' >&2;"


def write_forwarder(folder: Path) -> None:
    file = folder / FORWARDER
    file.write_text(_source())
    file.chmod(0o644)


def proxy_variables() -> dict[str, str]:
    """Proxy variables for the different programs; git cannot use a proxy for ssh."""
    names = [*_URLS, *(name.lower() for name in _URLS if not name.startswith("YARN_")), *_NPM]
    return {
        **dict.fromkeys(names, _URL),
        **dict.fromkeys(_NO_PROXY, ""),
        "GIT_SSH_COMMAND": _NO_SSH,
        "GIT_SSH_VARIANT": "ssh",
        "NODE_USE_ENV_PROXY": "1",
    }


def _line(python: str, *words: str) -> str:
    return shlex.join([python, "-I", "-S", *words, str(PORT)])


def _source() -> str:
    return (resources.files("yudai.sandboxes.backends.network") / "forwarder.py").read_text()


class EgressScope(NamedTuple):
    """A sandbox's phase and owner, which decide what it may reach, and the forwarder's Python."""

    phase: Phase
    owner: str
    python: str


class EgressSocket(NamedTuple):
    server: Proxy | NameWatch
    opening: str = ""
    """A shell line before each command, which returns once the forwarder listens."""
    variables: Mapping[str, str] = {}


class EgressSockets:
    def __init__(self, policy: NetworkPolicy, on_blocked: OnBlocked, dialing: DialSettings) -> None:
        """RefusedError for an invalid host."""
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
        hosts = self._policy.hosts(scope.phase)
        blocked = BlockedHosts(scope.phase, scope.owner, self._on_blocked)
        server = make_server(folder, hosts, blocked, dialing=self._dialing, entries=entries)
        if isinstance(server, NameWatch):
            server.start()
            return EgressSocket(server)
        write_forwarder(folder)
        server.start()
        line = forward_by_file(scope.python, seen_as, socket=f"{seen_as}/{_SOCKET}")
        return EgressSocket(server, line, proxy_variables())


def make_server(
    folder: Path,
    hosts: Sequence[str],
    blocked: BlockedHosts,
    *,
    dialing: DialSettings,
    entries: Sequence[Entry] | None = None,
) -> Proxy | NameWatch:
    """Make a proxy if any host is allowed, else a name watch; ValueError for a bad host.

    Set-up always gets a proxy, so that blocked hosts are reported with their port.
    """
    if blocked.phase is not Phase.AGENT:
        # Sockets of our own services are for agents' commands alone.
        dialing = replace(dialing, local_sockets={})
    if not (hosts or dialing.local_sockets or blocked.phase is Phase.SETUP):
        return NameWatch(folder, blocked, entries=entries)
    return Proxy(folder / _SOCKET, hosts=hosts, blocked=blocked, dialing=dialing)


def once(on_blocked: OnBlocked) -> OnBlocked:
    """Sandboxes of one owner may all try the same; of very many the oldest are forgotten."""
    reported: dict[Blocked, None] = {}

    def tell(blocked: Blocked) -> None:
        if blocked not in reported:
            reported[blocked] = None
            if len(reported) > _REMEMBERED:
                del reported[next(iter(reported))]
            on_blocked(blocked)

    return tell

"""Connects to a host by name: checks the list, resolves it, checks each address, then connects."""

import asyncio
import base64
import ssl
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from yudai.sandboxes.backends.network.addresses import Address, Resolve, Resolver, is_own, is_public
from yudai.sandboxes.backends.network.http import (
    MAX_HEAD,
    AnswerError,
    Fields,
    Place,
    read_head,
    status_of,
)
from yudai.sandboxes.backends.network.streams import ENDLESS, Patience, Stream
from yudai.sandboxes.domain.allowed_hosts import USUAL_PORTS, Allowed, Permission, canonical, split
from yudai.sandboxes.port import Phase

_CONNECT_S = 30.0
_PORTS = {"http": 80, "https": 443}
_YES = range(200, 300)


@dataclass(frozen=True)
class Via:
    """An upstream proxy of this machine."""

    host: str
    port: int
    tls: bool = False
    credential: str = field(default="", repr=False)

    @property
    def fields(self) -> Fields:
        if not self.credential:
            return ()
        word = base64.b64encode(self.credential.encode()).decode()
        return (("Proxy-Authorization", f"Basic {word}"),)


@dataclass(frozen=True)
class Upstream:
    """The proxies that this machine needs, if any. Their credentials never enter a sandbox."""

    plain: Via | None = None
    """The proxy for http."""
    tunnels: Via | None = None
    direct: tuple[str, ...] = ()
    """Hosts that need no proxy: `host`, `.domain`, either with `:port`, networks, `*`."""

    def via(self, place: Place, *, tunnel: bool) -> Via | None:
        via = self.tunnels if tunnel else self.plain
        return None if via is None or self._is_direct(place) else via

    def _is_direct(self, place: Place) -> bool:
        # Loopback addresses never go through a proxy.
        if place.host == "localhost" or place.host.endswith(".localhost"):
            return True
        return _is_loopback(place.host) or any(_matches(word, place) for word in self.direct)


DIRECT = Upstream()


def upstream_of(environ: Mapping[str, str]) -> Upstream:
    """Read from the usual environment variables; only HTTP proxies are used."""
    either = _variable(environ, "all_proxy")
    words = _variable(environ, "no_proxy").replace(",", " ").split()
    return Upstream(
        plain=_via(_variable(environ, "http_proxy") or either),
        tunnels=_via(_variable(environ, "https_proxy") or either),
        direct=tuple(word.lower() for word in words),
    )


async def connect(via: Via) -> Stream:
    context = ssl.create_default_context() if via.tls else None
    return Stream(*await asyncio.open_connection(via.host, via.port, ssl=context, limit=MAX_HEAD))


async def open_tunnel(via: Via, place: Place) -> Stream:
    line = await connect(via)
    try:
        fields = (("Host", place.authority), *via.fields)
        text = "".join(f"{name}: {value}\r\n" for name, value in fields)
        await line.send(f"CONNECT {place.authority} HTTP/1.1\r\n{text}\r\n".encode("latin-1"))
        status = status_of(await read_head(line.reader))
    except BaseException:
        line.cut()
        raise
    if status not in _YES:
        line.cut()
        raise AnswerError(502, f"the proxy of this machine says {status} to {place.authority}")
    return line


def _variable(environ: Mapping[str, str], name: str) -> str:
    return environ.get(name) or environ.get(name.upper()) or ""


def _via(url: str) -> Via | None:
    parts = urlsplit(url if "://" in url else f"http://{url}")
    try:
        host, port = canonical(parts.hostname or ""), parts.port
    except ValueError:
        return None
    if parts.scheme not in _PORTS:
        return None
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    return Via(
        host,
        port or _PORTS[parts.scheme],
        tls=parts.scheme == "https",
        credential=f"{user}:{password}" if user or password else "",
    )


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _matches(word: str, place: Place) -> bool:
    if word == "*":
        return True
    try:
        return ip_address(place.host) in ip_network(word, strict=False)
    except ValueError:
        pass
    try:
        host, port = split(word)
    except ValueError:
        return False
    name = host.removeprefix("*").removeprefix(".")
    return port in (None, place.port) and (place.host == name or place.host.endswith(f".{name}"))


@dataclass(frozen=True)
class Bounds:
    connections: int = 256
    """Concurrent connections; further ones are refused."""
    head_s: float = 15.0
    """Seconds for a whole head."""
    patience: Patience = field(default_factory=Patience)


@dataclass(frozen=True)
class DialSettings:
    """Settings and limits for connecting to hosts."""

    upstream: Upstream = DIRECT
    local_sockets: Mapping[str, Path] = field(default_factory=dict[str, Path])
    """Names that lead to our own Unix sockets instead of hosts; they need no permission."""
    resolve: Resolve | None = None
    bounds: Bounds = field(default_factory=Bounds)


class DialedHost(NamedTuple):
    line: Stream
    via: Via | None = None
    """The proxy at its other end, which needs the full URL of the request."""
    patience: Patience | None = None
    """None: that of every line."""


class Dialer:
    def __init__(self, hosts: Sequence[str], phase: Phase, dialing: DialSettings) -> None:
        self._allowed = Allowed(hosts)
        self._phase = phase
        self._dialing = dialing
        self._resolver = Resolver()
        self._resolve = dialing.resolve or self._resolver

    def close(self) -> None:
        self._resolver.close()

    def is_listed(self, place: Place) -> bool:
        """Also where no port is known; an odd spelling of an address is on no list."""
        try:
            host = canonical(place.host)
        except ValueError:
            return False
        return self._allowed.permission(host, place.port or USUAL_PORTS[-1]) is not Permission.NONE

    async def dial(self, place: Place, *, tunnel: bool) -> DialedHost:
        """AnswerError if it is unreachable or not allowed."""
        local_socket = self._dialing.local_sockets.get(place.host)
        try:
            if local_socket is not None:
                line = Stream(*await asyncio.open_unix_connection(local_socket, limit=MAX_HEAD))
                # Our own service enforces its deadline itself, and a model may take long.
                return DialedHost(line, patience=ENDLESS)
            via = self._dialing.upstream.via(place, tunnel=tunnel)
            addresses = await self._addresses(place, is_needed=via is None)
            async with asyncio.timeout(_CONNECT_S):
                if via is None:
                    return DialedHost(await _connect(addresses, place.port))
                if tunnel:
                    return DialedHost(await open_tunnel(via, place))
                return DialedHost(await connect(via), via)
        except (OSError, EOFError):
            raise AnswerError(502, f"{place.authority} cannot be reached") from None

    async def _addresses(self, place: Place, *, is_needed: bool) -> Sequence[Address]:
        """Those that were checked and may be connected to.

        Behind another proxy a name may not be known here at all; then that proxy resolves it.
        """
        permission = self._allowed.permission(place.host, place.port)
        if permission is Permission.NONE:
            raise self._refusal(place, "it is not on its list")
        try:
            found = await self._look_up(place)
        except OSError:
            if is_needed:
                raise AnswerError(502, f"{place.host} cannot be found") from None
            return ()
        usable = [one for one in found if self._may_use(one, place.port, permission)]
        if found and not usable:
            why = "its address is private, so the list must have its name with the port"
            raise self._refusal(place, why)
        return usable

    async def _look_up(self, place: Place) -> Sequence[Address]:
        try:
            return [ip_address(place.host)]
        except ValueError:
            return await self._resolve(place.host, place.port)

    def _may_use(self, address: Address, port: int, permission: Permission) -> bool:
        own = self._allowed.permission(str(address), port)
        if Permission.ANY in (permission, own):
            return True
        return is_public(address) and not is_own(address)

    def _refusal(self, place: Place, why: str) -> AnswerError:
        setting = f"SANDBOX_{self._phase.value.upper()}_HOSTS"
        text = f"{place.authority} is not allowed, see {setting}: {why}"
        return AnswerError(403, text, blocked=place)


async def _connect(addresses: Sequence[Address], port: int) -> Stream:
    error = OSError("there is no address")
    for address in addresses:
        try:
            return Stream(*await asyncio.open_connection(str(address), port, limit=MAX_HEAD))
        except OSError as failed:
            error = failed
    raise error

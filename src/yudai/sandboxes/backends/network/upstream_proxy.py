"""The proxy that this machine itself needs, if any: its credentials stay here."""

import asyncio
import base64
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field
from ipaddress import ip_address, ip_network
from urllib.parse import unquote, urlsplit

from yudai.sandboxes.backends.network.http import (
    MAX_HEAD,
    AnswerError,
    Fields,
    Place,
    read_head,
    status_of,
)
from yudai.sandboxes.backends.network.streams import Stream
from yudai.sandboxes.domain.allowed_hosts import canonical, split

_PORTS = {"http": 80, "https": 443}
_YES = range(200, 300)


@dataclass(frozen=True)
class Via:
    """A proxy of the machine's surroundings."""

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
    plain: Via | None = None
    """For http."""
    tunnels: Via | None = None
    direct: tuple[str, ...] = ()
    """Hosts that are reached without: `host`, `.domain`, either with `:port`, networks, `*`."""

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
    """As an environment names it in the usual variables; only HTTP proxies are used."""
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

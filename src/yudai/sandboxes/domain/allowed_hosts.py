"""Parses and matches lists of allowed hosts, without using the network."""

import re
from collections.abc import Iterable
from enum import IntEnum
from ipaddress import IPv6Address, ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

USUAL_PORTS = (80, 443)
_MAX_PORT = 65535
_MAX_NAME = 253
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\Z")
# Resolvers take 127.1 and 0x7f000001 for addresses: whatever ends in a number is one, or nothing.
_NUMBER = re.compile(r"(?:\d+|0x[0-9a-f]*)\Z")
_FORMS = "write `host`, `*.domain`, either with `:port`, or `*`"


class Permission(IntEnum):
    """What a list of allowed hosts permits."""

    NONE = 0
    PUBLIC = 1
    """Allowed, unless its address is private."""
    ANY = 2
    """Also private addresses: the list names this exact host and port."""


class Rule(NamedTuple):
    host: str
    """A name, an address, or "" for every host."""
    port: int | None = None
    """None: 80 and 443, or any port if every host is allowed."""
    below: bool = False
    """Whether it means the names below it, but not itself."""

    def permission(self, host: str, port: int) -> Permission:
        if not (self._covers(host) and self._opens(port)):
            return Permission.NONE
        is_named = not self.below and self.host != ""
        is_certain = self.port is not None or _is_address(self.host)
        return Permission.ANY if is_named and is_certain else Permission.PUBLIC

    def _covers(self, host: str) -> bool:
        if self.below:
            return host.endswith(f".{self.host}") and not _is_address(host)
        return self.host in ("", host)

    def _opens(self, port: int) -> bool:
        if self.port is None:
            return not self.host or port in USUAL_PORTS
        return port == self.port


class Allowed:
    def __init__(self, entries: Iterable[str]) -> None:
        """ValueError for an invalid host."""
        self._rules = tuple(map(parse, entries))

    def permission(self, host: str, port: int) -> Permission:
        """Match a host in the form of `canonical`."""
        return max((rule.permission(host, port) for rule in self._rules), default=Permission.NONE)


def parse(entry: str) -> Rule:
    """One entry of a list; ValueError with a line that says what to write instead."""
    text = " ".join(entry.split())
    if "/" in text:
        host = urlsplit(text).hostname if "://" in text else ""
        hint = f"write the host alone: `{host}`" if host else _FORMS
        raise ValueError(f"`{text}` is not a host: {hint}")
    try:
        host, port = split(text)
        if host == "*":
            return Rule("", port)
        if host.startswith("*."):
            return Rule(_name(host.removeprefix("*.")), port, below=True)
        return Rule(canonical(host), port)
    except ValueError:
        raise ValueError(f"`{text}` is not a host: {_FORMS}") from None


def split(text: str) -> tuple[str, int | None]:
    """Host and port of an authority. An IPv6 address with a port needs brackets."""
    if text.startswith("["):
        host, bracket, rest = text[1:].partition("]")
        if not bracket or (rest and not rest.startswith(":")) or ":" not in host:
            raise ValueError("brackets are for IPv6 addresses")
        return host, _port(rest[1:]) if rest else None
    if text.count(":") > 1:
        return text, None
    host, colon, port = text.partition(":")
    return host, _port(port) if colon else None


def canonical(host: str) -> str:
    """The canonical form of a name or an address; ValueError if it is neither."""
    try:
        address = ip_address(host)
    except ValueError:
        return _name(host)
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            raise ValueError("an address with a zone works on this machine only")
        address = address.ipv4_mapped or address
    return str(address)


def authority(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _name(host: str) -> str:
    name = host.lower() if host.isascii() else host.encode("idna").decode("ascii").lower()
    name = name.removesuffix(".")
    labels = name.split(".")
    if len(name) > _MAX_NAME or not all(map(_LABEL.match, labels)) or _NUMBER.match(labels[-1]):
        raise ValueError("neither a host name nor an address in its usual form")
    return name


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _port(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 0 < int(text[:9]) <= _MAX_PORT):
        raise ValueError("not a port")
    return int(text)

"""Which addresses are public, which are private, and the lookup of a name's addresses."""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from urllib.parse import urlsplit

Address = IPv4Address | IPv6Address
Resolve = Callable[[str, int], Awaitable[Sequence[Address]]]
"""Raises OSError when there is none."""

PRIVATE = (
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    # The metadata service of one cloud, at a public address.
    "168.63.129.16/32",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "224.0.0.0/4",
    "240.0.0.0/4",
)
"""IPv4 networks that are not public, in the form that providers' network rules take."""

_THREADS = 4
_SECONDS = 15.0
_NAT64 = ip_network("64:ff9b::/96")
# Networks that are reserved by newer lists than Python's, and tunnels that carry another address.
_RESERVED = ("192.88.99.0/24", "2001::/23", "2002::/16", "3fff::/20", "5f00::/16", "fec0::/10")
_CLOSED = tuple(map(ip_network, (*PRIVATE, *_RESERVED)))


def is_public(address: Address) -> bool:
    """Whether it is global: not private, loopback, link-local, metadata or multicast."""
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped
        if inner is None and address in _NAT64:
            inner = IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return is_public(inner)
    if address.is_multicast or address.is_reserved or address.is_unspecified:
        return False
    return address.is_global and not any(address in network for network in _CLOSED)


def is_own(address: Address) -> bool:
    """Whether it is one of this machine's, private or not; nothing is sent to find out."""
    family = socket.AF_INET if isinstance(address, IPv4Address) else socket.AF_INET6
    with socket.socket(family, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect((str(address), 9))
            return ip_address(probe.getsockname()[0].partition("%")[0]) == address
        except OSError:
            return False


def without_login(url: str) -> str:
    """Scheme, host and port alone: the URL may contain a password."""
    scheme, host, *_ = urlsplit(url)
    return f"{scheme}://{host.rpartition('@')[2]}"


class Resolver:
    """Asks the host's resolver in its own threads: a slow name does not delay others."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="yudai-names")

    async def __call__(self, host: str, port: int) -> Sequence[Address]:
        ask = partial(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
        async with asyncio.timeout(_SECONDS):
            found = await asyncio.get_running_loop().run_in_executor(self._threads, ask)
        addresses = (ip_address(str(entry[4][0])) for entry in found)
        return list(dict.fromkeys(addresses))

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

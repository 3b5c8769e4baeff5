"""Rate limits: per user, or per address without a login."""

import ipaddress
import math
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from limits import RateLimitItem, RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import FixedWindowRateLimiter
from starlette.requests import Request

from yudai.api.errors import ApiError, Code
from yudai.kit.clock import Clock

if TYPE_CHECKING:
    from yudai.api.dependencies import Service

LOGINS_PER_MINUTE = 30
DEVICES_PER_MINUTE = 10
POLLS_PER_MINUTE = 60
_IPV6_PREFIX = 64
_MAX_HOPS = 20

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


class Limiter:
    """Counts per process: each server has its own limit."""

    def __init__(self, clock: Clock, *, per_minute: int) -> None:
        self._clock = clock
        self._general = RateLimitItemPerMinute(per_minute)
        self._strict = {
            "login": RateLimitItemPerMinute(min(per_minute, LOGINS_PER_MINUTE)),
            "device": RateLimitItemPerMinute(min(per_minute, DEVICES_PER_MINUTE)),
            "poll": RateLimitItemPerMinute(min(per_minute, POLLS_PER_MINUTE)),
        }
        self._window = FixedWindowRateLimiter(MemoryStorage())

    async def user(self, user_id: str) -> None:
        await self._count(self._general, "user", user_id)

    async def address(self, request: Request, kind: str = "") -> None:
        """Count a request of an address; `kind` names a stricter limit."""
        item = self._strict[kind] if kind else self._general
        settings = cast("Service", request.app.state.service).settings
        trusted = _networks(settings.trusted_proxies)
        await self._count(item, kind or "address", address_of(request, trusted))

    async def _count(self, item: RateLimitItem, *names: str) -> None:
        if await self._window.hit(item, *names):
            return
        reset_at = (await self._window.get_window_stats(item, *names)).reset_time
        wait_s = min(60, max(1, math.ceil(reset_at - self._clock.now())))
        raise ApiError(
            Code.TOO_MANY_REQUESTS,
            f"at most {item.amount} a minute: wait {wait_s} s",
            headers={"Retry-After": str(wait_s)},
        )


def address_of(request: Request, trusted: Collection[Network] = ()) -> str:
    """The client's address, for IPv6 its network: a machine can have many addresses.

    Clients can put anything into X-Forwarded-For, so it is read from the right, where each proxy
    adds its caller, up to the first address that is not a trusted proxy.
    """
    host = request.client.host if request.client else ""
    address = _address(host)
    if address is None:
        return host
    for hop in _hops(request):
        if hop is None or not any(address in network for network in trusted):
            break
        address = hop
    if address.version == 4:
        return str(address)
    return str(ipaddress.ip_network((address, _IPV6_PREFIX), strict=False))


def _hops(request: Request) -> Iterator[Address | None]:
    """Hops, nearest first; None is no address, and hops beyond it are not trusted."""
    forwarded = ",".join(request.headers.getlist("x-forwarded-for")).split(",")
    return (_address(_without_port(text.strip())) for text in reversed(forwarded[-_MAX_HOPS:]))


def _without_port(text: str) -> str:
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text.partition(":")[0] if text.count(":") == 1 else text


def _address(text: str) -> Address | None:
    try:
        address = ipaddress.ip_address(text.partition("%")[0])
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return mapped or address


@lru_cache(maxsize=8)
def _networks(words: tuple[str, ...]) -> tuple[Network, ...]:
    return tuple(map(ipaddress.ip_network, words))

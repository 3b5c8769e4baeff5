"""How often somebody may ask: a user by who they are, anybody else by their address."""

import ipaddress
import math

from limits import RateLimitItem, RateLimitItemPerMinute
from limits.aio.storage import MemoryStorage
from limits.aio.strategies import FixedWindowRateLimiter
from starlette.requests import Request

from yudai.api.errors import ApiError, Code
from yudai.ports.clock import Clock

LOGINS_PER_MINUTE = 30
DEVICES_PER_MINUTE = 10
POLLS_PER_MINUTE = 60
_IPV6_PREFIX = 64


class Limiter:
    """Counts in this process: several servers allow their number of times as much."""

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
        """`kind` is one of those that are allowed less."""
        item = self._strict[kind] if kind else self._general
        await self._count(item, kind or "address", address_of(request))

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


def address_of(request: Request) -> str:
    """Of IPv6 the network: one machine has as many addresses as it likes."""
    host = request.client.host if request.client else ""
    try:
        address = ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        return host
    if address.version == 4 or address.ipv4_mapped:
        return str(address)
    return str(ipaddress.ip_network((address, _IPV6_PREFIX), strict=False))

"""Which hosts a sandbox may reach, as E2B's rules say it."""

from collections.abc import Sequence
from typing import Any

from yudai.sandboxes.backends.network.addresses import PRIVATE
from yudai.sandboxes.backends.remote.cloud import DeniedError

_ALL = "0.0.0.0/0"
_EVERYTHING = "*"
_PORTS = frozenset({"", "80", "443"})


def egress(hosts: Sequence[str]) -> dict[str, Any]:
    """Its rules about names have no ports: they hold for 80 and 443, and for no other."""
    names = list(dict.fromkeys(_name(host) for host in hosts))
    if not names:
        return {"deny_out": [_ALL]}
    if _EVERYTHING in names:
        return {"deny_out": list(PRIVATE)}
    return {"allow_out": names, "deny_out": [_ALL]}


def _name(host: str) -> str:
    name, _, port = host.partition(":")
    if port not in _PORTS:
        raise DeniedError(f"{host} cannot be allowed: E2B's rules know the ports 80 and 443 alone")
    if name == _EVERYTHING and port:
        raise DeniedError(f"{host} cannot be allowed: E2B's rules open every port of all hosts")
    return name

"""What Prime is asked for: sizes, a lifetime, labels and network rules out of an order."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from prime_sandboxes import CreateSandboxRequest
from prime_sandboxes.models import validate_egress_lists

from yudai.sandboxes.backends.network.remote_addresses import PRIVATE
from yudai.sandboxes.backends.remote.cloud import DeniedError, Order

_GIB = 1 << 30
_IMAGE_GB = 2
"""The disk holds the image too, which no limit of ours counts."""
_MARGIN_MINUTES = 2
_LONGEST_MINUTES = 24 * 60
_LONGEST_LABEL = 100
_LONGEST_NAME = 60
_ANYWHERE = "*"


class Egress(NamedTuple):
    """One of them is None; an empty list of what is allowed closes everything."""

    allow: list[str] | None
    deny: list[str] | None


def request(order: Order, image: str) -> CreateSandboxRequest:
    limits, rules = order.limits, egress(order.hosts)
    minutes = min(_minutes(limits.lifetime_s) + _MARGIN_MINUTES, _LONGEST_MINUTES)
    return CreateSandboxRequest(
        name=order.key[:_LONGEST_NAME],
        docker_image=None if order.image else image,
        checkpoint_id=order.image or None,
        cpu_cores=max(1, math.ceil(limits.processors)),
        memory_gb=max(1, math.ceil(limits.memory_bytes / _GIB)),
        disk_size_gb=None if order.image else math.ceil(limits.disk_bytes / _GIB) + _IMAGE_GB,
        timeout_minutes=minutes,
        # Its lifetime cannot be extended, but every command starts this clock anew.
        idle_timeout_minutes=min(_minutes(order.ttl_s), minutes),
        labels=labels(order.tags),
        network_allowlist=rules.allow,
        network_denylist=rules.deny,
        idempotency_key=order.key,
    )


def egress(hosts: Sequence[str]) -> Egress:
    """DeniedError: Prime knows no such rule."""
    if _ANYWHERE in hosts:
        return Egress(None, list(PRIVATE))
    try:
        validate_egress_lists(list(hosts), None)
    except ValueError as error:
        raise DeniedError(f"Prime cannot keep to this network policy: {error}") from error
    return Egress(list(hosts), None)


def labels(tags: Mapping[str, str]) -> list[str]:
    return [label(name, value) for name, value in tags.items() if value]


def label(name: str, value: str) -> str:
    return f"{name}={value}"[:_LONGEST_LABEL]


def tags(labels: Sequence[str]) -> dict[str, str]:
    """Somebody else's labels may be anything."""
    return {name: value for name, is_ours, value in map(_parts, labels) if is_ours}


def _parts(text: str) -> tuple[str, str, str]:
    return text.partition("=")


def _minutes(seconds: float) -> int:
    return max(1, math.ceil(seconds / 60))

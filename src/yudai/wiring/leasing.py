"""The lease of a process that runs flows."""

import os

from yudai.adapters.clock import SystemClock
from yudai.adapters.engines.liveness import host_name
from yudai.domain.ids import WorkerId
from yudai.services.leases import Lease, Terms
from yudai.store.store import Store
from yudai.store.workers import Holder


def make_lease(store: Store, *, durable: bool, terms: Terms | None = None) -> Lease:
    clock = SystemClock()
    holder = Holder(id=WorkerId(clock.new_id()), host=host_name(), pid=os.getpid(), durable=durable)
    return Lease(store, clock, holder, terms=terms)

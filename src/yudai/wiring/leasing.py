"""The lease of a process that runs flows."""

import os

from yudai.engine.adapters.host_processes import host_name
from yudai.engine.leases import Lease, Terms
from yudai.engine.queries import Holder
from yudai.kit.ids import WorkerId
from yudai.kit.system_clock import SystemClock
from yudai.store.store import Store


def make_lease(store: Store, *, durable: bool, terms: Terms | None = None) -> Lease:
    clock = SystemClock()
    holder = Holder(id=WorkerId(clock.new_id()), host=host_name(), pid=os.getpid(), durable=durable)
    return Lease(store, clock, holder, terms=terms)

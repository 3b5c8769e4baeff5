"""The context of most use cases: database, stored artifacts and clock."""

from dataclasses import dataclass

from yudai.artifacts.port import Artifacts
from yudai.kit.clock import Clock
from yudai.store.store import Store


@dataclass(frozen=True)
class Context:
    store: Store
    artifacts: Artifacts
    clock: Clock

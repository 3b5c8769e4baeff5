"""What most use cases work with: the database, the stored artifacts and the time."""

from dataclasses import dataclass

from yudai.artifacts.port import Artifacts
from yudai.kit.clock import Clock
from yudai.store.store import Store


@dataclass(frozen=True)
class Context:
    store: Store
    artifacts: Artifacts
    clock: Clock

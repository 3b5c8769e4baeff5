"""Hosts that a solve's sandboxes were refused."""

from yudai.kit.ids import RunId
from yudai.kit.value import Value


class BlockedEntry(Value):
    """What a sandbox tried to reach and may not."""

    run_id: RunId | None
    """null: of the solve itself, as in its set-up."""
    phase: str
    host: str | None
    """Hostile text. null: more were blocked than are told."""
    port: int | None
    """null: its name was looked up, and nothing else."""

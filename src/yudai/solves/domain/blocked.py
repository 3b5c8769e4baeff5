"""Blocked network requests of a solve's sandboxes."""

from yudai.kit.ids import RunId
from yudai.kit.value import Value


class BlockedEntry(Value):
    """A host that a sandbox tried to reach but may not."""

    run_id: RunId | None
    """null: the solve itself, for example its set-up."""
    phase: str
    host: str | None
    """Untrusted text. null: more hosts were blocked than are listed."""
    port: int | None
    """null: only its name was looked up."""

"""Records what a prepared base contains, where only root can change it."""

import json
from collections.abc import Sequence
from pathlib import Path

from yudai.sandboxes.backends.warden import state
from yudai.sandboxes.backends.warden.give import ENV, WORKSPACE, close, give
from yudai.sandboxes.backends.warden.protocol import RECORD
from yudai.sandboxes.backends.workspace import manifest
from yudai.sandboxes.backends.workspace.manifest import Entry, Manifest
from yudai.sandboxes.backends.workspace.worktree import Stamp, stamps

_FACTS = state.SEALED / "base.json"
KNOWN = state.SEALED / "known.json"


def run(_: Sequence[str]) -> int:
    """`seal`: after the record is written, and before any agent has come."""
    with state.turn():
        agent = state.Agent.load()
        give(agent, WORKSPACE)
        close(agent, ENV)
        sealed = manifest.read(Path(RECORD), Path(WORKSPACE))
        words = {
            "tracked": sealed.tracked,
            "leftovers": sorted(sealed.leftovers),
            "ignore": sealed.ignore,
            "stamps": stamps(Path(WORKSPACE)),
        }
        state.write(_FACTS, json.dumps(words).encode())
        KNOWN.unlink(missing_ok=True)
    state.speak("seal", {"files": len(sealed.tracked)})
    return 0


def load() -> tuple[Manifest, dict[str, Stamp]]:
    words = json.loads(_FACTS.read_bytes())
    sealed = Manifest(
        {path: Entry(*entry) for path, entry in words["tracked"].items()},
        frozenset(words["leftovers"]),
        words["ignore"],
    )
    return sealed, {path: Stamp(*stamp) for path, stamp in words["stamps"].items()}

"""Writing down what a prepared base is, where nobody but root can change it."""

import json
from collections.abc import Sequence
from pathlib import Path

from yudai.adapters.sandboxes import manifest
from yudai.adapters.sandboxes.manifest import Entry, Facts
from yudai.adapters.sandboxes.remote import warden_state as state
from yudai.adapters.sandboxes.remote.warden_give import ENV, WORKSPACE, close, give
from yudai.adapters.sandboxes.remote.warden_protocol import RECORD
from yudai.adapters.sandboxes.worktree import Stamp, stamps

_FACTS = state.SEALED / "base.json"
KNOWN = state.SEALED / "known.json"


def run(_: Sequence[str]) -> int:
    """`seal`: after the record is written, and before any agent has come."""
    with state.turn():
        agent = state.Agent.load()
        give(agent, WORKSPACE)
        close(agent, ENV)
        facts = manifest.read(Path(RECORD), Path(WORKSPACE))
        words = {
            "tracked": facts.tracked,
            "leftovers": sorted(facts.leftovers),
            "ignore": facts.ignore,
            "stamps": stamps(Path(WORKSPACE)),
        }
        state.write(_FACTS, json.dumps(words).encode())
        KNOWN.unlink(missing_ok=True)
    state.speak("seal", {"files": len(facts.tracked)})
    return 0


def load() -> tuple[Facts, dict[str, Stamp]]:
    words = json.loads(_FACTS.read_bytes())
    facts = Facts(
        {path: Entry(*entry) for path, entry in words["tracked"].items()},
        frozenset(words["leftovers"]),
        words["ignore"],
    )
    return facts, {path: Stamp(*stamp) for path, stamp in words["stamps"].items()}

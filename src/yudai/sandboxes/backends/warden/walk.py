"""What the workspace changed, as its own files say."""

import json
import os
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from yudai.sandboxes.backends.warden import state
from yudai.sandboxes.backends.warden.give import WORKSPACE
from yudai.sandboxes.backends.warden.protocol import MAX_CHANGES
from yudai.sandboxes.backends.warden.seal import KNOWN, load
from yudai.sandboxes.backends.workspace.worktree import Change, Stamp, Worktree


def run(words: Sequence[str]) -> int:
    """`walk NAME`: reports path -> [mode, oid, size], or null for a removed file."""
    with state.turn():
        manifest, pristine = load()
        before = _load_known()
        tree = Worktree(Path(WORKSPACE), manifest, pristine=pristine, known=before)
        with _as_agent(state.Agent.load()):
            changes = tree.changes()
        if tree.known != before:
            _save_known(tree.known)
    text = json.dumps({path: _record(change) for path, change in changes.items()}).encode()
    if len(text) > MAX_CHANGES:
        state.speak(words[0], {"refused": f"{len(changes)} files were changed: too many to report"})
    else:
        state.speak(words[0], {}, text)
    return 0


def _record(change: Change) -> list[Any] | None:
    return None if change.entry is None else [*change.entry, change.size]


@contextmanager
def _as_agent(agent: state.Agent) -> Generator[None]:
    """As the agent's user, so that we see only what git will see."""
    if not agent.separate:
        yield
        return
    os.setegid(agent.gid)
    os.seteuid(agent.uid)
    try:
        yield
    finally:
        os.seteuid(0)
        os.setegid(0)


def _load_known() -> dict[Stamp, str]:
    with suppress(OSError, ValueError):
        return {Stamp(*stamp): oid for stamp, oid in json.loads(KNOWN.read_bytes())}
    return {}


def _save_known(known: Mapping[Stamp, str]) -> None:
    """Only saves time, so a full disk is no error."""
    with suppress(OSError):
        state.write(KNOWN, json.dumps(list(known.items())).encode())

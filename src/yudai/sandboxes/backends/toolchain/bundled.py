"""Programs that come with us, and those that need another name or an argument: small scripts."""

import hashlib
import shlex
from pathlib import Path
from tempfile import mkdtemp

import uv

from yudai.sandboxes.backends.toolchain.toolchain import Toolchain
from yudai.sandboxes.backends.trees import remove_tree


def furnish(toolchain: Toolchain, store: Path) -> Toolchain:
    """Write its scripts, unless they are there; what comes back knows where they are."""
    if not toolchain.scripts:
        return toolchain
    name = hashlib.sha256(repr(toolchain.scripts).encode()).hexdigest()[:16]
    folder = store / name
    if not folder.exists():
        store.mkdir(mode=0o700, parents=True, exist_ok=True)
        draft = Path(mkdtemp(prefix=".new-", dir=store))
        for script, words in toolchain.scripts:
            (draft / script).write_text(f'#!/bin/sh\nexec {shlex.join(words)} "$@"\n')
            (draft / script).chmod(0o755)
        draft.chmod(0o755)
        try:
            draft.rename(folder)
        except OSError:
            # Another process was faster.
            remove_tree(draft)
    return toolchain._replace(tools=folder)


def own_uv() -> Path | None:
    """A dependency of ours, but Yudai may have been installed without it."""
    try:
        return Path(uv.find_uv_bin())
    except FileNotFoundError:
        return None

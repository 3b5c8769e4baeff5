"""A workspace's patch, made by git in the sandbox with nothing of the agent's to steer it."""

import os
import shlex
from collections.abc import Mapping
from pathlib import PurePath
from typing import NamedTuple

from yudai.kit.causes import Cause
from yudai.kit.errors import SandboxError
from yudai.sandboxes.backends.commands import Commands
from yudai.sandboxes.backends.environment import GIT_ALONE
from yudai.sandboxes.backends.shell_script import package_script
from yudai.sandboxes.backends.workspace.worktree import Change

MAX_PATCH = 32 << 20
_MAX_CONTENT = 200 << 20
_TIMEOUT_S = 300.0


class Places(NamedTuple):
    """Where git finds things, as the sandbox's commands name them."""

    git: str | PurePath
    workspace: str | PurePath
    scratch: str | PurePath


async def take_patch(sandbox: Commands, changes: Mapping[str, Change], places: Places) -> str:
    """The patch as text; bytes that are not UTF-8 are kept as lone surrogates (surrogateescape)."""
    if not changes:
        return ""
    if sum(change.size for change in changes.values()) > _MAX_CONTENT:
        raise _refused("the changed files are too big for a patch")
    removed = [path for path, change in changes.items() if change.entry is None]
    kept = [path for path, change in changes.items() if change.entry is not None]
    names = {
        "GIT_DIR": str(places.git),
        "GIT_WORK_TREE": str(places.workspace),
        "SCRATCH": str(places.scratch),
    }
    result = await sandbox.exec(
        f"set -- {shlex.join(removed)}\n{package_script('workspace_patch.sh')}",
        env=GIT_ALONE | names,
        timeout_s=_TIMEOUT_S,
        max_output=MAX_PATCH,
        stdin=b"".join(os.fsencode(path) + b"\0" for path in kept),
    )
    if result.truncated:
        raise _refused(f"the patch is longer than {MAX_PATCH} bytes")
    if result.exit_code != 0:
        raise _refused(f"git made no patch of it: {result.text[-2000:]}")
    return result.output.decode("utf-8", "surrogateescape")


def _refused(message: str) -> SandboxError:
    return SandboxError(message, cause=Cause.PATCH_REFUSED)

"""Sets who owns the machine's folders: the agent may write there, or only read."""

import os
import stat
from collections.abc import Callable, Sequence
from contextlib import suppress

from yudai.sandboxes.backends.warden import state
from yudai.sandboxes.backends.warden.state import Agent

WORKSPACE = "/workspace"
ENV = "/env"
_DONE = "give"

Act = Callable[[str, int, os.stat_result], None]
"""Takes a name in an open folder."""


def run(_: Sequence[str]) -> int:
    """`give`: all that root has put into the workspace and /env becomes the agent's."""
    with state.turn():
        give(Agent.load(), WORKSPACE, ENV)
    state.speak(_DONE, {})
    return 0


def give(agent: Agent, *folders: str) -> None:
    def act(name: str, folder: int, status: os.stat_result) -> None:
        # A hard link may be in any folder, also in one that is not the agent's.
        is_here = stat.S_ISDIR(status.st_mode) or status.st_nlink == 1
        if is_here and (status.st_uid, status.st_gid) != (agent.uid, agent.gid):
            os.chown(name, agent.uid, agent.gid, dir_fd=folder, follow_symlinks=False)

    if agent.separate:
        for folder in folders:
            _everywhere(folder, act)


def close(agent: Agent, folder: str) -> None:
    """From now on the agent can only read there."""

    def act(name: str, above: int, status: os.stat_result) -> None:
        if status.st_uid != agent.uid:
            return
        os.chown(name, 0, agent.gid, dir_fd=above, follow_symlinks=False)
        if not stat.S_ISLNK(status.st_mode):
            mode = stat.S_IMODE(status.st_mode)
            mode = mode & 0o755 | (mode & 0o500) >> 3
            os.chmod(name, mode, dir_fd=above)

    if agent.separate:
        _everywhere(folder, act)


def _everywhere(top: str, act: Act) -> None:
    """A folder and all below it; a link in its place is not followed, nor any below."""
    if stat.S_ISLNK(os.lstat(top).st_mode):
        return
    with suppress(OSError):
        _act(act, top, -1)
    for _, folders, files, descriptor in os.fwalk(top, onerror=None):
        for name in (*folders, *files):
            with suppress(OSError):
                _act(act, name, descriptor)


def _act(act: Act, name: str, folder: int) -> None:
    directory = folder if folder >= 0 else os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        act(name, directory, os.stat(name, dir_fd=directory, follow_symlinks=False))
    finally:
        if folder < 0:
            os.close(directory)

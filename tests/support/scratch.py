"""Where tests keep their files: in memory, when this host has room for them.

ext4 looks at each inode that was removed in the last seconds before it makes a new file, and tests
make and remove files all the time: a third of the suite's system time went there. `make test-real`
sets TMPDIR, so that its tests see a real disk.
"""

import os
from collections.abc import MutableMapping
from contextlib import suppress
from pathlib import Path

MEMORY = Path("/dev/shm")  # noqa: S108 - a folder of ours alone is made in it
ROOM = 6 << 30


def use_memory(variables: MutableMapping[str, str], memory: Path = MEMORY) -> None:
    """Set TMPDIR, unless it is set; workers and whatever tests start inherit it."""
    if "TMPDIR" in variables or not _has_room(memory):
        return
    folder = memory / f"yudai-{os.getuid()}"
    with suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        if folder.stat(follow_symlinks=False).st_uid == os.getuid():
            variables["TMPDIR"] = str(folder)


def _has_room(memory: Path) -> bool:
    try:
        stat = os.statvfs(memory)
    except OSError:
        return False
    return stat.f_bavail * stat.f_frsize >= ROOM and not stat.f_flag & os.ST_NOEXEC

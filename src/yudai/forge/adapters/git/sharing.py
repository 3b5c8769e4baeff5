"""File modes of a repository that several users share, as git sets them."""

import stat
from pathlib import Path

_NAMED = {
    **dict.fromkeys(("group", "true", "1"), 0o660),
    **dict.fromkeys(("all", "world", "everybody", "2"), 0o664),
}


def share(path: Path, shared: str) -> None:
    """Widen a new file's or folder's mode by what `core.sharedRepository` says."""
    wanted = _NAMED.get(shared.lower(), 0)
    if not wanted:
        return
    mode = path.lstat().st_mode
    if not mode & stat.S_IWUSR:
        wanted &= 0o444
    if stat.S_ISDIR(mode):
        wanted |= (wanted & 0o444) >> 2 | stat.S_ISGID
    path.chmod(stat.S_IMODE(mode) | wanted)

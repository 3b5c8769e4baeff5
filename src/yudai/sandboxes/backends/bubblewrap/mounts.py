"""The command line of bubblewrap: as which user commands run, and which files they see.

Commands never run as the host's root where that can be avoided.
"""

import os
import posixpath
from pathlib import Path
from typing import NamedTuple

from yudai.sandboxes.backends.bubblewrap.etc import Etc
from yudai.sandboxes.backends.environment import variables
from yudai.sandboxes.backends.network.name_watch import FOLDER as NSCD
from yudai.sandboxes.backends.toolchain.toolchain import Toolchain
from yudai.sandboxes.port import ENV, WORKSPACE, SandboxLimits

CONTROL = "/run/yudai"
SCRATCH = "/dev/shm/.yudai"  # noqa: S108 - inside the sandbox
GIT = "/run/git"
TOOLS = "/run/tools"

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_HOME = "/tmp/home"  # noqa: S108 - a path inside the sandbox
_MAY_HOLD_TOKENS = ("pip.conf", "npmrc", "etc/npmrc", "etc/pip.conf", "etc/gitconfig")
_IN_NAMESPACE = 1000
_FOR_ROOT = 58123
"""A user id that no system assigns; the sandboxes' files belong to it."""
_APART = (
    *("--unshare-ipc", "--unshare-net", "--unshare-pid", "--unshare-uts"),
    "--unshare-cgroup-try",
)
_BECOMING = (
    # Twice as quick as setpriv, for it looks up no names.
    ("chroot", f"--userspec=+{_FOR_ROOT}:+{_FOR_ROOT}", "--groups=", "/"),
    ("setpriv", f"--reuid={_FOR_ROOT}", f"--regid={_FOR_ROOT}", "--clear-groups", "--"),
)


class Identity(NamedTuple):
    uid: int
    """The user's name inside the sandbox."""
    host_uid: int
    """The host's id of the user, which owns the writable files of a sandbox."""
    args: tuple[str, ...]
    """Bubblewrap's options for it: all namespaces are its own."""
    owned: tuple[str, ...]
    """Mounts that would be this user's own, and so are made read-only."""
    before: tuple[str, ...] = ()
    """A command line that becomes this user and then runs what follows."""
    how: str = ""

    @property
    def is_hosts_root(self) -> bool:
        return self.host_uid == 0

    @property
    def outlives_us(self) -> bool:
        """Whether a sandbox survives the death of our process."""
        return bool(self.before)

    def give(self, *folders: Path) -> None:
        """Make our folders writable for the sandbox."""
        if self.host_uid != os.getuid():
            for folder in folders:
                os.chown(folder, self.host_uid, self.host_uid)


def ladder() -> list[Identity]:
    """Variants to try, the safest first."""
    # In a user namespace root stays root to the host: the owner of /dev's nodes and /proc/sys.
    others = [_another_user(tool) for tool in _BECOMING] if os.getuid() == 0 else []
    return [*others, _in_namespace(closed=True), _in_namespace(closed=False)]


def _in_namespace(*, closed: bool) -> Identity:
    me = str(_IN_NAMESPACE)
    args = [*_APART, "--unshare-user", "--uid", me, "--gid", me, "--cap-drop", "ALL"]
    how = "own user namespace"
    if closed:
        args.append("--disable-userns")
    else:
        how += ", in which further ones can be created"
    owned = ("/dev", "/proc", "/")
    return Identity(_IN_NAMESPACE, os.getuid(), tuple(args), owned=owned, how=how)


def _another_user(becoming: tuple[str, ...]) -> Identity:
    caps = ("CAP_SETUID", "CAP_SETGID", "CAP_SYS_CHROOT")
    return Identity(
        _FOR_ROOT,
        _FOR_ROOT,
        args=(
            *_APART,
            *("--cap-drop", "ALL", *(word for cap in caps for word in ("--cap-add", cap))),
        ),
        owned=(),
        before=becoming,
        how=f"user {_FOR_ROOT} without capabilities",
    )


class Features(NamedTuple):
    """The features of bubblewrap that work on this host."""

    bwrap: str
    identity: Identity
    overlay: bool


def overlay(lower: Path, upper: Path, work: Path) -> tuple[str, ...]:
    return ("--overlay-src", str(lower), "--overlay", str(upper), str(work), WORKSPACE)


def writable(folder: Path, target: str = WORKSPACE) -> tuple[str, ...]:
    return ("--bind", str(folder), target)


def readable(source: Path, target: str) -> tuple[str, ...]:
    return ("--ro-bind", str(source), target)


class Frame(NamedTuple):
    """The command line of all sandboxes of one base, without what differs per sandbox."""

    head: tuple[str, ...]
    programs: tuple[str, ...]
    """After each sandbox's own mounts, for these may lie below them: a sandbox's /tmp, say."""
    tail: tuple[str, ...]

    def argv(
        self, control: Path, workspace: tuple[str, ...], ulimits: tuple[str, ...]
    ) -> list[str]:
        own = (*readable(control, CONTROL), *workspace)
        return [*self.head, *own, *self.programs, *self.tail, *ulimits]


def frame(
    features: Features,
    etc: Etc,
    *,
    toolchain: Toolchain,
    limits: SandboxLimits,
    shell: str,
    empty: Path,
) -> Frame:
    """`shell` runs commands; `empty` is a file to show in place of others."""
    identity = features.identity
    head = (
        features.bwrap,
        *identity.args,
        *("--die-with-parent", "--new-session", "--hostname", "sandbox"),
        *("--clearenv", *_setenv(toolchain)),
        *_system(),
        *_private(limits),
        *readable(etc.folder, "/etc"),
        *(word for source, target in etc.shared for word in readable(source, target)),
    )
    programs = (*_programs(toolchain), *_hidden(toolchain, empty))
    tail = (
        *(word for mount in identity.owned for word in ("--remount-ro", mount)),
        *("--chdir", "/", "--as-pid-1", "--"),
        *(*identity.before, f"{CONTROL}/sh", f"{CONTROL}/runner", shell),
    )
    return Frame(head, programs, tail)


def _setenv(toolchain: Toolchain) -> list[str]:
    path = [f"{ENV}/bin"] if toolchain.env else []
    path += [TOOLS] if toolchain.tools else []
    words = variables(
        home=_HOME,
        path=(*path, *map(str, toolchain.path)),
        env=ENV if toolchain.env else None,
        virtual=toolchain.virtual,
    )
    return [word for name, value in words.items() for word in ("--setenv", name, value)]


def _system() -> list[str]:
    """Programs and libraries; on a merged /usr the old names are links."""
    args: list[str] = []
    for folder in map(Path, _SYSTEM):
        if folder.is_symlink():
            args += ["--symlink", str(folder.readlink()), str(folder)]
        elif folder.is_dir():
            args += readable(folder, str(folder))
    return args


def _private(limits: SandboxLimits) -> list[str]:
    """Files in memory count as memory, so keep their limit well below it."""
    half = str(min(limits.disk_bytes, limits.memory_bytes // 2))
    eighth = str(limits.memory_bytes // 8)
    return [
        *("--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", eighth),
        *("--tmpfs", "/dev/shm", "--perms", "1777", "--size", half, "--tmpfs", "/tmp"),  # noqa: S108 - inside the sandbox
        *("--perms", "1777", "--dir", _HOME, "--dir", "/run", "--dir", "/var"),
        *("--symlink", "/tmp", "/var/tmp"),  # noqa: S108 - inside the sandbox
        # Where glibc asks first when it looks up a name; there is a socket if the name watch runs.
        *("--dir", posixpath.dirname(NSCD), "--symlink", CONTROL, NSCD),
    ]


def _programs(toolchain: Toolchain) -> list[str]:
    """A host's environment at its own path too: its scripts name their interpreter by it."""
    args: list[str] = []
    for source, place in _shown(toolchain):
        args += [*_open_way(place), *readable(source, str(place))]
    for target, place in toolchain.links:
        args += [*_open_way(place), "--symlink", str(target), str(place)]
    if toolchain.tools:
        args += readable(toolchain.tools, TOOLS)
    if toolchain.env and toolchain.made:
        bind = readable if toolchain.closed else writable
        return [*args, *bind(toolchain.env, ENV)]
    return [*args, "--symlink", str(toolchain.env), ENV] if toolchain.env else args


def _shown(toolchain: Toolchain) -> list[tuple[Path, Path]]:
    own = toolchain.env if not toolchain.made else None
    return [*toolchain.binds, *([(own, own)] if own else [])]


def _hidden(toolchain: Toolchain, empty: Path) -> list[str]:
    """Settings of package managers next to the programs."""
    folders = [(Path(p), Path(p)) for p in ("/usr", "/usr/local")] + _shown(toolchain)
    args: list[str] = []
    for source, place in folders:
        for name in _MAY_HOLD_TOKENS:
            if (source / name).is_file() and not (source / name).is_symlink():
                args += readable(empty, str(place / name))
    return args


def _open_way(place: Path) -> list[str]:
    """Create the folders above it: those that bubblewrap creates itself are closed to the user."""
    above = [str(folder) for folder in reversed(place.parents[:-1])]
    return [word for folder in above for word in ("--dir", folder)]

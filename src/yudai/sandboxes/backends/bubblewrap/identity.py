"""Who a sandbox's commands are to the kernel: never the host's root where that can be helped."""

import os
from pathlib import Path
from typing import NamedTuple

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
    """As commands see it."""
    host_uid: int
    """As the host sees it: owner of what a sandbox may write."""
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
        """Whether the kernel lets a sandbox live on when our process dies."""
        return bool(self.before)

    def give(self, *folders: Path) -> None:
        """Let a sandbox write in folders that we have made."""
        if self.host_uid != os.getuid():
            for folder in folders:
                os.chown(folder, self.host_uid, self.host_uid)


def ladder() -> list[Identity]:
    """What to try, the safest first."""
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
        how += ", in which further ones can be made"
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

"""Podman's own filter of system calls, made as strict as docker's is, and a little stricter.

It lets a container have user namespaces of its own, the kernel's keys, mounts in them and sockets
that no network namespace keeps in. No build or test needs these.
"""

from typing import Any

from yudai.kit.untyped import Object, as_items, as_object

_ALLOW, _ERRNO = "SCMP_ACT_ALLOW", "SCMP_ACT_ERRNO"
_EPERM, _ENOSYS = 1, 38
_NEW_USER_NAMESPACE = 0x10000000
_VIRTUAL_MACHINES = 40
"""A family of sockets: it leads from this machine, if it is a virtual one, to what runs it."""
_DENIED = (
    *("add_key", "keyctl", "request_key"),
    *("bpf", "userfaultfd", "perf_event_open", "name_to_handle_at", "open_by_handle_at"),
    *("mount", "umount", "umount2", "pivot_root", "setns", "kexec_load", "kexec_file_load"),
    *("fsconfig", "fsmount", "fsopen", "fspick", "mount_setattr", "move_mount", "open_tree"),
)
# Libraries do without: no filter sees the work of the first, the flags of clone3, or what is below
# socketcall.
_ABSENT = ("io_uring_setup", "io_uring_enter", "io_uring_register", "clone3", "socketcall")
_LIMITED = ("clone", "unshare", "socket")
_OURS = frozenset((*_DENIED, *_ABSENT, *_LIMITED))


def stricter(profile: Object) -> Object | None:
    """The same without what we deny; None when it is not a list of what is allowed."""
    if profile.get("defaultAction") != _ERRNO:
        return None
    kept = [_without_ours(as_object(rule)) for rule in as_items(profile.get("syscalls"))]
    return {**profile, "syscalls": [*(rule for rule in kept if rule["names"]), *_rules()]}


def _without_ours(rule: Object) -> Object:
    return {**rule, "names": [n for n in as_items(rule.get("names")) if n not in _OURS]}


def _rules() -> list[Object]:
    no_namespace = _argument("SCMP_CMP_MASKED_EQ", _NEW_USER_NAMESPACE)
    return [
        {"names": list(_DENIED), "action": _ERRNO, "errnoRet": _EPERM},
        {"names": list(_ABSENT), "action": _ERRNO, "errnoRet": _ENOSYS},
        {"names": ["clone", "unshare"], "action": _ALLOW, "args": [no_namespace]},
        *(
            {"names": ["socket"], "action": _ALLOW, "args": [_argument(way, _VIRTUAL_MACHINES)]}
            for way in ("SCMP_CMP_LT", "SCMP_CMP_GT")
        ),
    ]


def _argument(way: str, value: int) -> dict[str, Any]:
    return {"index": 0, "value": value, "valueTwo": 0, "op": way}

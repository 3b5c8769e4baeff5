"""The first process of a fake VM: starts what it is told, buries everybody, ends with its line.

Given to `python -c`, so it stands alone. Each message has open files: the request, stdin, stdout,
stderr, and one for news of the process: {"pid": N} or {"error": TEXT}, then {"exit": N}.
"""

import grp
import json
import os
import pwd
import select
import signal
import socket
import sys
from contextlib import suppress

FILES = 5
IS_ROOT = os.getuid() == 0


def main() -> None:
    line = socket.socket(fileno=int(sys.argv[1]))
    line.set_inheritable(False)
    news: dict[int, int] = {}
    waker, wake = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(waker, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    while True:
        ready, _, _ = select.select([line, waker], [], [])
        if waker in ready:
            with suppress(BlockingIOError):
                os.read(waker, 4096)
            reap_children(news)
        if line in ready:
            said, files, _, _ = socket.recv_fds(line, 16, FILES, socket.MSG_CMSG_CLOEXEC)
            if not said:
                os._exit(0)
            answer(files, news)


def answer(files: list[int], news: dict[int, int]) -> None:
    request_file, *streams, told = files
    with open(request_file, encoding="utf-8", errors="surrogateescape") as file:  # noqa: PTH123 - a descriptor
        file.seek(0)
        request = json.load(file)
    if "signal" in request:
        tell(told, {"sent": request["pid"] in news and send(request["pid"], request["signal"])})
        os.close(told)
    else:
        try:
            pid = start(request, streams)
        except (OSError, KeyError) as error:
            tell(told, {"error": str(error)})
            os.close(told)
        else:
            news[pid] = told
            tell(told, {"pid": pid})
    for stream in streams:
        os.close(stream)


def send(pid: int, number: int) -> bool:
    with suppress(ProcessLookupError):
        os.killpg(pid, number)
        return True
    return False


def start(request: dict, streams: list[int]) -> int:
    user = who(request["user"])
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            become(request, streams, user)
        except BaseException as error:  # noqa: BLE001 - told to the parent, then this process ends
            os.write(writer, str(error).encode("utf-8", "replace")[:1000])
        finally:
            os._exit(127)
    os.close(writer)
    with open(reader, "rb") as file:  # noqa: PTH123 - a descriptor
        trouble = file.read()
    if trouble:
        os.waitpid(pid, 0)
        raise OSError(trouble.decode())
    return pid


def who(name: str) -> tuple[int, int, str]:
    entry = pwd.getpwnam(name) if IS_ROOT else pwd.getpwuid(os.getuid())
    return entry.pw_uid, entry.pw_gid, entry.pw_dir


def become(request: dict, streams: list[int], user: tuple[int, int, str]) -> None:
    uid, gid, home = user
    os.setsid()
    for number in range(3):
        os.dup2(streams[number], number)
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGPIPE, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    if IS_ROOT:
        os.setgroups([entry.gr_gid for entry in grp.getgrall() if request["user"] in entry.gr_mem])
        os.setgid(gid)
        os.setuid(uid)
    os.chdir(request["cwd"] or home)
    environment = {"HOME": home, "USER": request["user"], **request["env"]}
    os.execvpe(request["argv"][0], request["argv"], environment)  # noqa: S606 - its whole purpose


def reap_children(news: dict[int, int]) -> None:
    with suppress(ChildProcessError):
        while (dead := os.waitpid(-1, os.WNOHANG))[0]:
            pid, status = dead
            if (told := news.pop(pid, None)) is not None:
                tell(told, {"exit": os.waitstatus_to_exitcode(status)})
                os.close(told)


def tell(told: int, what: dict) -> None:
    with suppress(BrokenPipeError):
        os.write(told, json.dumps(what).encode() + b"\n")


main()

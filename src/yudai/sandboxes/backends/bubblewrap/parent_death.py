"""Ends sandboxes when our process dies, where the kernel would not do that by itself.

A process can ask to be killed with its parent, but the parent must be allowed to kill it: root's
bubblewrap has given up that right before its sandbox becomes another user.
"""

import os
import subprocess
from contextlib import suppress

from yudai.sandboxes.backends.shell_script import package_script


class Guard:
    """A shell that outlives us by a moment; started with the first sandbox."""

    def __init__(self) -> None:
        self._watched: dict[str, int] = {}
        self._process: subprocess.Popen[bytes] | None = None

    def watch(self, sandbox: str, pid: int) -> None:
        self._watched[sandbox] = pid
        self._tell(f"+ {pid}\n")

    def forget(self, sandbox: str) -> None:
        pid = self._watched.pop(sandbox, None)
        if pid is not None:
            self._tell(f"- {pid}\n")

    def close(self) -> None:
        process, self._process = self._process, None
        if process is not None and process.stdin is not None:
            with suppress(BrokenPipeError):
                process.stdin.close()
            process.wait()

    def _tell(self, line: str) -> None:
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = _start()
            line = "".join(f"+ {pid}\n" for pid in self._watched.values())
        if self._process.stdin is not None:
            # One that dies this very moment is replaced with the next sandbox.
            with suppress(BrokenPipeError):
                os.write(self._process.stdin.fileno(), line.encode())


def _start() -> "subprocess.Popen[bytes]":
    return subprocess.Popen(  # noqa: S603 - our own script
        ["/bin/sh", "-c", package_script("bubblewrap/parent_death.sh")],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={},
        cwd="/",
        start_new_session=True,
    )

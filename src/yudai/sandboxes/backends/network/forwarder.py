"""Runs inside a sandbox with only its own Python: forwards a loopback port to our proxy.

`python3 -I -S forward SOCKET PORT` returns once it listens and keeps running in the background,
detached: as a child of the command's shell it would block that shell's `wait`.
"""

from __future__ import annotations

import os
import selectors
import socket
import sys
from contextlib import suppress

_CHUNK = 1 << 16
_BACKLOG = 256


class _Way:
    """One direction of a connection; it reads when nothing waits to be written."""

    def __init__(self, source: socket.socket, target: socket.socket) -> None:
        self.source, self.target = source, target
        self.waiting = b""
        self.is_read = False
        self.is_done = False

    def move(self) -> None:
        with suppress(BlockingIOError):
            if not self.waiting and not self.is_read:
                self._read()
            if self.waiting:
                self._write()
            if self.is_read and not self.waiting and not self.is_done:
                self.is_done = True
                with suppress(OSError):
                    self.target.shutdown(socket.SHUT_WR)

    def _read(self) -> None:
        try:
            self.waiting = self.source.recv(_CHUNK)
        except BlockingIOError:
            raise
        except OSError:
            self.waiting = b""
        self.is_read = not self.waiting

    def _write(self) -> None:
        try:
            self.waiting = self.waiting[self.target.send(self.waiting) :]
        except BlockingIOError:
            raise
        except OSError:
            # A side that no longer reads may still send.
            self.waiting, self.is_read = b"", True


class _Pair:
    def __init__(self, client: socket.socket, proxy: socket.socket) -> None:
        self.ends = (client, proxy)
        self.dialing = (_Way(client, proxy), _Way(proxy, client))

    def wants(self, end: socket.socket) -> int:
        mask = 0
        for way in self.dialing:
            if way.source is end and not way.waiting and not way.is_read:
                mask |= selectors.EVENT_READ
            if way.target is end and way.waiting:
                mask |= selectors.EVENT_WRITE
        return mask


def serve(listener: socket.socket, path: str) -> None:
    """Serve until killed."""
    selector = selectors.DefaultSelector()
    selector.register(listener, selectors.EVENT_READ)
    while True:
        for key, _ in selector.select():
            pair = key.data if isinstance(key.data, _Pair) else _accept(listener, path)
            if pair is not None:
                for way in pair.dialing:
                    way.move()
                _watch(selector, pair)


def _accept(listener: socket.socket, path: str) -> _Pair | None:
    try:
        client = listener.accept()[0]
    except OSError:
        return None
    proxy = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        proxy.connect(path)
    except OSError:
        client.close()
        proxy.close()
        return None
    for end in (client, proxy):
        end.setblocking(False)  # noqa: FBT003 - its only argument
    return _Pair(client, proxy)


def _watch(selector: selectors.BaseSelector, pair: _Pair) -> None:
    """Register what its two ends wait for next; remove it when both are done."""
    is_done = all(way.is_done for way in pair.dialing)
    for end in pair.ends:
        with suppress(KeyError, ValueError):
            selector.unregister(end)
        mask = pair.wants(end)
        if is_done:
            end.close()
        elif mask:
            selector.register(end, mask, pair)


def main(path: str, port: str) -> None:
    listener = socket.create_server(("127.0.0.1", int(port)), backlog=_BACKLOG)
    if os.fork() == 0:
        os.setsid()
        nowhere = os.open(os.devnull, os.O_RDWR)
        for descriptor in range(3):
            os.dup2(nowhere, descriptor)
        serve(listener, path)


if __name__ == "__main__":
    main(*sys.argv[1:])

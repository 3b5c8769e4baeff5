"""The forwarder that runs in sandboxes, here in a thread: bytes both ways, each end passed on."""

import socket
import tempfile
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from yudai.sandboxes.backends.network import forwarder


class StoppedError(Exception):
    pass


class Listener(socket.socket):
    """One whose next client may be its last."""

    is_over = False

    def accept(self) -> tuple[socket.socket, object]:  # type: ignore[override]
        client, address = super().accept()
        if self.is_over:
            client.close()
            raise StoppedError
        return client, address


@contextmanager
def forwarding(answer: Callable[[socket.socket], None] | None) -> Generator[tuple[str, int]]:
    """A forwarder to a server on a Unix socket that treats each connection like that."""
    with (
        tempfile.TemporaryDirectory() as folder,
        Listener() as listener,
        socket.socket(1) as server,
    ):
        path = str(Path(folder) / "proxy")
        if answer is not None:
            server.bind(path)
            server.listen()
        listener.bind(("127.0.0.1", 0))
        listener.listen()

        def serve() -> None:
            with suppress(StoppedError):
                forwarder.serve(listener, path)

        def take() -> None:
            with suppress(OSError):
                while answer is not None:
                    with server.accept()[0] as line:
                        answer(line)

        threads = [threading.Thread(target=serve), threading.Thread(target=take)]
        for thread in threads:
            thread.start()
        try:
            yield listener.getsockname()
        finally:
            listener.is_over = True
            socket.create_connection(listener.getsockname()).close()
            server.shutdown(socket.SHUT_RDWR) if answer is not None else None
            for thread in threads:
                thread.join(20)
            assert not [thread for thread in threads if thread.is_alive()]


def read_all(line: socket.socket) -> bytes:
    parts: list[bytes] = []
    while data := line.recv(1 << 16):
        parts.append(data)
    return b"".join(parts)


def test_much_goes_both_ways_and_each_end_is_passed_on():
    def echo(line: socket.socket) -> None:
        line.sendall(b"first ")
        line.sendall(read_all(line)[::-1])

    sent = bytes(range(256)) * 20_000
    with forwarding(echo) as place:
        for _ in range(2):
            with socket.create_connection(place) as client:
                sender = threading.Thread(
                    target=lambda: (client.sendall(sent), client.shutdown(socket.SHUT_WR))
                )
                sender.start()
                assert read_all(client) == b"first " + sent[::-1]
                sender.join()


def test_an_end_that_reads_no_more_can_still_write():
    deaf, said = threading.Event(), threading.Event()

    def refuse(line: socket.socket) -> None:
        line.recv(1)
        line.shutdown(socket.SHUT_RD)
        deaf.set()
        said.wait(20)
        line.sendall(b"403")

    with forwarding(refuse) as place, socket.create_connection(place) as client:
        client.sendall(b"x")
        assert deaf.wait(20)
        client.sendall(b"y" * 100)
        said.set()
        assert read_all(client) == b"403"


def test_without_a_proxy_the_line_is_closed():
    with forwarding(None) as place, socket.create_connection(place) as client:
        assert client.recv(1) == b""

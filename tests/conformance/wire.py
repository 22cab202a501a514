"""A wire on loopback that can lose one reply: what was asked is done, and whoever asked hears nothing of it."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress


class Wire:
    """Carries bytes between a client and a server. ``lose`` names what a request holds whose reply is lost once."""

    def __init__(self, connect: Callable[[], socket.socket], lose: bytes) -> None:
        self._connect = connect
        self._lose: bytes | None = lose
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def lost(self) -> bool:
        """The reply has been lost."""
        return self._lose is None

    def close(self) -> None:
        """Take no more clients."""
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._carry, args=(client, self._connect()), daemon=True).start()

    def _carry(self, client: socket.socket, server: socket.socket) -> None:
        cut = threading.Event()
        back = threading.Thread(target=self._back, args=(client, server, cut), daemon=True)
        back.start()
        with closing(client), closing(server), suppress(OSError):
            while data := client.recv(65_536):
                if self._lose is not None and self._lose in data:
                    self._lose = None
                    cut.set()
                server.sendall(data)
            server.shutdown(socket.SHUT_RDWR)
            back.join()

    @staticmethod
    def _back(client: socket.socket, server: socket.socket, cut: threading.Event) -> None:
        with suppress(OSError):
            while data := server.recv(65_536):
                if cut.is_set():
                    client.shutdown(socket.SHUT_RDWR)
                    return
                client.sendall(data)


@contextmanager
def wire(connect: Callable[[], socket.socket], *, lose: bytes) -> Iterator[Wire]:
    """A wire to whatever ``connect`` reaches."""
    opened = Wire(connect, lose)
    try:
        yield opened
    finally:
        opened.close()

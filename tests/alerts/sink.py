"""A sink for webhooks in a thread of its own: it notes what arrives and answers as its script says."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

PATIENCE_SECONDS = 120


class Sink:
    """``script`` holds the next answers: a status, ``hang`` (never answers) or ``close``; 200 when it is empty."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.script: list[int | str] = []
        self.heard: list[tuple[str, list[str]]] = []
        self.told = threading.Event()
        self.ended = threading.Event()

    def url(self, path: str = "/hook") -> str:
        """Where a webhook finds it."""
        return f"http://127.0.0.1:{self.port}{path}"

    def ids(self) -> list[str]:
        """The ids of all messages that arrived, in order."""
        return [message for message, _keys in self.heard]

    def keys(self) -> list[str]:
        """The keys of all alerts that arrived, in order."""
        return [key for _message, keys in self.heard for key in keys]

    def hear(self, headers: Any, body: bytes) -> int | str:
        """Note a message; how to answer it."""
        self.heard.append((headers["webhook-id"], [alert["key"] for alert in json.loads(body)["alerts"]]))
        self.told.set()
        return self.script.pop(0) if self.script else 200


@contextmanager
def open_sink() -> Iterator[Sink]:
    """A sink that listens until the end."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler())
    sink = server.sink = Sink(server.server_address[1])
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield sink
    sink.ended.set()
    server.shutdown()
    server.server_close()


def _handler() -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            answer = self.server.sink.hear(self.headers, body)
            if answer == "hang":
                self.server.sink.ended.wait(PATIENCE_SECONDS)
            elif isinstance(answer, int):
                self._answer(answer)

        def _answer(self, status: int) -> None:
            self.send_response(status)
            if status == 429:
                self.send_header("retry-after", "1")
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler

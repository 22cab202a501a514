"""The stall's practice market: a real server in this process, whose truth is what it really sold."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

ON_SALE = {"price": 1000, "status": "on_sale", "kind": "fixed", "shipping": "included", "checksum": "c1"}


@dataclass
class Market:
    """``goods`` are listings by id. ``truth`` is every order it took, ``looks`` and ``tries`` what came at all.

    ``on_look`` and ``on_buy`` happen when a request has come, ``on_sold`` when it was taken but not answered yet;
    ``answer`` replaces the answer to an order: a status and a body, or ``None`` to close without one.
    """

    goods: dict[str, dict[str, Any]] = field(default_factory=dict)
    truth: list[dict[str, Any]] = field(default_factory=list)
    looks: list[str] = field(default_factory=list)
    tries: list[dict[str, Any]] = field(default_factory=list)
    on_look: Callable[[], Any] = lambda: None
    on_buy: Callable[[], Any] = lambda: None
    on_sold: Callable[[], Any] = lambda: None
    answer: Callable[[dict[str, Any]], tuple[int, Any] | None] | None = None
    port: int = 0
    cancels: list[dict[str, Any]] = field(default_factory=list)
    on_cancel: Callable[[], Any] = lambda: None
    answer_to_cancel: Callable[[dict[str, Any]], tuple[int, Any] | None] | None = None
    refuses_to_cancel: str = ""

    def clear(self) -> None:
        """As it was at first."""
        kept = Market()
        for name in vars(kept).keys() - {"port"}:
            setattr(self, name, getattr(kept, name))

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def look(self, name: str) -> tuple[int, Any]:
        self.looks.append(name)
        self.on_look()
        return (200, ON_SALE | self.goods[name]) if name in self.goods else (404, None)

    def bought(self, name: str) -> tuple[int, Any]:
        sold = next((one for one in self.truth if one["item"] == name), None)
        return 200, {"stage": "wait_shipping"} | sold if sold else None

    def cancel(self, asked: dict[str, Any]) -> tuple[int, Any] | None:
        """Every request is counted; it takes effect unless it is refused."""
        self.cancels.append(asked)
        self.on_cancel()
        if self.refuses_to_cancel:
            return 409, {"refused": self.refuses_to_cancel}
        [sold] = [one for one in self.truth if one["number"] == asked["number"]]
        sold["stage"] = "cancel_asked"
        return self.answer_to_cancel(sold) if self.answer_to_cancel else (200, sold)

    def buy(self, asked: dict[str, Any]) -> tuple[int, Any] | None:
        self.tries.append(asked)
        self.on_buy()
        thing = ON_SALE | self.goods[asked["item"]]
        if refused := thing.get("refuses"):
            return 409, {"refused": refused}
        sold = {"item": asked["item"], "number": f"n{len(self.truth) + 1}", "paid": thing.get("paid", thing["price"])}
        self.truth.append(sold | {"reference": asked["reference"]})
        self.on_sold()
        return self.answer(sold) if self.answer else (200, sold)


class Handler(BaseHTTPRequestHandler):
    """Answers for the ``market`` of its class."""

    protocol_version = "HTTP/1.1"
    market: Market

    def do_GET(self) -> None:
        what, name = self.path.strip("/").split("/")
        self._answer(self.market.look(name) if what == "item" else self.market.bought(name))

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self._answer(self.market.cancel(asked) if self.path == "/cancel" else self.market.buy(asked))

    def _answer(self, told: tuple[int, Any] | None) -> None:
        if told is None:
            self.close_connection = True
            self.connection.close()
            return
        status, body = told
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def handle(self) -> None:
        # Who asked may be dead by now, and some questions break the market on purpose.
        with suppress(OSError, ValueError, ZeroDivisionError):
            super().handle()

    def finish(self) -> None:
        with suppress(OSError, ValueError):
            super().finish()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@contextmanager
def served() -> Iterator[Market]:
    """A market on a port of its own."""
    market = Market()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("OfMarket", (Handler,), {"market": market}))
    server.daemon_threads = True
    market.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield market
    finally:
        server.shutdown()
        server.server_close()
        thread.join()

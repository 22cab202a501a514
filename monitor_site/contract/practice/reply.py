"""Speaking ASGI: one request, one reply, and the ways to send it badly."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qs

import orjson

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

LONGEST_BODY = 1 << 20
JSON = "application/json"
HTML = "text/html; charset=UTF-8"


@dataclass(frozen=True, slots=True)
class Request:
    """What came in; header names are in lower case, ``query`` is as it was written."""

    method: str
    path: str
    query: str
    headers: dict[str, str]
    body: bytes

    @property
    def base(self) -> str:
        """The address the client used, without path."""
        return f"http://{self.headers.get('host', 'localhost')}"

    @property
    def parameters(self) -> dict[str, str]:
        """The last value of each name in the query, blank ones too."""
        return {name: values[-1] for name, values in parse_qs(self.query, keep_blank_values=True).items()}


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes out."""

    status: int
    body: bytes
    media_type: str = JSON
    headers: dict[str, str] = field(default_factory=dict)

    def raw_headers(self) -> list[tuple[bytes, bytes]]:
        """All headers but the length."""
        pairs = {"content-type": self.media_type, **self.headers}
        return [(name.encode(), value.encode("latin-1")) for name, value in pairs.items()]


def json_reply(data: Any, status: int = 200) -> Reply:
    """``data`` as JSON."""
    return Reply(status, orjson.dumps(data))


def html_reply(page: str | bytes, status: int = 200) -> Reply:
    """A page in UTF-8."""
    return Reply(status, page.encode() if isinstance(page, str) else page, HTML)


async def read_request(scope: Scope, receive: Receive) -> Request:
    """The whole request; a body over a megabyte is cut."""
    body = b""
    while True:
        message = await receive()
        body += message.get("body", b"")
        if not message.get("more_body") or len(body) > LONGEST_BODY:
            break
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    return Request(scope["method"], scope["path"], scope["query_string"].decode("latin-1"), headers, body)


async def start(send: Send, reply: Reply, *, length: int | None) -> None:
    """Send status and headers; ``length`` ``None`` means an open end."""
    headers = reply.raw_headers()
    if length is not None:
        headers.append((b"content-length", str(length).encode()))
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})


async def send_reply(send: Send, reply: Reply) -> None:
    """Send it well."""
    await start(send, reply, length=len(reply.body))
    await send({"type": "http.response.body", "body": reply.body})


async def send_slowly(send: Send, receive: Receive, reply: Reply, *, pause: float) -> None:
    """Send it byte by byte with a pause after each, until the client is gone."""
    gone = _watch(receive)
    await start(send, reply, length=len(reply.body))
    for at in range(len(reply.body)):
        if gone.done():
            return
        await send({"type": "http.response.body", "body": reply.body[at : at + 1], "more_body": True})
        await asyncio.wait({gone}, timeout=pause)
    await _finish(send, gone)


async def send_much(send: Send, receive: Receive, reply: Reply, *, total: int) -> None:
    """Send the body over and over until ``total`` bytes are out or the client is gone."""
    gone = _watch(receive)
    await start(send, reply, length=None)
    for _ in range(total // max(len(reply.body), 1)):
        if gone.done():
            return
        await send({"type": "http.response.body", "body": reply.body, "more_body": True})
        await asyncio.sleep(0)
    await _finish(send, gone)


async def hang(receive: Receive, *, seconds: float) -> bool:
    """Wait that long, or less when the client goes away; tells whether it stayed."""
    gone = _watch(receive)
    await asyncio.wait({gone}, timeout=seconds)
    stayed = not gone.done()
    gone.cancel()
    return stayed


async def cut(send: Send, receive: Receive, reply: Reply | None) -> None:
    """Cut the connection: before any byte, or in the middle of a ``reply``."""
    if reply is not None:
        await start(send, reply, length=len(reply.body))
        await send({"type": "http.response.body", "body": reply.body[: len(reply.body) // 2], "more_body": True})
        await asyncio.sleep(0.05)
    # ASGI has no word for it; uvicorn's receive belongs to an object that knows its transport.
    transport = getattr(getattr(receive, "__self__", None), "transport", None)
    if transport is not None:
        transport.abort()
        await asyncio.sleep(0.05)


def _watch(receive: Receive) -> "asyncio.Task[None]":
    async def until_gone() -> None:
        while (await receive())["type"] != "http.disconnect":
            pass

    return asyncio.ensure_future(until_gone())


async def _finish(send: Send, gone: "asyncio.Task[None]") -> None:
    gone.cancel()
    await send({"type": "http.response.body", "body": b""})

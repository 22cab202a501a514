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
HTML = "text/html; charset=UTF-8"


@dataclass(frozen=True, slots=True)
class Request:
    """What came in; header names are in lower case, ``query`` holds the last value of each name."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes

    @property
    def base(self) -> str:
        """The address the client used, without path."""
        return f"http://{self.headers.get('host', 'localhost')}"


@dataclass(frozen=True, slots=True)
class Reply:
    """What goes out."""

    status: int
    body: bytes
    media_type: str = HTML
    headers: dict[str, str] = field(default_factory=dict)


def json_reply(data: Any, status: int = 200) -> Reply:
    """``data`` as JSON."""
    return Reply(status, orjson.dumps(data), "application/json")


async def read_request(scope: Scope, receive: Receive) -> Request:
    """The whole request; a body over a megabyte is cut."""
    body, more = b"", True
    while more and len(body) <= LONGEST_BODY:
        message = await receive()
        body += message.get("body", b"")
        more = bool(message.get("more_body"))
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    asked = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    query = {name: values[-1] for name, values in asked.items()}
    return Request(scope["method"], scope["path"], query, headers, body)


async def start(send: Send, reply: Reply, *, length: int | None) -> None:
    """Send status and headers; ``length`` ``None`` means an open end."""
    pairs = {"content-type": reply.media_type, **reply.headers}
    if length is not None:
        pairs["content-length"] = str(length)
    headers = [(name.encode(), value.encode("latin-1")) for name, value in pairs.items()]
    await send({"type": "http.response.start", "status": reply.status, "headers": headers})


async def send_reply(send: Send, reply: Reply) -> None:
    """Send it well."""
    await start(send, reply, length=len(reply.body))
    await send({"type": "http.response.body", "body": reply.body})


async def send_slowly(send: Send, receive: Receive, reply: Reply, *, pause: float) -> None:
    """Send it byte by byte with a pause after each, until the client is gone."""
    await start(send, reply, length=len(reply.body))
    for at in range(len(reply.body)):
        await send({"type": "http.response.body", "body": reply.body[at : at + 1], "more_body": True})
        if not await hang(receive, seconds=pause):
            return
    await send({"type": "http.response.body", "body": b""})


async def send_much(send: Send, receive: Receive, *, total: int) -> None:
    """Send spaces until ``total`` bytes are out or the client is gone."""
    block = b" " * 65536
    await start(send, Reply(200, b""), length=None)
    for _ in range(total // len(block)):
        await send({"type": "http.response.body", "body": block, "more_body": True})
        if not await hang(receive, seconds=0):
            return
    await send({"type": "http.response.body", "body": b""})


async def hang(receive: Receive, *, seconds: float) -> bool:
    """Wait that long, or less when the client goes away; tells whether it stayed."""
    gone = asyncio.ensure_future(_until_gone(receive))
    await asyncio.wait({gone}, timeout=seconds)
    stayed = not gone.done()
    gone.cancel()
    return stayed


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


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

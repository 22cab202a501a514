"""The stream of an open page: server-sent events with a cursor, so that nothing between two connections is lost.

Messages: ``ping`` (every 5 s: server time and the figures of the live chip), ``matches`` (there is something new),
``watches`` (the health of a watch changed), ``resync`` (ask the page's address again), ``full`` (too many open pages),
and unnamed ones with partials for the counters.
"""

import re
import time
from collections.abc import AsyncIterator
from typing import Any

import redis
import redis.asyncio
from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_required
from django.db import connections
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.http import require_GET

from monitor_site.connections import async_redis_client, redis_client
from monitor_site.outbox import stream

from .live_hub import Entry, Listener, TooManyStreams, decoded, hub
from .live_wire import FULL, HELLO, START, Page, reaches_back

CURSOR = re.compile(r"\d{1,15}-\d{1,19}")
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no", "Content-Encoding": "identity"}


def cursor_of(user_id: int) -> str:
    """Where the stream of a person stands now; empty when Redis is away: the page then asks for everything.

    The server's clock is asked first, so that nothing falls between it and an empty stream.
    """
    client = redis_client()
    try:
        seconds, microseconds = client.time()
        newest = stream.cursor(client, user_id=user_id)
    except redis.RedisError:
        return ""
    return newest if newest != START else f"{seconds * 1000 + microseconds // 1000 - 1}-0"


@login_required
@require_GET
async def events(request: HttpRequest) -> HttpResponseBase:
    """The stream of one page, from ``Last-Event-ID`` or ``after`` on."""
    user_id = int((await request.auser()).pk or 0)
    asked = request.headers.get("Last-Event-ID") or request.GET.get("after", "")
    await sync_to_async(_give_back_connections)()
    content = _heard_by(user_id, asked if CURSOR.fullmatch(asked) else START)
    answer = StreamingHttpResponse(content, content_type="text/event-stream; charset=utf-8")
    for name, value in HEADERS.items():
        answer.headers[name] = value
    return answer


def _give_back_connections() -> None:
    """An open page holds no database connection."""
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close()


async def _heard_by(user_id: int, cursor: str) -> AsyncIterator[str]:
    """All that a page hears until it or the server goes."""
    readers = hub()
    try:
        listener = readers.join(user_id=user_id, cursor=cursor)
    except TooManyStreams:
        yield FULL
        return
    try:
        async for text in _messages(listener, Page(cursor)):
            yield text
    finally:
        readers.leave(listener)


async def _messages(listener: Listener, page: Page) -> AsyncIterator[str]:
    yield HELLO
    missed, whole = await missed_since(listener.user_id, page.cursor)
    yield page.entries(missed) if whole else page.resync(missed)
    while (told := await listener.queue.get()) is not None:
        if text := _said(page, *told):
            yield text


def _said(page: Page, kind: str, content: Any) -> str:
    if kind == "entries":
        return page.entries(content)
    if kind == "resync":
        return page.resync([])
    figures, ping = content
    return page.figures(figures, now_ms=int(time.time() * 1000), ping=ping)


async def missed_since(user_id: int, cursor: str) -> tuple[list[Entry], bool]:
    """What a page has missed, and whether that is all: the stream may not reach back, or Redis be away."""
    client = async_redis_client()
    name = stream.stream_key(user_id)
    try:
        entries: Any = await client.xrange(name, min=f"({cursor}")
        whole = await _reaches_back(client, name, cursor)
    except (redis.RedisError, OSError):
        return [], False
    finally:
        await client.aclose()
    return [(entry_id.decode(), decoded(data)) for entry_id, data in entries], whole


async def _reaches_back(client: redis.asyncio.Redis, name: str, cursor: str) -> bool:
    """Asked after the entries, so that what was cut off meanwhile counts as lost."""
    seconds, _ = await client.time()
    info: Any = await client.xinfo_stream(name) if await client.exists(name) else {}
    first = info["first-entry"][0].decode() if info.get("first-entry") else ""
    trimmed = info.get("entries-added", 0) > info.get("length", 0)
    return reaches_back(cursor, first=first, trimmed=trimmed, now_ms=seconds * 1000)

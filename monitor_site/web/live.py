"""The stream of an open page: server-sent events with a cursor, so that nothing between two connections is lost.

Messages: ``hello``, ``ping`` (every 5 s: server time and the figures of the live chip), ``matches`` (there is something
new), ``listings`` (to so many listings something happened), ``watches`` (the health of a watch changed), ``resync``
(ask the page's address again), ``full`` (too many open pages), and unnamed ones with partials for the counters. Who is
not signed in gets 401, at once or when a session ends.
"""

import re
import time
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import redis
import redis.asyncio
from asgiref.sync import sync_to_async
from django.contrib.auth.decorators import login_not_required
from django.db import connections
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.views.decorators.http import require_GET

from monitor_site.connections import async_redis_client, redis_client
from monitor_site.outbox import stream

from .live_hub import START, Entry, TooManyStreams, decoded, hub
from .live_listener import Listener, Proof
from .live_wire import FULL, HELLO, Page, order, reaches_back

CURSOR = re.compile(r"[0-9]{1,15}-[0-9]{1,19}")
PAGE = re.compile(r"[A-Za-z0-9_-]{1,32}")
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


@login_not_required
@require_GET
async def events(request: HttpRequest) -> HttpResponseBase:
    """The stream of one page, from ``Last-Event-ID`` or ``after`` on; ``page`` is the page's own name."""
    user = await request.auser()
    if not user.is_authenticated:
        return HttpResponse(status=401)
    proof = Proof(session_key=request.session.session_key or "", auth_hash=user.get_session_auth_hash())
    await sync_to_async(_give_back_connections)()
    content = _heard_by(user.pk, _asked(request), page=_page_name(request), proof=proof)
    answer = StreamingHttpResponse(content, content_type="text/event-stream; charset=utf-8")
    for name, value in HEADERS.items():
        answer.headers[name] = value
    return answer


def _asked(request: HttpRequest) -> str:
    asked = request.headers.get("Last-Event-ID") or request.GET.get("after", "")
    return asked if CURSOR.fullmatch(asked) else START


def _page_name(request: HttpRequest) -> str:
    name = request.GET.get("page", "")
    return name if PAGE.fullmatch(name) else ""


def _give_back_connections() -> None:
    """An open page holds no database connection."""
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close()


async def _heard_by(user_id: int, cursor: str, *, page: str, proof: Proof) -> AsyncIterator[str]:
    """All that a page hears until it, its session or the server goes."""
    readers = hub()
    try:
        listener = readers.join(user_id=user_id, page=page, proof=proof)
    except TooManyStreams:
        yield FULL
        return
    try:
        async for text in _messages(listener, cursor):
            yield text
    finally:
        readers.leave(listener)


async def _messages(listener: Listener, cursor: str) -> AsyncIterator[str]:
    yield HELLO
    missed = await missed_since(listener.user_id, cursor)
    page = Page(missed.cursor)
    yield page.entries(missed.entries) if missed.whole else page.resync(missed.entries)
    while (told := await listener.queue.get()) is not None:
        if text := _said(page, *told):
            yield text


def _said(page: Page, kind: str, content: Any) -> str:
    if kind == "entries":
        return page.entries(content)
    if kind == "resync":
        return page.resync([])
    return page.figures(content, now_ms=int(time.time() * 1000))


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """What a page has missed after ``cursor``, and whether that is ``whole``."""

    entries: list[Entry]
    whole: bool
    cursor: str


async def missed_since(user_id: int, cursor: str) -> Missed:
    """What a page has missed: not all, when the stream does not reach back, Redis is away, or the cursor is none.

    A cursor of the future, from another clock or out of thin air, would hide all that comes until then.
    """
    client = async_redis_client()
    name = stream.stream_key(user_id)
    try:
        entries: Any = await client.xrange(name, min=f"({cursor}")
        now_ms = (await client.time())[0] * 1000
        if order(cursor)[0] > now_ms + 1000:
            return Missed(entries=[], whole=False, cursor=f"{now_ms}-0")
        whole = await _reaches_back(client, name, cursor, now_ms)
    except (redis.RedisError, OSError):
        return Missed(entries=[], whole=False, cursor=_of_the_past(cursor))
    finally:
        await client.aclose()
    told = [(entry_id.decode(), decoded(data)) for entry_id, data in entries]
    return Missed(entries=told, whole=whole, cursor=cursor)


def _of_the_past(cursor: str) -> str:
    return min(cursor, f"{int(time.time() * 1000)}-0", key=order)


async def _reaches_back(client: redis.asyncio.Redis, name: str, cursor: str, now_ms: int) -> bool:
    """Asked after the entries, so that what was cut off meanwhile counts as lost."""
    info: Any = await client.xinfo_stream(name) if await client.exists(name) else {}
    first = info["first-entry"][0].decode() if info.get("first-entry") else ""
    trimmed = info.get("entries-added", 0) > info.get("length", 0)
    return reaches_back(cursor, first=first, trimmed=trimmed, now_ms=now_ms)

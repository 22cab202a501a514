"""One reader for all open pages of this web process: Redis is asked once, whoever listens.

A listener has its own cursor, so it never hears an entry twice, and a bounded queue: who does not keep up is told to
look at the page again.
"""

import asyncio
import contextvars
import signal
import threading
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from types import FrameType
from typing import Any

import redis.asyncio
import redis.exceptions
import structlog
from asgiref.sync import sync_to_async
from django.db import DatabaseError, connections
from django.utils import timezone

from monitor_site.connections import async_redis_client
from monitor_site.outbox.stream import stream_key

from .freshness import Freshness, freshness_of

log = structlog.get_logger(__name__)

PING_SECONDS = 5.0
BLOCK_MS = 250  # how long a page that just opened may wait to be read along
AWAY_SECONDS = 1.0
STREAMS_PER_USER = 8
QUEUE = 600

Entry = tuple[str, dict[str, str]]


class TooManyStreams(Exception):
    """A person has as many open streams as one may have."""


@dataclass(eq=False, slots=True)
class Listener:
    """One open page. ``queue`` holds ``(kind, content)``: entries, pings, counts; ``None`` ends the stream."""

    user_id: int
    queue: "asyncio.Queue[tuple[str, Any] | None]" = field(default_factory=lambda: asyncio.Queue(QUEUE))

    def tell(self, kind: str, content: Any) -> None:
        """Put something into the queue; when it is full the page starts over."""
        if self.queue.full():
            while not self.queue.empty():
                self.queue.get_nowait()
            self.queue.put_nowait(("resync", None))
        self.queue.put_nowait((kind, content))

    def end(self) -> None:
        """Nothing comes after this."""
        while self.queue.full():
            self.queue.get_nowait()
        self.queue.put_nowait(None)


class Hub:
    """The listeners of one event loop and the task that reads for them; the task ends with the last listener."""

    def __init__(self) -> None:
        self._listeners: dict[int, set[Listener]] = {}
        self._cursors: dict[int, str] = {}
        self._task: asyncio.Task[None] | None = None
        self._next_ping = 0.0

    def join(self, *, user_id: int, cursor: str) -> Listener:
        """Listen from ``cursor`` on; raises :class:`TooManyStreams`."""
        mine = self._listeners.setdefault(user_id, set())
        if len(mine) >= STREAMS_PER_USER:
            raise TooManyStreams(user_id)
        listener = Listener(user_id)
        mine.add(listener)
        self._cursors.setdefault(user_id, cursor)
        self._next_ping = 0.0
        if self._task is None or self._task.done():
            # Its own context: the task outlives the request that started it.
            self._task = asyncio.get_running_loop().create_task(self._run(), context=contextvars.Context())
        return listener

    def leave(self, listener: Listener) -> None:
        """Stop listening."""
        mine = self._listeners.get(listener.user_id, set())
        mine.discard(listener)
        if not mine:
            self._listeners.pop(listener.user_id, None)
            self._cursors.pop(listener.user_id, None)

    def close(self) -> None:
        """The server goes: every stream ends, so that nobody waits for it."""
        for _, listener in self._each(list(self._listeners)):
            listener.end()

    def close_with_the_server(self) -> None:
        """Hear the signals that end the server, which goes on doing what it does with them.

        Without this an open page keeps a stopping server alive until its patience ends.
        """
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            before = signal.getsignal(number)
            if not callable(before) or before is signal.default_int_handler:
                continue  # no server of ours: nothing to pass it on to

            def heard(signum: int, frame: FrameType | None, before: Any = before) -> None:
                loop.call_soon_threadsafe(self.close)
                before(signum, frame)

            signal.signal(number, heard)

    async def _run(self) -> None:
        client = async_redis_client()
        try:
            while self._listeners:
                await self._step(client)
        finally:
            with suppress(redis.exceptions.RedisError, OSError):
                await client.aclose()
            await sync_to_async(_let_go)()

    async def _step(self, client: redis.asyncio.Redis) -> None:
        try:
            touched = await self._read(client)
        except (redis.exceptions.RedisError, OSError) as error:
            log.warning("live.redis_away", error=str(error))
            touched = set()
            await asyncio.sleep(AWAY_SECONDS)
        await self._tell_figures(touched)

    async def _read(self, client: redis.asyncio.Redis) -> set[int]:
        """Wait a moment for entries and hand them on; returns whose there were."""
        keys = {stream_key(user_id): user_id for user_id in self._cursors}
        asked = {name: self._cursors[user_id] for name, user_id in keys.items()}
        answer = await client.xread(asked, block=BLOCK_MS) if asked else []  # type: ignore[arg-type]
        for name, entries in _pairs(answer):
            self._hand_on(keys[name], [(entry_id.decode(), decoded(data)) for entry_id, data in entries])
        return {keys[name] for name, _ in _pairs(answer)}

    def _hand_on(self, user_id: int, entries: list[Entry]) -> None:
        for listener in self._listeners.get(user_id, ()):
            listener.tell("entries", entries)
        if user_id in self._cursors:
            self._cursors[user_id] = entries[-1][0]

    async def _tell_figures(self, touched: set[int]) -> None:
        """Pings for everybody when it is time, new counts for whom something happened."""
        due = time.monotonic() >= self._next_ping
        if due:
            self._next_ping = time.monotonic() + PING_SECONDS
        wanted = set(self._listeners) if due else touched & set(self._listeners)
        if not wanted:
            return
        figures = await sync_to_async(_figures)(sorted(wanted))
        for user_id, listener in self._each(wanted):
            listener.tell("figures", (asdict(figures[user_id]) if user_id in figures else {}, due))

    def _each(self, user_ids: Iterable[int]) -> list[tuple[int, Listener]]:
        return [(user_id, listener) for user_id in user_ids for listener in self._listeners.get(user_id, ())]


def _pairs(answer: Any) -> list[tuple[str, list[tuple[bytes, dict[bytes, bytes]]]]]:
    """The answer of XREAD as pairs of stream name and entries, in both protocol versions."""
    if isinstance(answer, dict):
        return [(name.decode(), [entry for part in parts for entry in part]) for name, parts in answer.items()]
    return [(name.decode(), entries) for name, entries in answer or []]


def decoded(data: dict[bytes, bytes]) -> dict[str, str]:
    """The fields of an entry as text."""
    return {name.decode(): value.decode() for name, value in data.items()}


def _figures(user_ids: list[int]) -> dict[int, Freshness]:
    """Figures of several people; the connection is given back, pages may stay open for hours."""
    now = timezone.now()
    try:
        return {user_id: freshness_of(user_id, now=now) for user_id in user_ids}
    except DatabaseError as error:
        log.warning("live.database_away", error=str(error))
        return {}
    finally:
        _let_go()


def _let_go() -> None:
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()


_hubs: "dict[asyncio.AbstractEventLoop, Hub]" = {}


def hub() -> Hub:
    """The hub of the running event loop; a web process has one."""
    loop = asyncio.get_running_loop()
    for old in [known for known in _hubs if known.is_closed()]:
        del _hubs[old]
    if loop not in _hubs:
        _hubs[loop] = Hub()
        if threading.current_thread() is threading.main_thread():
            _hubs[loop].close_with_the_server()
    return _hubs[loop]

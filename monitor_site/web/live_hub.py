"""One reader for all open pages of this web process: Redis is asked once, whoever listens.

Where the reader stands is its own affair: it begins at the start of a person's short stream and no page's cursor ever
reaches its question. Every page leaves out what it has heard, and its bounded queue makes who does not keep up look at
the page again.
"""

import asyncio
import contextvars
import signal
import threading
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from types import FrameType
from typing import Any

import redis.asyncio
import structlog
from asgiref.sync import sync_to_async
from redis.exceptions import RedisError, ResponseError

from monitor_site.connections import async_redis_client
from monitor_site.outbox.stream import stream_key

from .live_figures import Teller, let_go
from .live_listener import Listener, Proof

log = structlog.get_logger(__name__)

BLOCK_MS = 250  # how long a page that just opened may wait to be read along
AWAY_SECONDS = 1.0
STREAMS_PER_USER = 8
START = "0-0"

Entry = tuple[str, dict[str, str]]


class TooManyStreams(Exception):
    """A person has as many open streams as one may have."""


class Hub:
    """The listeners of one event loop and the task that reads for them; the task ends with the last listener."""

    def __init__(self) -> None:
        self._listeners: dict[int, set[Listener]] = {}
        self._cursors: dict[int, str] = {}
        self._task: asyncio.Task[None] | None = None
        self._teller = Teller(self._listeners)

    def join(self, *, user_id: int, page: str = "", proof: Proof | None = None) -> Listener:
        """Listen; a page that comes back takes its old place. Raises :class:`TooManyStreams`."""
        mine = self._listeners.get(user_id, set())
        for old in [one for one in mine if page and one.page == page]:
            old.end()
            mine.discard(old)
        if len(mine) >= STREAMS_PER_USER:
            raise TooManyStreams(user_id)
        listener = Listener(user_id, page, proof)
        self._listeners.setdefault(user_id, mine).add(listener)
        self._cursors.setdefault(user_id, START)
        self._teller.want({user_id})
        self._start()
        return listener

    def _start(self) -> None:
        if self._task is None or self._task.done():
            # Its own context: the task outlives the request that started it.
            self._task = asyncio.get_running_loop().create_task(self._run(), context=contextvars.Context())

    def leave(self, listener: Listener) -> None:
        """Stop listening."""
        mine = self._listeners.get(listener.user_id, set())
        mine.discard(listener)
        if not mine:
            self._listeners.pop(listener.user_id, None)
            self._cursors.pop(listener.user_id, None)

    def close(self) -> None:
        """The server goes: every stream ends, so that nobody waits for it."""
        for listener in [one for some in self._listeners.values() for one in some]:
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
        client, reading = async_redis_client(), self._task
        telling = asyncio.create_task(self._repeat(self._teller.step, while_there=lambda: self._task is reading))
        try:
            await self._repeat(lambda: self._read(client), while_there=lambda: bool(self._listeners))
        finally:
            self._task = None  # before anything is awaited: who joins from here on starts another
            telling.cancel()
            with suppress(RedisError, OSError):
                await client.aclose()
            await sync_to_async(let_go)()

    @staticmethod
    async def _repeat(step: Callable[[], Awaitable[None]], *, while_there: Callable[[], bool]) -> None:
        """Step after step; whatever a step raises ends that step only."""
        while while_there():
            try:
                await step()
            except (RedisError, OSError) as error:
                log.warning("live.redis_away", error=str(error))
                await asyncio.sleep(AWAY_SECONDS)
            except Exception as error:
                log.exception("live.step_failed", error=str(error))
                await asyncio.sleep(AWAY_SECONDS)

    async def _read(self, client: redis.asyncio.Redis) -> None:
        """Wait a moment for entries and hand them on; a stream that cannot be read is nobody else's trouble."""
        try:
            await self._hear(client, list(self._cursors), block=BLOCK_MS)
        except ResponseError:
            await asyncio.sleep(BLOCK_MS / 1000)
            for user_id in list(self._cursors):
                await self._hear_alone(client, user_id)

    async def _hear_alone(self, client: redis.asyncio.Redis, user_id: int) -> None:
        try:
            await self._hear(client, [user_id], block=None)
        except ResponseError as error:
            log.warning("live.stream_unreadable", user=user_id, error=str(error))

    async def _hear(self, client: redis.asyncio.Redis, user_ids: Collection[int], *, block: int | None) -> None:
        keys = {stream_key(user_id): user_id for user_id in user_ids}
        asked = {name: self._cursors[user_id] for name, user_id in keys.items() if user_id in self._cursors}
        answer = await client.xread(asked, block=block) if asked else []  # type: ignore[arg-type]
        for name, entries in _pairs(answer):
            self._hand_on(keys[name], [(entry_id.decode(), decoded(data)) for entry_id, data in entries])

    def _hand_on(self, user_id: int, entries: list[Entry]) -> None:
        for listener in self._listeners.get(user_id, ()):
            listener.tell("entries", entries)
        if user_id in self._cursors:
            self._cursors[user_id] = entries[-1][0]
        self._teller.want({user_id})


def _pairs(answer: Any) -> list[tuple[str, list[tuple[bytes, dict[bytes, bytes]]]]]:
    """The answer of XREAD as pairs of stream name and entries, in both protocol versions."""
    if isinstance(answer, dict):
        return [(name.decode(), [entry for part in parts for entry in part]) for name, parts in answer.items()]
    return [(name.decode(), entries) for name, entries in answer or []]


def decoded(data: dict[bytes, bytes]) -> dict[str, str]:
    """The fields of an entry as text."""
    return {name.decode(): value.decode() for name, value in data.items()}


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

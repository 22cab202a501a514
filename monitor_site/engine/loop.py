"""The event loop that a checks worker keeps for its whole life, in a thread of its own.

RQ owns the main thread and its signals. The loop feeds, records, every two seconds extends what is in flight and says
that it is alive, and every three what it did and how busy its machine is. Whatever blocks it costs it its leases: they
end, and others take over.
"""

import asyncio
import os
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import Future
from contextlib import suppress
from typing import Any, TypeVar

import redis
import redis.asyncio
import structlog
from django.conf import settings
from django.db import connection

from monitor_site.connections import SOCKET_SECONDS, async_redis_client, key
from monitor_site.marketplaces.gateway import Gateway

from . import recording
from .checking import Checker
from .clock import ServerClock
from .counting import Counts
from .feed import Feed, Parts
from .flight import Flight
from .loop_thread import ANSWER_SECONDS, LoopThread, end
from .machines import Scales
from .schedule import Lease, Leases, Return

log = structlog.get_logger(__name__)
T = TypeVar("T")

ALIVE_SECONDS = 15
START_SECONDS = 60.0
EXTENSIONS_A_LEASE = 5
STUCK_EXIT_CODE = 70
# After a lease in which no ticket was answered.
TURN_SECONDS = 3.0
TELL_SECONDS = 3.0
# One writes, the others load the rows of what was leased.
DATABASE_THREADS = 3


def flush_seconds() -> float:
    """SQLite likes fewer, larger transactions."""
    return 0.1 if connection.vendor == "sqlite" else 0.03


def stuck_seconds() -> float:
    """A lease, and no less than Redis itself may take to answer."""
    return max(float(settings.LEASE_SECONDS), SOCKET_SECONDS + 1)


class WorkerLoop:
    """Feeds and everything around them. ``worker`` is the worker's name in Redis, ``seat`` its place in a pool."""

    def __init__(self, *, worker: str, seat: str) -> None:
        self.worker = worker
        self._seat = seat
        self.flight = Flight()
        self._feeds: dict[str, Feed] = {}
        self._clock = ServerClock()
        self._counts = Counts()
        self._scales = Scales()
        self._thread = LoopThread("feeds", database_threads=DATABASE_THREADS)
        self._keepers: list[asyncio.Task[None]] = []
        self._flushing = asyncio.Lock()

    def start(self) -> None:
        """Start the thread, the clients and the keepers."""
        self._thread.start()
        self.call(self._open()).result(START_SECONDS)

    def call(self, work: Coroutine[Any, Any, T]) -> "Future[T]":
        """Run a coroutine in the loop, from another thread."""
        return self._thread.call(work)

    def serve(self, marketplace: str, ticket: str) -> None:
        """What a ticket does: start or prolong a feed and wait for its next lease call.

        A loop that does not even turn after a lease is stuck, most likely in a plugin's code: the process ends, its
        leases run out, and what it held is run alone next time. One that waits for Redis or the database goes on.
        """
        try:
            self.call(self.feed(marketplace).prolong(ticket)).result(stuck_seconds())
        except TimeoutError:
            self._end_if_stuck(marketplace)

    def _end_if_stuck(self, marketplace: str) -> None:
        if self._thread.answers(within=TURN_SECONDS):
            log.warning("loop.waits", worker=self.worker, marketplace=marketplace)
        else:
            log.critical("loop.stuck", worker=self.worker, marketplace=marketplace)
            os._exit(STUCK_EXIT_CODE)

    def feed(self, marketplace: str) -> Feed:
        """The feed of a marketplace; made at its first ticket."""
        if marketplace not in self._feeds:
            self._feeds[marketplace] = Feed(marketplace, self._parts)
        return self._feeds[marketplace]

    def stop(self, *, seconds: float) -> None:
        """Lease no more, let what runs finish for so long, give the rest back, close."""
        try:
            self.call(self._drain(seconds)).result(seconds + ANSWER_SECONDS)
        except TimeoutError:
            log.exception("loop.drain_stuck", worker=self.worker)
        self._thread.close()

    async def _open(self) -> None:
        self._redis = async_redis_client()
        self._leases = Leases(self._redis, worker=self.worker)
        self._gateway = Gateway(redis=self._redis)
        self._parts = Parts(
            leases=self._leases,
            flight=self.flight,
            checker=Checker(gateway=self._gateway, worker=self.worker, server_now=self._clock.server),
            clock=self._clock,
            scales=self._scales,
            database=self._thread.database,
        )
        for keeper in (self._keep_flushing, self._keep_extending, self._keep_telling):
            self._keepers.append(self._thread.loop.create_task(keeper()))

    async def _drain(self, seconds: float) -> None:
        await asyncio.gather(*(feed.stop() for feed in self._feeds.values()))
        if running := list(self.flight.running.values()):
            await asyncio.wait(running, timeout=seconds)
        while self.flight.landed:
            await self._survive(self._flush())
        async with self._flushing:
            await self._survive(self._release(self.flight.held()))
        await self._survive(self._tell())
        await self._close()

    async def _close(self) -> None:
        await end(self._keepers)
        await self._gateway.close()
        with suppress(redis.RedisError):
            await self._redis.delete(key("alive", self._seat))
        await self._redis.aclose()

    async def _release(self, held: Sequence[Lease]) -> None:
        """What did not finish goes back as it came; nobody waits for a lease to end."""
        self.flight.lose(held)
        await self._give_back([Return(lease=lease, how="release") for lease in held])

    async def _keep_flushing(self) -> None:
        pause = flush_seconds()
        while True:
            await self.flight.has_landed.wait()
            await asyncio.sleep(0 if self.flight.lands_faster else pause)
            await self._survive(self._flush())

    async def _flush(self) -> None:
        """Record what landed and give it back; a failure leaves the leases to their end."""
        async with self._flushing:
            if not (landed := self.flight.take_landed()):
                return
            try:
                returns = await self._in_database(recording.write, landed)
                await self._give_back(returns)
                self._counts.count(landed)
            finally:
                self.flight.settled([one.lease for one in landed])

    async def _give_back(self, returns: Sequence[Return]) -> None:
        grouped: dict[str, list[Return]] = {}
        for one in returns:
            grouped.setdefault(one.lease.marketplace, []).append(one)
        for marketplace, mine in grouped.items():
            back = await self._leases.give_back(marketplace=marketplace, returns=mine)
            if back.lost:
                log.info("lease.lost_at_return", marketplace=marketplace, targets=len(back.lost))
            if back.edited:
                await self._in_database(recording.settle_again, sorted(back.edited))

    async def _in_database(self, work: Callable[..., T], *args: Any) -> T:
        return await self._thread.loop.run_in_executor(self._thread.database, work, *args)

    async def _keep_extending(self) -> None:
        while True:
            await self._survive(self._extend())
            await asyncio.sleep(settings.LEASE_SECONDS / EXTENSIONS_A_LEASE)

    async def _keep_telling(self) -> None:
        while True:
            await self._survive(self._tell())
            await asyncio.sleep(TELL_SECONDS)

    async def _tell(self) -> None:
        await self._counts.hand_in(self._redis, now=self._clock.server())
        await self._scales.weigh(self._redis, at=self._clock.server())

    async def _extend(self) -> None:
        await self._redis.set(key("alive", self._seat), os.getpid(), ex=ALIVE_SECONDS)
        if unanswered := list(self.flight.unanswered):
            await self._release(unanswered)
        for marketplace, held in self.flight.by_marketplace().items():
            await self._extend_some(marketplace, held)

    async def _extend_some(self, marketplace: str, held: list[Lease]) -> None:
        lost = await self._leases.extend(marketplace=marketplace, leases=held)
        if lost:
            log.warning("lease.lost", marketplace=marketplace, targets=sorted(lease.id for lease in lost)[:20])
            self.flight.lose(lost)

    async def _survive(self, work: Coroutine[Any, Any, None]) -> None:
        """A round that fails is tried again with the next; a keeper never ends."""
        try:
            await work
        except (redis.RedisError, OSError) as error:
            log.warning("loop.round_failed", error=str(error))
        except Exception:
            log.exception("loop.round_failed")

"""Feeds of a checks worker: while tickets come, a marketplace's feed leases what is due and starts it on time.

Everything here runs in one event loop. A slow answer holds up nobody: finished checks are recorded together and given
back in one call, stragglers simply go on.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any, TypeVar

import redis
import structlog

from monitor_site.contract import Pace
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches.models import Target

from . import recording
from .checking import Checker
from .clock import ServerClock
from .flight import Flight, Landed
from .schedule import MOST_IDS, Lease, Leased, Leases

log = structlog.get_logger(__name__)
T = TypeVar("T")

FEED_SECONDS = 1.0
PAUSE_SECONDS = 0.025


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the feeds of a worker share."""

    leases: Leases
    flight: Flight
    checker: Checker
    clock: ServerClock
    database: ThreadPoolExecutor


class Feed:
    """The feed of one marketplace: leases at most every 25 ms, at once again after a full call."""

    def __init__(self, marketplace: str, parts: Parts) -> None:
        self.marketplace = marketplace
        self._leases = parts.leases
        self._flight = parts.flight
        self._checker = parts.checker
        self._clock = parts.clock
        self._database = parts.database
        self._until = 0.0
        self._tickets: list[tuple[str, asyncio.Future[None]]] = []
        self._task: asyncio.Task[None] | None = None

    async def prolong(self, ticket: str) -> None:
        """Feed for a second from now; returns at the next lease call: a ticket never lasts as long as a feed."""
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[None] = loop.create_future()
        self._tickets.append((ticket, answered))
        self._until = loop.time() + FEED_SECONDS
        if self._task is None or self._task.done():
            self._task = loop.create_task(self._run())
        await answered

    def stop(self) -> None:
        """Lease no more."""
        self._until = 0.0

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        while loop.time() < self._until:
            full = await self._step()
            if not full:
                await asyncio.sleep(PAUSE_SECONDS)
        if self._flight.draining == self.marketplace:
            self._flight.draining = ""
        self._answer(self._tickets)

    async def _step(self) -> bool:
        """One lease call; whether it was full."""
        taken, self._tickets = self._tickets, []
        try:
            pace = catalog().pace(self.marketplace)
            leased = await self._lease(pace, taken[0][0] if taken else "")
            await self._start(leased)
        except (redis.RedisError, OSError, LookupError) as error:
            log.warning("feed.lease_failed", marketplace=self.marketplace, error=str(error))
            await asyncio.sleep(1)
            return False
        finally:
            self._answer(taken)
        return len(leased.leases) >= min(MOST_IDS, pace.concurrency)

    def _answer(self, tickets: Sequence[tuple[str, "asyncio.Future[None]"]]) -> None:
        for _, answered in tickets:
            if not answered.done():
                answered.set_result(None)

    async def _lease(self, pace: Pace, ticket: str) -> Leased:
        flight = self._flight
        slots = flight.slots_for(self.marketplace)
        before = self._clock.local()
        leased = await self._leases.lease(
            marketplace=self.marketplace, pace=pace, slots=slots, idle=flight.empty, ticket=ticket
        )
        self._clock.learn(server_us=leased.now_us, sent=before)
        if leased.drain:
            flight.draining = self.marketplace
        elif slots and flight.draining == self.marketplace:
            flight.draining = ""
        return leased

    async def _start(self, leased: Leased) -> None:
        if leased.quarantined:
            await self._in_database(recording.quarantine, self.marketplace, leased.quarantined)
        if leased.leases:
            self._flight.loading.update(leased.leases)
            rows = await self._in_database(recording.load_targets, [lease.id for lease in leased.leases])
            for lease in leased.leases:
                self._begin(lease, rows.get(lease.id))
            self._flight.loading.difference_update(leased.leases)

    def _begin(self, lease: Lease, target: Target | None) -> None:
        if target is None:
            self._flight.landed.append(Landed(lease=lease, result=None))
            return
        self._flight.running[lease] = asyncio.get_running_loop().create_task(self._check(lease, target))

    async def _check(self, lease: Lease, target: Target) -> None:
        await asyncio.sleep(max(0.0, lease.due_ms / 1000 - self._clock.server()))
        result = await self._checker.check(lease, target)
        if self._flight.running.pop(lease, None) is not None:
            self._flight.landed.append(Landed(lease=lease, result=result))

    async def _in_database(self, work: Callable[..., T], *args: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._database, work, *args)

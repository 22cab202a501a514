"""Feeds of a checks worker: while tickets come, a marketplace's feed leases what is due and starts it on time.

Everything here runs in one event loop. While little is due and all of it is started on time, a feed is calm: it takes
more at once, and goes on without further tickets as long as something comes. A slow answer holds up nobody: finished
checks are recorded together and given back in one call, stragglers simply go on.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
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
from .machines import Scales
from .schedule import AHEAD_MS, MOST_IDS, Lease, Leased, Leases

log = structlog.get_logger(__name__)
T = TypeVar("T")

FEED_SECONDS = 1.0
PAUSE_SECONDS = 0.025
# Less than a lease looks ahead: what falls due meanwhile is still found before its time.
EMPTY_PAUSE_SECONDS = 0.05
# What is put into the schedule meanwhile is found within this time.
LONGEST_PAUSE_SECONDS = 0.1
RETRY_SECONDS = 1.0
# So few in so many seconds, and nothing left behind: then each call may take what is due in a while.
CALM_LEASES = 8
CALM_AHEAD_MS = 250
CALM_PAUSE_SECONDS = 0.25
# So long before the next is due it is asked for.
MARGIN_SECONDS = 0.02
# After that whoever is free takes the next ticket.
KEPT_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """What the feeds of a worker share."""

    leases: Leases
    flight: Flight
    checker: Checker
    clock: ServerClock
    scales: Scales
    database: ThreadPoolExecutor


class Feed:
    """The feed of one marketplace: leases every 25 ms, at once after a full call, up to every 100 ms when idle."""

    def __init__(self, marketplace: str, parts: Parts) -> None:
        self.marketplace = marketplace
        self._leases = parts.leases
        self._flight = parts.flight
        self._checker = parts.checker
        self._clock = parts.clock
        self._scales = parts.scales
        self._database = parts.database
        self._until = 0.0
        self._waiting: list[asyncio.Future[None]] = []
        self._tickets: list[str] = []
        self._kept: list[str] = []
        self._kept_until = 0.0
        self._calm = False
        self._seen_until, self._newly_seen = 0.0, CALM_PAUSE_SECONDS
        self._nap: asyncio.Future[None] | None = None
        self._task: asyncio.Task[None] | None = None

    async def prolong(self, ticket: str) -> None:
        """Feed for a second from now; returns at the next lease call: a ticket never lasts as long as a feed."""
        loop = asyncio.get_running_loop()
        answered: asyncio.Future[None] = loop.create_future()
        self._tickets.append(ticket)
        self._waiting.append(answered)
        self._until = loop.time() + FEED_SECONDS
        self._kept_until = loop.time() + KEPT_SECONDS
        self._wake()
        if self._task is None or self._task.done():
            self._task = loop.create_task(self._run())
        await answered

    async def stop(self) -> None:
        """Lease no more; returns when the lease call under way has come back, and another worker may take over."""
        self._until = 0.0
        self._wake()
        if self._task is not None:
            await self._task
            # Where that fails, the ticket ends by itself within a second.
            with suppress(redis.RedisError, OSError):
                await self._end(wake=True)

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        try:
            while loop.time() < self._until:
                pause = await self._step()
                if loop.time() < self._until:
                    await self._rest(pause)
        finally:
            if self._flight.draining == self.marketplace:
                self._flight.draining = ""
            self._answer()

    async def _rest(self, seconds: float) -> None:
        """Pause, unless a ticket comes or the feed is stopped."""
        loop = asyncio.get_running_loop()
        self._nap = loop.create_future()
        timer = loop.call_later(seconds, self._wake)
        try:
            await self._nap
        finally:
            timer.cancel()

    def _wake(self) -> None:
        if self._nap is not None and not self._nap.done():
            self._nap.set_result(None)

    async def _step(self) -> float:
        """One lease call and what follows; how many seconds to pause then. Nothing ends a feed but its time."""
        try:
            pace = self._scales.eased(catalog().pace(self.marketplace))
            leased = await self._lease(pace)
            self._answer()
            await self._start(leased)
            await self._go_on(leased, pace)
        except Exception as error:  # noqa: BLE001 - whatever it was, the next step tries again
            self._calm = False
            self._answer()
            log.warning("feed.step_failed", marketplace=self.marketplace, error=repr(error))
            return RETRY_SECONDS
        return self._pause(leased, full=len(leased.leases) >= min(MOST_IDS, pace.concurrency))

    def _pause(self, leased: Leased, *, full: bool) -> float:
        """While nothing else comes within sight there is nothing to ask for."""
        if full:
            return 0
        if self._calm:
            return max(PAUSE_SECONDS, min(leased.rest_ms / 1000 - MARGIN_SECONDS, CALM_PAUSE_SECONDS))
        usual = PAUSE_SECONDS if leased.leases or not self._flight.empty else EMPTY_PAUSE_SECONDS
        unseen = (leased.rest_ms - AHEAD_MS) / 1000 + PAUSE_SECONDS
        return max(usual, min(unseen, LONGEST_PAUSE_SECONDS))

    async def _go_on(self, leased: Leased, pace: Pace) -> None:
        """While it copes a feed needs no other ticket; when nothing will be due in its time it ends, and its ticket."""
        now = asyncio.get_running_loop().time()
        few = CALM_LEASES * min(1.0, self._newly_seen / CALM_PAUSE_SECONDS)
        self._calm = leased.rest_ms > 0 and len(leased.leases) <= min(few, pace.concurrency - 1)
        if not self._calm:
            self._kept = []
        elif leased.rest_ms > FEED_SECONDS * 1000 and not self._flight.holds_of(self.marketplace):
            self._until = 0.0
            await self._end()
        elif self._kept and now < self._kept_until:
            self._until = now + FEED_SECONDS
        else:
            self._kept = []

    async def _end(self, *, wake: bool = False) -> None:
        ended, self._kept = self._kept, []
        await self._leases.end_tickets(marketplace=self.marketplace, tickets=ended, wake=wake)

    def _answer(self) -> None:
        """Whoever waits for the next lease call has it, however it went."""
        waiting, self._waiting = self._waiting, []
        for answered in waiting:
            if not answered.done():
                answered.set_result(None)

    async def _lease(self, pace: Pace) -> Leased:
        flight, tickets = self._flight, [*self._kept, *self._tickets][-MOST_IDS:]
        slots = flight.slots_for(self.marketplace)
        before, ahead_ms = self._clock.local(), CALM_AHEAD_MS if self._calm else AHEAD_MS
        leased = await self._leases.lease(
            marketplace=self.marketplace,
            pace=pace,
            slots=slots,
            idle=flight.empty,
            tickets=tickets,
            ahead_ms=ahead_ms,
        )
        self._clock.learn(server_us=leased.now_us, sent=before)
        seen_until = before + ahead_ms / 1000
        self._newly_seen, self._seen_until = seen_until - max(self._seen_until, before), seen_until
        flight.loading.update(leased.leases)
        self._kept, self._tickets = tickets[-1:], self._tickets[len(tickets) - len(self._kept) :]
        if leased.drain:
            flight.draining = self.marketplace
        elif slots and flight.draining == self.marketplace:
            flight.draining = ""
        return leased

    async def _start(self, leased: Leased) -> None:
        """Load the rows and begin. When the database does not answer, what was leased goes back as it came."""
        rows: dict[str, Target] = {}
        try:
            if leased.quarantined:
                await self._in_database(recording.quarantine, self.marketplace, leased.quarantined)
            if leased.leases:
                rows = await self._in_database(recording.load_targets, [lease.id for lease in leased.leases])
        except Exception:
            self._flight.unanswered.extend(leased.leases)
            raise
        finally:
            self._flight.loading.difference_update(leased.leases)
        for lease in leased.leases:
            self._begin(lease, rows.get(lease.id))

    def _begin(self, lease: Lease, target: Target | None) -> None:
        if target is None:
            self._flight.land(Landed(lease=lease, result=None))
            return
        self._flight.running[lease] = asyncio.get_running_loop().create_task(self._check(lease, target))

    async def _check(self, lease: Lease, target: Target) -> None:
        await asyncio.sleep(max(0.0, lease.due_ms / 1000 - self._clock.server()))
        result = await self._checker.check(lease, target)
        if self._flight.running.pop(lease, None) is not None:
            self._flight.land(Landed(lease=lease, result=result, target=target))

    async def _in_database(self, work: Callable[..., T], *args: Any) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._database, work, *args)

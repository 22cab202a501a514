"""The promoter: puts tickets on lanes when something is due. It leases nothing and knows nothing but the schedule.

Any number may run. It waits on its own clock until shortly before the next due time, or until an earlier insert wakes
it; a round that fails is tried again in a second, and the loop never ends by itself.
"""

import secrets
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import redis
import structlog
from django.db import DatabaseError, close_old_connections

from monitor_site.connections import key, lane_queue
from monitor_site.contract import Pace
from monitor_site.marketplaces import pausing
from monitor_site.marketplaces.catalog import UnknownMarketplace, catalog
from monitor_site.outbox.exact import KIND as INSTANTS

from . import exact, settling, upkeep
from .heartbeat import HEARTBEAT_SECONDS, PROMOTERS
from .jobs import PATH
from .schedule import TICKET_TTL_MS, UPKEEP, WAKE, Schedule

log = structlog.get_logger(__name__)

LONGEST_WAIT_SECONDS = 1.0
RETRY_SECONDS = 1.0
BEAT_SECONDS = 2.0
FORGOTTEN_MS = 10 * 60_000
PLANT_SECONDS = 60.0


@dataclass(kw_only=True)
class Promoter:
    """One promoter. ``client`` never repeats a command; ``wait`` sleeps for seconds and returns earlier when woken."""

    client: redis.Redis
    name: str = field(default_factory=lambda: secrets.token_hex(4))

    def __post_init__(self) -> None:
        self.schedule = Schedule(self.client)
        self._plant_at = self._beat_at = 0.0
        self._round_at = 0.0
        self._ask_at: dict[str, float] = {}
        self._since = 0
        self._queues = {lane: lane_queue(lane, self.client) for lane in ("checks", UPKEEP, "timed")}

    def run(self, *, stopped: Callable[[], bool]) -> None:
        """Promote until ``stopped``."""
        while not stopped():
            try:
                self._promote_until_lost(stopped)
            except (redis.RedisError, DatabaseError, OSError) as error:
                log.warning("promoter.round_failed", error=str(error))
                time.sleep(RETRY_SECONDS)

    def _promote_until_lost(self, stopped: Callable[[], bool]) -> None:
        with self.client.pubsub(ignore_subscribe_messages=True) as ear:  # type: ignore[no-untyped-call]
            ear.subscribe(key(WAKE))
            woken: str | None = ""
            while not stopped():
                heard = ear.get_message(timeout=self.turn(woken=woken))
                woken = heard["data"].decode() if heard else None

    def turn(self, *, woken: str | None) -> float:
        """A whole round once a second and when woken, else only what its last answer put off until now.

        ``woken`` names the marketplace whose schedule somebody has put something into.
        """
        now = time.monotonic()
        if woken is not None or now >= self._round_at:
            self.round(woken=woken or "")
            self._round_at = time.monotonic() + LONGEST_WAIT_SECONDS
        else:
            for name in [name for name, at in self._ask_at.items() if at <= now]:
                self._ask(name)
        return max(0.0, min([self._round_at, *self._ask_at.values()]) - time.monotonic())

    def round(self, *, woken: str = "") -> float:
        """Ask for every marketplace once, send tickets where they are due; seconds until the next round."""
        now_ms, built, instant_ms = self._look()
        if not built or time.monotonic() >= self._beat_at:
            self.beat(now_ms)
            self._beat_at = time.monotonic() + BEAT_SECONDS
        if not built:
            self._rebuild()
        self._plant()
        if instant_ms is not None and instant_ms <= now_ms:
            exact.hand_over(self.client, self._queues["timed"], now_ms=now_ms)
        waits = [self._ask(name, woken=name == woken) for name in sorted(self._marketplaces())]
        return min([LONGEST_WAIT_SECONDS, *waits])

    def _look(self) -> tuple[int, bool, float | None]:
        """The time in ms, whether the schedule is complete, and when the first instant is to be handed over."""
        with self.client.pipeline(transaction=False) as pipe:
            pipe.time()
            pipe.exists(key("built"))
            pipe.zrange(key(INSTANTS), 0, 0, withscores=True)
            (seconds, micros), built, instants = pipe.execute()
        return seconds * 1000 + micros // 1000, bool(built), instants[0][1] if instants else None

    def _marketplaces(self) -> set[str]:
        """Every known plugin and the upkeep; a schedule without a plugin waits until its plugin is back."""
        return {UPKEEP, *catalog().plugins}

    def _ask(self, name: str, *, woken: bool = False) -> float:
        ticket = secrets.token_hex(8)
        asked = self.schedule.ask(marketplace=name, pace=_pace(name), ticket=ticket, woken=woken)
        if asked.ticket:
            self._send(name, ticket)
        wait = LONGEST_WAIT_SECONDS if asked.again_ms is None else asked.again_ms / 1000
        self._ask_at[name] = time.monotonic() + wait
        return wait

    def _send(self, name: str, ticket: str) -> None:
        """The ticket's job lives as long as the ticket would, untaken."""
        ttl = TICKET_TTL_MS // 1000
        if name == UPKEEP:
            self._queues[UPKEEP].enqueue(
                f"{PATH}.run_upkeep", ticket, job_id=f"ticket-{ticket}", ttl=ttl, result_ttl=0, failure_ttl=60
            )
        else:
            self._queues["checks"].enqueue(
                f"{PATH}.run_checks", name, ticket, job_id=f"ticket-{ticket}", ttl=ttl, result_ttl=0, failure_ttl=60
            )

    def _rebuild(self) -> None:
        close_old_connections()
        pausing.apply(self.client)
        added = settling.rebuild(self.schedule)
        self._plant_at = 0.0
        log.info("schedule.built", targets=added, promoter=self.name)

    def _plant(self) -> None:
        """Once a minute, so that housekeeping comes back whatever was lost, and a new release's tasks begin."""
        if time.monotonic() >= self._plant_at:
            upkeep.plant(self.schedule)
            exact.plant(self.client, now=datetime.now(UTC))
            self._forget_the_silent()
            self._plant_at = time.monotonic() + PLANT_SECONDS

    def _forget_the_silent(self) -> None:
        now = self.schedule.now_ms()
        told: dict[Any, Any] = self.client.hgetall(key(PROMOTERS))
        silent = [name for name, text in told.items() if now - int(text.partition(b"|")[0]) > FORGOTTEN_MS]
        if silent:
            self.client.hdel(key(PROMOTERS), *silent)

    def beat(self, now_ms: int) -> None:
        """Its own key says that it lives; the hash names all promoters, so that nobody has to search for them."""
        self._since = self._since or now_ms
        with self.client.pipeline(transaction=False) as pipe:
            pipe.set(key("promoter", self.name), now_ms, ex=HEARTBEAT_SECONDS)
            pipe.hset(key(PROMOTERS), self.name, f"{now_ms}|{self._since}|{socket.gethostname()}")
            pipe.execute()


def _pace(name: str) -> Pace:
    if name == UPKEEP:
        return upkeep.PACE
    try:
        return catalog().pace(name)
    except UnknownMarketplace:
        return upkeep.PACE

"""A schedule whose clock a story moves: the real scripts on a real Redis, only the time of day is told to them."""

import math
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest

from monitor_site.connections import key
from monitor_site.contract import Pace
from monitor_site.engine import schedule as scheduling
from monitor_site.engine.schedule import Lease, Leases, Return, Schedule
from monitor_site.marketplaces import pace as pacing
from monitor_site.marketplaces import scripts
from monitor_site.watches.models import Target
from monitor_site.watches.record import standing_of

MARKET = "market"
START_MS = 1_780_000_020_000
CLOCK = "{redis.call('HGET', 'clock', 's'), redis.call('HGET', 'clock', 'us')}"


@dataclass
class Clockwork:
    """A marketplace, one worker, and the hands of a clock."""

    redis: Any
    client: Any
    pace: Pace
    now_ms: int = START_MS
    ran: list[tuple[str, int]] = field(default_factory=list)
    held: list[Lease] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.schedule = Schedule(self.redis)
        self.leases = Leases(self.client, worker="w1")
        self.set(self.now_ms)

    def set(self, now_ms: int) -> None:
        """It is so late now."""
        self.now_ms = now_ms
        self.redis.hset("clock", mapping={"s": now_ms // 1000, "us": now_ms % 1000 * 1000})

    def put(self, names: Any, *, due: int) -> None:
        self.schedule.put(marketplace=MARKET, moves=[(name, "at", due) for name in names])

    async def run(self, *, seconds: float, step_ms: int = 250, search_seconds: int = 60) -> None:
        """As promoter and worker together do: ask, lease, take a token, and give back a step later."""
        for _ in range(math.ceil(seconds * 1000 / step_ms)):
            await self._give_back(search_seconds)
            asked = self.schedule.ask(marketplace=MARKET, pace=self.pace, ticket=f"t{self.now_ms}")
            if asked.ticket:
                await self._lease(f"t{self.now_ms}")
            self.set(self.now_ms + step_ms)

    async def _lease(self, ticket: str) -> None:
        leased = await self.leases.lease(
            marketplace=MARKET, pace=self.pace, slots=100, idle=not self.held, tickets=[ticket]
        )
        for lease in leased.leases:
            await pacing.take(self.client, marketplace=MARKET, pace=self.pace)
            self.ran.append((lease.id, self.now_ms - lease.due_ms))
            self.held.append(lease)
        self.redis.delete(key("tickets", MARKET))

    async def _give_back(self, search_seconds: int) -> None:
        returns = [self._return(lease, search_seconds) for lease in self.held]
        if returns:
            await self.leases.give_back(marketplace=MARKET, returns=returns)
        self.held = []

    def _return(self, lease: Lease, search_seconds: int) -> Return:
        """A search on its beat, a look in a day."""
        if not lease.id.startswith("look:"):
            row = Target(pk=1, key=f"{int(lease.id) * 10_007:012x}{0:052}", interval_seconds=search_seconds)
            return Return(lease=lease, how="beat", standing=standing_of(row, delay_ms=0))
        tomorrow = datetime.fromtimestamp(self.now_ms / 1000 + 86_400, tz=UTC)
        row = Target(pk=1, key="0" * 64, interval_seconds=1, due_at=tomorrow)
        return Return(lease=lease, how="at", standing=standing_of(row, delay_ms=0))

    def lateness(self, *, looks: bool) -> list[int]:
        """How late each search, or each look, began."""
        return [late for name, late in self.ran if name.startswith("look:") == looks]


def tell_the_time(monkeypatch: pytest.MonkeyPatch, clock: str = CLOCK) -> None:
    """From now on every script reads the story's clock."""
    real, source = scheduling.lua, scripts._text
    monkeypatch.setattr(scheduling, "lua", lambda name: told(real(name), clock))
    monkeypatch.setattr(scripts, "_text", lambda name: told(source(name).decode(), clock).encode())
    monkeypatch.setattr(scripts, "_script", scripts._script.__wrapped__)


def stop_the_clock(monkeypatch: pytest.MonkeyPatch, *, seconds: int, micros: int) -> None:
    """It stays this moment for every script, and for whoever asks the schedule."""
    tell_the_time(monkeypatch, f"{{'{seconds}', '{micros}'}}")
    monkeypatch.setattr(Schedule, "now_ms", lambda _schedule: seconds * 1000 + micros // 1000)


def told(text: str, clock: str) -> str:
    found = text.replace("redis.call('TIME')", clock)
    assert found != text, "a script that asks another clock"
    return found

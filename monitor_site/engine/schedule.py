"""The schedule: one ZSET of due times per marketplace, and the scripts that move ids through it.

All state is in Redis and all of it may be lost: ``{mm}:built`` says that it is complete. Redis server time is the only
clock. ``Schedule`` is the blocking side (promoter, jobs, commands), ``Leases`` the side of a worker's event loop.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import redis
import redis.asyncio
from django.conf import settings

from monitor_site.connections import key
from monitor_site.contract import Pace
from monitor_site.watches.beat import phase_ms
from monitor_site.watches.results import Standing

AHEAD_MS = 60
TICKET_AHEAD_MS = 100
TICKET_TTL_MS = 10_000
TICKET_LIVE_MS = 800
SECOND_TICKET_AT = 100
LONE_CRASHES = 5
MOST_IDS = 100
WAKE = "wake"
# Housekeeping has a schedule of its own beside those of the marketplaces.
UPKEEP = "upkeep"


@cache
def lua(name: str) -> str:
    """The text of a script."""
    return (Path(__file__).parent / "lua" / f"{name}.lua").read_text(encoding="utf-8")


def lease_ms() -> int:
    """How long a lease lasts unless it is extended."""
    return int(settings.LEASE_SECONDS * 1000)


def bucket_cap(pace: Pace) -> int:
    """How many tokens a marketplace's bucket holds: six seconds' worth."""
    return max(1, pace.per_minute // 10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The promoter's answer: send a ticket or not, and in how many milliseconds to ask again (``None``: when woken)."""

    ticket: bool
    again_ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lease:
    """The timed right to run one id once. ``alone``: it is suspected of killing workers."""

    marketplace: str
    id: str
    fence: int
    due_ms: int
    alone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Leased:
    """What one lease call gave. ``drain``: this worker should let its work run out, a suspect waits to run alone."""

    now_us: int
    leases: tuple[Lease, ...]
    drain: bool
    quarantined: tuple[str, ...]
    next_due_ms: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Return:
    """How a lease goes back: ``beat`` with its standing, ``release`` to the due time it had, ``remove``."""

    lease: Lease
    how: str
    standing: Standing | None = None

    def args(self) -> list[Any]:
        """As the script wants it."""
        phase, interval_ms, delay_ms = 0, 1000, 0
        if self.standing is not None:
            interval_ms = self.standing.interval_seconds * 1000
            phase = phase_ms(self.standing.key, self.standing.interval_seconds)
            delay_ms = self.standing.delay_ms
        lease = self.lease
        return [lease.id, lease.fence, self.how, phase, interval_ms, delay_ms, lease.due_ms]


class Schedule:
    """The blocking side."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._ask = client.register_script(lua("ask"))
        self._put = client.register_script(lua("put"))

    def ask(self, *, marketplace: str, pace: Pace, ticket: str) -> Asked:
        """Whether a ticket should go out for a marketplace now."""
        keys = [key(kind, marketplace) for kind in ("due", "pace", "breaker", "tickets")]
        args: list[Any] = [TICKET_AHEAD_MS, pace.per_minute, bucket_cap(pace), ticket, TICKET_TTL_MS, SECOND_TICKET_AT]
        sent, now, again = self._ask(keys=keys, args=args)
        return Asked(ticket=bool(sent), again_ms=None if again < 0 else max(0, again - now))

    def put(self, *, marketplace: str, moves: Iterable[tuple[str, str, int]]) -> int:
        """Move ids: (id, ``at`` | ``sooner`` | ``new`` | ``remove``, due ms or 0 for now). Wakes the promoters."""
        keys = [key(kind, marketplace) for kind in ("due", "lease", "suspects")]
        flat: list[Any] = [part for move in moves for part in move]
        moved = 0
        for start in range(0, len(flat), 3 * 500):
            moved += int(self._put(keys=keys, args=flat[start : start + 3 * 500]))
        if moved:
            self._redis.publish(key(WAKE), marketplace)
        return moved

    def members(self, marketplace: str) -> set[str]:
        """Every id of a marketplace, due or leased."""
        names: list[Any] = self._redis.zrange(key("due", marketplace), 0, -1)
        return {name.decode() for name in names}

    def marketplaces(self) -> set[str]:
        """The marketplaces that have a schedule."""
        prefix = key("due", "")
        return {name.decode().removeprefix(prefix) for name in self._redis.scan_iter(match=f"{_glob(prefix)}*")}

    def now_ms(self) -> int:
        """Server time."""
        seconds, micros = self._redis.time()
        return int(seconds) * 1000 + int(micros) // 1000

    def is_built(self) -> bool:
        """Whether the schedule is complete."""
        return bool(self._redis.exists(key("built")))

    def mark_built(self) -> None:
        """The schedule is complete; losing Redis loses this mark too."""
        self._redis.set(key("built"), 1)


def _glob(text: str) -> str:
    return text.replace("[", r"\[").replace("]", r"\]")


class Leases:
    """The side of a worker's event loop."""

    def __init__(self, client: redis.asyncio.Redis, *, worker: str) -> None:
        self._worker = worker
        self._lease = client.register_script(lua("lease"))
        self._extend = client.register_script(lua("extend"))
        self._give_back = client.register_script(lua("give_back"))

    async def lease(self, *, marketplace: str, pace: Pace, slots: int, idle: bool, ticket: str = "") -> Leased:
        """Lease what is due, at most ``slots``; ``idle``: nothing is in flight in this worker."""
        kinds = ("due", "lease", "pace", "breaker", "tickets", "suspects", "drain")
        args: list[Any] = [
            min(slots, MOST_IDS), pace.concurrency, AHEAD_MS, lease_ms(), self._worker, int(idle),
            pace.per_minute, bucket_cap(pace), ticket, TICKET_LIVE_MS, LONE_CRASHES,
        ]  # fmt: skip
        reply = await self._lease(keys=[key(kind, marketplace) for kind in kinds], args=args)
        return _leased(marketplace, reply)

    async def extend(self, *, marketplace: str, leases: Sequence[Lease]) -> set[str]:
        """Extend leases by their full length; returns the ids that were lost."""
        args: list[Any] = [lease_ms()]
        for lease in leases:
            args += [lease.id, lease.fence]
        lost = await self._extend(keys=[key("due", marketplace), key("lease", marketplace)], args=args)
        return {name.decode() for name in lost}

    async def give_back(self, *, marketplace: str, returns: Sequence[Return]) -> set[str]:
        """Give leases back in one call; returns the ids that were no longer ours."""
        keys = [key(kind, marketplace) for kind in ("due", "lease", "suspects")]
        args = [part for one in returns for part in one.args()]
        return {name.decode() for name in await self._give_back(keys=keys, args=args)}


def _leased(marketplace: str, reply: list[Any]) -> Leased:
    fence, next_due, drain, quarantined, granted = reply
    rows = [granted[i : i + 3] for i in range(0, len(granted), 3)]
    return Leased(
        now_us=int(fence),
        leases=tuple(
            Lease(marketplace=marketplace, id=name.decode(), fence=int(fence), due_ms=int(due), alone=int(alone) == 1)
            for name, due, alone in rows
        ),
        drain=bool(drain),
        quarantined=tuple(name.decode() for name in quarantined),
        next_due_ms=None if next_due < 0 else int(next_due),
    )

"""The schedule: ZSETs of due times per marketplace, and the scripts that move ids through them.

All state is in Redis and all of it may be lost: ``{mm}:built`` says that it is complete. Redis server time is the only
clock. ``Schedule`` is the blocking side (promoter, jobs, commands), ``Leases`` the side of a worker's event loop.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import redis
import redis.asyncio
from django.conf import settings

from monitor_site.connections import key
from monitor_site.contract import Pace
from monitor_site.marketplaces.pace import capacity
from monitor_site.watches.beat import phase_ms
from monitor_site.watches.results import Standing

AHEAD_MS = 60
TICKET_AHEAD_MS = 100
TICKET_TTL_MS = 10_000
TICKET_LIVE_MS = 800
SECOND_TICKET_AT = 100
LONE_CRASHES = 5
MOST_IDS = 100
LATE_MS = 1000
WAKE = "wake"
# Searches stand in one set, looks at listings in another: however many of these wait, a search is found at once.
WAITING = ("due", "looks")
# As the script that leases takes them.
LEASED_BY = (
    "due", "lease", "pace", "breaker", "tickets", "suspects", "drain", "looks", "share", "resumed", "fence", "rank",
)  # fmt: skip
EXTENDED_BY = ("due", "lease", "looks", "suspects")
# Housekeeping has a schedule of its own beside those of the marketplaces.
UPKEEP = "upkeep"


@cache
def lua(name: str) -> str:
    """The text of a script."""
    return (Path(__file__).parent / "lua" / f"{name}.lua").read_text(encoding="utf-8")


def usual_lease_ms() -> int:
    """How long a lease lasts unless it is extended."""
    return int(settings.LEASE_SECONDS * 1000)


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
    """What one lease call gave. ``drain``: this worker should let its work run out, a suspect waits to run alone.

    ``rest_ms``: so long nothing that is not leased is due; 0 when something is, or nobody knows.
    """

    now_us: int
    leases: tuple[Lease, ...]
    drain: bool
    quarantined: tuple[str, ...]
    rest_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Returned:
    """What became of returns: ids that were no longer ours, ids that were edited meanwhile and want settling."""

    lost: frozenset[str]
    edited: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Ids that could be leased now, and those of them that are late by over a second."""

    due: int
    late: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Return:
    """How a lease goes back: ``beat`` or ``at`` (its very time) with its standing, ``release`` to the due time it had,

    ``remove``.
    """

    lease: Lease
    how: str
    standing: Standing | None = None

    def args(self) -> list[Any]:
        """As the script wants it."""
        phase, interval_ms, delay_ms, due_ms = 0, 1000, 0, self.lease.due_ms
        if self.standing is not None:
            interval_ms = self.standing.interval_seconds * 1000
            phase = phase_ms(self.standing.key, self.standing.interval_seconds)
            delay_ms = self.standing.delay_ms
            due_ms = due_ms if self.standing.due_ms is None else self.standing.due_ms
        rank = self.standing.rank if self.standing else ""
        return [self.lease.id, self.lease.fence, self.how, phase, interval_ms, delay_ms, due_ms, rank]


class Schedule:
    """The blocking side."""

    def __init__(self, client: redis.Redis) -> None:
        self._redis = client
        self._ask = client.register_script(lua("ask"))
        self._put = client.register_script(lua("put"))

    def ask(self, *, marketplace: str, pace: Pace, ticket: str, woken: bool = False) -> Asked:
        """Whether a ticket should go out for a marketplace now; ``woken``: by ids that a feed may not have seen."""
        keys = [key(kind, marketplace) for kind in ("due", "pace", "breaker", "tickets", "looks")]
        args: list[Any] = [
            TICKET_AHEAD_MS, pace.per_minute, capacity(pace), ticket, TICKET_TTL_MS, SECOND_TICKET_AT, TICKET_LIVE_MS,
            int(woken),
        ]  # fmt: skip
        sent, now, again = self._ask(keys=keys, args=args)
        return Asked(ticket=bool(sent), again_ms=None if again < 0 else max(0, again - now))

    def put(self, *, marketplace: str, moves: Iterable[tuple[str, str, int]]) -> int:
        """Move ids: (id, how, due ms or 0 for now), with ``how`` as ``put.lua`` says. Wakes the promoters."""
        keys = [key(kind, marketplace) for kind in ("due", "lease", "suspects", "edited", "looks", "rank")]
        flat: list[Any] = [part for move in moves for part in move]
        moved = 0
        for start in range(0, len(flat), 3 * 500):
            moved += int(self._put(keys=keys, args=flat[start : start + 3 * 500]))
        if moved:
            self._redis.publish(key(WAKE), marketplace)
        return moved

    def rank(self, marketplace: str, ranks: Mapping[str, str]) -> None:
        """Say what decides the turn of ids where not all can run at once, each ``importance|deadline ms|cost ms``."""
        flat = [text for pair in ranks.items() for text in pair]
        if flat:
            self._redis.hset(key("rank", marketplace), items=flat)

    def waiting(self, *, marketplace: str, pace: Pace) -> Waiting:
        """What more workers could help with: nothing while the breaker is open, or pace or concurrency is used up."""
        with self._redis.pipeline(transaction=False) as pipe:
            pipe.time()
            pipe.hget(key("breaker", marketplace), "until")
            pipe.hmget(key("pace", marketplace), "tokens", "at")
            pipe.hlen(key("lease", marketplace))
            (seconds, micros), opened, (tokens, at), leased = pipe.execute()
        now, room = seconds * 1000 + micros // 1000, pace.concurrency - leased
        if tokens is not None and at is not None:
            room = min(room, int(float(tokens) + max(0, now - float(at)) * pace.per_minute / 60_000))
        if room <= 0 or int(opened or 0) > now:
            return Waiting(due=0, late=0)
        due = sum(self.overdue(marketplace, before_ms=now))
        late = sum(self.overdue(marketplace, before_ms=now - LATE_MS)) if due else 0
        return Waiting(due=min(room, due), late=min(room, late))

    def overdue(self, marketplace: str, *, before_ms: int) -> tuple[int, int]:
        """How many searches and how many looks should have run before a moment."""
        with self._redis.pipeline(transaction=False) as pipe:
            for kind in WAITING:
                pipe.zcount(key(kind, marketplace), "-inf", before_ms)
            searches, looks = pipe.execute()
        return int(searches), int(looks)

    def members(self, marketplace: str) -> set[str]:
        """Every id of a marketplace, due or leased."""
        names: list[Any] = [name for kind in WAITING for name in self._redis.zrange(key(kind, marketplace), 0, -1)]
        return {name.decode() for name in names}

    def leased(self, marketplace: str) -> list[str]:
        """Every id of a marketplace that is at a worker."""
        names: list[Any] = self._redis.hkeys(key("lease", marketplace))
        return [name.decode() for name in names]

    def marketplaces(self) -> set[str]:
        """The marketplaces that have a schedule."""
        prefixes = [key(kind, "") for kind in WAITING]
        return {
            name.decode().removeprefix(prefix)
            for prefix in prefixes
            for name in self._redis.scan_iter(match=f"{_glob(prefix)}*")
        }

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
    """The side of a worker's event loop. Other terms than the usual ones are for work that is no check."""

    def __init__(
        self, client: redis.asyncio.Redis, *, worker: str, lease_ms: int | None = None, lone_crashes: int = LONE_CRASHES
    ) -> None:
        self._redis = client
        self._worker = worker
        self._lease_ms = usual_lease_ms() if lease_ms is None else lease_ms
        self._lone_crashes = lone_crashes
        self._lease = client.register_script(lua("lease"))
        self._extend = client.register_script(lua("extend"))
        self._give_back = client.register_script(lua("give_back"))

    async def lease(  # noqa: PLR0913  all of them by name
        self,
        *,
        marketplace: str,
        pace: Pace,
        slots: int,
        idle: bool,
        tickets: Sequence[str] = (),
        ahead_ms: int = AHEAD_MS,
    ) -> Leased:
        """Lease what is due, at most ``slots``; ``idle``: nothing is in flight in this worker.

        ``tickets`` that still live do so for a while from now.
        """
        args: list[Any] = [
            min(slots, MOST_IDS), pace.concurrency, ahead_ms, self._lease_ms, self._worker, int(idle),
            pace.per_minute, capacity(pace), TICKET_LIVE_MS, self._lone_crashes, *tickets,
        ]  # fmt: skip
        reply = await self._lease(keys=[key(kind, marketplace) for kind in LEASED_BY], args=args)
        return _leased(marketplace, reply)

    async def end_tickets(self, *, marketplace: str, tickets: Sequence[str], wake: bool = False) -> None:
        """Nobody looks after the marketplace for these tickets any more; ``wake``: somebody else should at once."""
        async with self._redis.pipeline(transaction=False) as pipe:
            if tickets:
                pipe.zrem(key("tickets", marketplace), *tickets)
            if wake:
                pipe.publish(key(WAKE), marketplace)
            await pipe.execute()

    async def extend(self, *, marketplace: str, leases: Sequence[Lease]) -> set[Lease]:
        """Extend leases by their full length; returns those that were lost."""
        args: list[Any] = [self._lease_ms]
        for lease in leases:
            args += [lease.id, lease.fence]
        lost = await self._extend(keys=[key(kind, marketplace) for kind in EXTENDED_BY], args=args)
        gone = {(lost[i].decode(), int(lost[i + 1])) for i in range(0, len(lost), 2)}
        return {lease for lease in leases if (lease.id, lease.fence) in gone}

    async def give_back(self, *, marketplace: str, returns: Sequence[Return]) -> Returned:
        """Give leases back in one call."""
        keys = [key(kind, marketplace) for kind in ("due", "lease", "suspects", "edited", "looks", "rank")]
        args = [part for one in returns for part in one.args()]
        lost, edited = await self._give_back(keys=keys, args=args)
        return Returned(lost=frozenset(n.decode() for n in lost), edited=frozenset(n.decode() for n in edited))


def _leased(marketplace: str, reply: list[Any]) -> Leased:
    clock, fence, drain, quarantined, granted, rest_ms = reply
    rows = [granted[i : i + 3] for i in range(0, len(granted), 3)]
    return Leased(
        now_us=int(clock),
        leases=tuple(
            Lease(marketplace=marketplace, id=name.decode(), fence=int(fence), due_ms=int(due), alone=int(alone) == 1)
            for name, due, alone in rows
        ),
        drain=bool(drain),
        quarantined=tuple(name.decode() for name in quarantined),
        rest_ms=int(rest_ms),
    )

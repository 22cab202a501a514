"""What a worker has in the air: leases that run, results that wait to be recorded. Lives in the worker's loop."""

import asyncio
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from monitor_site.watches.models import Target
from monitor_site.watches.results import Result

from .schedule import Lease

MOST_IN_FLIGHT = 2000
MOST_AT_ONCE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Landed:
    """A lease whose work is over: with a result to record, or without when there was nothing to ask.

    ``target`` is the row as it was when the check began.
    """

    lease: Lease
    result: Result | None
    target: Target | None = None


@dataclass(slots=True, kw_only=True)
class Flight:
    """All leases of a worker until they are given back: loading their rows, running, landed, being recorded, or
    ``unanswered``, when the database could not say what they are about.

    ``draining`` names the marketplace for which this worker lets its work run out: a suspect of it waits to run alone.
    """

    loading: set[Lease] = field(default_factory=set)
    running: dict[Lease, "asyncio.Task[None]"] = field(default_factory=dict)
    landed: list[Landed] = field(default_factory=list)
    recording: set[Lease] = field(default_factory=set)
    unanswered: list[Lease] = field(default_factory=list)
    draining: str = ""
    has_landed: asyncio.Event = field(default_factory=asyncio.Event)

    def land(self, one: Landed) -> None:
        """Its work is over; whoever records hears of it."""
        self.landed.append(one)
        self.has_landed.set()

    @property
    def empty(self) -> bool:
        """Nothing is leased by this worker."""
        return not self.held()

    @property
    def lands_faster(self) -> bool:
        """More has landed than one transaction should hold."""
        return len(self.landed) > MOST_AT_ONCE

    def slots_for(self, marketplace: str) -> int:
        """How many leases a marketplace's feed may take: none beside a suspect, none while one is waited for."""
        held = self.held()
        if any(lease.alone for lease in held):
            return 0
        if self.draining and (held or self.draining != marketplace):
            return 0
        return max(0, MOST_IN_FLIGHT - len(held))

    def held(self) -> list[Lease]:
        """Every lease that must be extended."""
        return [*self.loading, *self.running, *(one.lease for one in self.landed), *self.recording, *self.unanswered]

    def holds_of(self, marketplace: str) -> bool:
        """Something of a marketplace is leased by this worker."""
        return any(lease.marketplace == marketplace for lease in self.held())

    def by_marketplace(self) -> dict[str, list[Lease]]:
        """The held leases, each marketplace's together."""
        grouped: dict[str, list[Lease]] = {}
        for lease in self.held():
            grouped.setdefault(lease.marketplace, []).append(lease)
        return grouped

    def take_landed(self) -> list[Landed]:
        """What landed, as much as one transaction should hold; it counts as held until :meth:`settled`."""
        landed, self.landed = self.landed[:MOST_AT_ONCE], self.landed[MOST_AT_ONCE:]
        self.recording.update(one.lease for one in landed)
        if not self.landed:
            self.has_landed.clear()
        return landed

    def settled(self, leases: Iterable[Lease]) -> None:
        """These went back."""
        self.recording.difference_update(leases)

    def lose(self, leases: Collection[Lease]) -> None:
        """These leases are somebody else's now: stop their work, keep nothing of it."""
        for lease in [one for one in self.running if one in leases]:
            self.running.pop(lease).cancel()
        self.landed = [one for one in self.landed if one.lease not in leases]
        self.loading.difference_update(leases)
        self.unanswered = [lease for lease in self.unanswered if lease not in leases]

"""What happens by itself: new listings for keywords somebody asks, rivals' bids, fixed prices taken.

Nothing runs in the background. Each request first lets happen whatever was due since the one before; nobody could
have seen it earlier. A keyword asked alone gets something new about every ten seconds, hundreds of them in turn.
"""

from random import Random

from monitor_site.contract.practice import Shelf

from .goods import RIVALS
from .listing import EXTENSION, OPEN, Listing
from .world import World

SHARE_SECONDS = 10.0
ACTIVE_SECONDS = 120.0
MOST_AT_ONCE = 60


class Stream:
    """Makes things happen in ``world``; at most ``per_second`` new listings a virtual second."""

    def __init__(self, world: World, rng: Random) -> None:
        self._world, self._rng = world, rng
        self.running = True
        self.per_second = 2.0
        self._next = world.clock.now()

    def asked(self, shelf: Shelf[Listing]) -> None:
        """A question came in."""
        shelf.asked = self._world.clock.now()
        shelf.times_asked += 1

    def run(self) -> None:
        """Let everything happen that is due by now."""
        now = self._world.clock.now()
        if not self.running:
            self._next = now
            return
        self._next = max(self._next, now - ACTIVE_SECONDS)
        for _ in range(MOST_AT_ONCE):
            if self._next > now:
                return
            if not self._step(self._next, now):
                self._next = now + 1.0

    def _step(self, at: float, now: float) -> bool:
        active = [
            shelf for shelf in self._world.shelves.values() if shelf.can_grow and now - shelf.asked < ACTIVE_SECONDS
        ]
        if not active:
            return False
        hungry = min(active, key=lambda shelf: shelf.fed)
        hungry.fed = at
        self._world.arrive(hungry, at)
        for _ in range(2):
            self._move(self._rng.choice(active), now)
        rate = min(self.per_second, len(active) / SHARE_SECONDS)
        self._next = at + self._rng.uniform(0.75, 1.25) / max(rate, 0.001)
        return True

    def _move(self, shelf: Shelf[Listing], now: float) -> None:
        """A bid mostly, on what ends within minutes rather than on the rest; now and then a sale."""
        live = [found for found in shelf.members if found.status == OPEN and found.ends > now]
        pressing = [found for found in live if found.ends - now < EXTENSION and not found.fixed]
        if pressing and self._rng.random() < 0.5:
            live = pressing
        if live:
            self._happen(self._rng.choice(live))

    def _happen(self, listing: Listing) -> None:
        if not listing.fixed:
            self.rival_bids(listing)
        elif self._rng.random() < 0.2:
            self._world.buy(listing)

    def rival_bids(self, listing: Listing) -> Listing:
        """A rival bids between the least that is taken and half as much again."""
        lowest = listing.bidding.minimum
        amount = max(lowest, int(lowest * self._rng.uniform(1.0, 1.5)))
        self._world.bid(listing, self._rng.choice(RIVALS), amount)
        return listing

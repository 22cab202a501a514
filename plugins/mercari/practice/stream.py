"""What happens by itself: new listings for keywords somebody asks, price moves, sales, stops, bumps and bids.

Nothing runs in the background. Each request first lets happen whatever was due since the one before, at its own time;
nobody could have seen it earlier. Keywords asked within the last minutes share the stream, the one that waited longest
is next: a keyword asked alone gets something new about every nine seconds, hundreds of them get it in turn.
"""

from collections.abc import Callable
from random import Random

from monitor_site.contract.practice import Shelf

from .listing import ON_SALE, SOLD_OUT, STOP, TRADING, Listing
from .world import World

SHARE_SECONDS = 9.0
ACTIVE_SECONDS = 120.0
MOST_AT_ONCE = 100
CATCH_UP = 2


def _never(_: Listing) -> bool:
    return False


class Stream:
    """Makes things happen in ``world``; at most ``per_second`` new listings a virtual second.

    What ``busy`` says is in a buyer's hands is left alone.
    """

    def __init__(self, world: World, rng: Random, *, busy: Callable[[Listing], bool] = _never) -> None:
        self._world, self._rng, self._busy = world, rng, busy
        self.running = True
        self.per_second = 2.0
        self._next_new = self._next_move = world.clock.now()

    def asked(self, shelf: Shelf[Listing]) -> None:
        """A question came in. After a long silence a few listings were made in the meantime."""
        now = self._world.clock.now()
        silence = now - shelf.asked
        shelf.asked = now
        shelf.times_asked += 1
        if self.running and silence > ACTIVE_SECONDS and shelf.can_grow:
            for part in range(1, CATCH_UP + 1):
                self._list(shelf, created=now - silence * part / (CATCH_UP + 1))

    def run(self) -> None:
        """Let everything happen that is due by now."""
        now = self._world.clock.now()
        if not self.running:
            self._next_new = self._next_move = now
            return
        self._new_ones(now)
        self._moves(now)

    def _new_ones(self, now: float) -> None:
        self._next_new = max(self._next_new, now - ACTIVE_SECONDS)
        for _ in range(MOST_AT_ONCE):
            if self._next_new > now:
                return
            hungry = self._hungriest(self._next_new)
            if hungry is None:
                self._next_new = now + 1.0
                return
            self._list(hungry, created=self._next_new)
            self._next_new += self._pause()

    def _hungriest(self, at: float) -> Shelf[Listing] | None:
        """The active shelf that waited longest for something new, if any was asked before ``at``."""
        ready = [shelf for shelf in self._active(at) if shelf.fed <= at]
        return min(ready, key=lambda shelf: shelf.fed, default=None)

    def _active(self, at: float) -> list[Shelf[Listing]]:
        return [shelf for shelf in self._world.shelves.values() if shelf.can_grow and at - shelf.asked < ACTIVE_SECONDS]

    def _pause(self) -> float:
        active = max(1, len(self._active(self._world.clock.now())))
        rate = min(self.per_second, active / SHARE_SECONDS)
        return self._rng.uniform(0.75, 1.25) / max(rate, 0.001)

    def _list(self, shelf: Shelf[Listing], *, created: float) -> Listing:
        shelf.fed = created
        listing = self._world.invent(shelf, created=created)
        self._world.written(listing, by="stream")
        return listing

    def _moves(self, now: float) -> None:
        """About one move for every two new listings."""
        self._next_move = max(self._next_move, now - ACTIVE_SECONDS)
        for _ in range(MOST_AT_ONCE):
            if self._next_move > now:
                return
            self._next_move += 2 * self._pause()
            if shelves := self._active(now):
                self._move(self._rng.choice(shelves))

    def _move(self, shelf: Shelf[Listing]) -> None:
        if not shelf.members:
            return
        listing = self._rng.choice(shelf.members)
        if self._busy(listing):
            return
        if listing.status == TRADING:
            self._world.move(listing, self._rng.choice((SOLD_OUT, SOLD_OUT, ON_SALE)))
        elif listing.status == ON_SALE:
            self._move_on_sale(listing)

    def _move_on_sale(self, listing: Listing) -> None:
        if listing.auction:
            self.bid(listing)
            return
        chance = self._rng.random()
        if chance < 0.5 and listing.price:
            self._world.reprice(listing, self._new_price(listing.price))
        elif chance < 0.75:
            self._world.move(listing, TRADING)
        else:
            self._stop_or_bump(listing, chance)

    def _stop_or_bump(self, listing: Listing, chance: float) -> None:
        if chance < 0.8:
            self._world.move(listing, STOP)
        else:
            self._world.change(listing, "bumped")

    def bid(self, listing: Listing, price: int | None = None) -> Listing:
        """Somebody bids; without a price, a little over the current one."""
        if listing.auction is None:
            raise ValueError("not an auction")
        if listing.auction.start_price is None:
            listing.auction.start_price = listing.price
        listing.auction.bids += 1
        listing.price = price or int((listing.price or 1000) * 1.04) + 100
        return self._world.change(listing, "bid", bids=listing.auction.bids)

    def _new_price(self, price: int) -> int:
        factor = self._rng.choice((0.8, 0.9, 0.95, 0.95, 1.1))
        return max(300, int(price * factor) // 10 * 10)

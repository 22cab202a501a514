"""The world of the practice market: listings, and for each keyword ever asked the shelf of those that answer it."""

from bisect import insort
from collections import OrderedDict
from dataclasses import replace
from random import Random
from typing import Any

from monitor_site.contract import Status
from monitor_site.contract.practice import Clock, Shelf, Truth, UnknownListing, fold, random_for

from .bidding import Bidding, Outcome
from .goods import FAMILIES, HOUR, RIVALS, Family, family_of, make
from .listing import CANCELLED, OPEN, SOLD, UNSOLD, Listing

SHELVES = 1000
FEWEST = 24
MADE = 120


class World:
    """Everything on offer. Nothing here knows HTTP; time comes from the clock, chance from the seed.

    ``stale`` holds listings as they were, for pages that show an older state; ``fuzzy`` is by how many the count of a
    widened question is too high, 0 for none; ``date_offset`` by how many seconds dates in headers are wrong.
    """

    def __init__(self, *, seed: int, clock: Clock, truth: Truth, index_lag: float) -> None:
        self.seed, self.clock, self.truth, self.index_lag = seed, clock, truth, index_lag
        self.listings: dict[str, Listing] = {}
        self.shelves: OrderedDict[str, Shelf[Listing]] = OrderedDict()
        self.stale: dict[str, Listing] = {}
        self.fuzzy = 0
        self.date_offset: float | None = None
        for at, family in enumerate(FAMILIES * 4):
            self._there_already(self._own(self._stocked(random_for(seed, "stock", at), family)))
        truth.write("opened", seed=seed, listings=len(self.listings))

    def shelf(self, keyword: str) -> Shelf[Listing]:
        """The shelf of a keyword, stocked on the first question so that every keyword has something to show."""
        key = fold(keyword)
        if (found := self.shelves.get(key)) is None:
            found = self._open(key)
        self.shelves.move_to_end(key)
        return found

    def _open(self, key: str) -> Shelf[Listing]:
        now = self.clock.now()
        words = tuple(key.split())
        shelf = self.shelves[key] = Shelf(keyword=key, words=words, asked=now, fed=now)
        shelf.members = sorted(filter(shelf.holds, self.listings.values()), key=_age)
        for number in range(FEWEST - len(shelf.members) if shelf.can_grow else 0):
            rng = random_for(self.seed, key, number)
            shelf.made.append(self._there_already(self._own(self._stocked(rng, family_of(rng, key)))))
        self.truth.write("stocked", keyword=key, ids=[found.id for found in shelf.members])
        if len(self.shelves) > SHELVES:
            for listing in self.shelves.pop(next(iter(self.shelves))).made:
                self._forget(listing)
        return shelf

    def _there_already(self, listing: Listing) -> Listing:
        """Write into the truth log what nobody listed just now."""
        self.truth.write("stock", **listing.facts())
        return listing

    def _stocked(self, rng: Random, family: Family) -> Listing:
        """Something that has been on offer for some hours, still is, and was perhaps bid for."""
        now = self.clock.now()
        created = now - rng.uniform(0.1, 23) * HOUR
        listing = make(rng, family=family, number=rng.randrange(10**9), created=created, visible_at=created)
        while listing.ends <= now + HOUR:
            listing.ends = listing.planned = listing.ends + 24 * HOUR
        for rival in rng.choices(RIVALS, k=0 if listing.fixed else rng.randrange(7)):
            if listing.status == OPEN and (listing.bidding.buy_now or 10**9) > listing.bidding.minimum * 2:
                listing.bid(rival, int(listing.bidding.minimum * rng.uniform(1.0, 1.6)) + 1, created)
        return listing

    def arrive(self, shelf: Shelf[Listing], created: float) -> Listing:
        """Something new for a shelf; its id comes from the time, so that a restarted market gives no id twice."""
        rng = random_for(self.seed, shelf.keyword, created)
        seen, number = created + self.index_lag, int(created * 100)
        made = make(rng, family=family_of(rng, shelf.keyword), number=number, created=created, visible_at=seen)
        shelf.made.append(self._own(made))
        if len(shelf.made) > MADE:
            self._forget(shelf.made.popleft())
        return self.written(made, by="stream")

    def offer(self, listing: Listing) -> Listing:
        """Offer something an order asked for."""
        return self.written(self._own(listing), by="control")

    def written(self, listing: Listing, *, by: str) -> Listing:
        """Write a new listing into the truth log."""
        self.truth.write("listed", by=by, **listing.facts())
        return listing

    def _own(self, listing: Listing) -> Listing:
        while listing.id in self.listings:
            letter = listing.id[:1] if listing.id[:1].isalpha() else ""
            digits = listing.id[len(letter) :]
            listing.id = f"{letter}{(int(digits) + 1) % 10 ** len(digits):0{len(digits)}d}"
        self.listings[listing.id] = listing
        for shelf in self.shelves.values():
            if shelf.holds(listing):
                insort(shelf.members, listing, key=_age)
        return listing

    def _forget(self, listing: Listing) -> None:
        """Take a listing out of the world, so that memory is bounded however long the market runs."""
        self.listings.pop(listing.id, None)
        self.stale.pop(listing.id, None)
        for shelf in self.shelves.values():
            if shelf.holds(listing):
                shelf.members.remove(listing)
        self.truth.write("retired", id=listing.id, state=Status.REMOVED)

    def get(self, external_id: str) -> Listing:
        """The listing, or :class:`UnknownListing`."""
        if (found := self.listings.get(external_id)) is None:
            raise UnknownListing(external_id)
        return found

    def note(self, listing: Listing, event: str, **facts: Any) -> Listing:
        """Note a change that was just made: a new card, a line in the truth log."""
        listing.version += 1
        self.truth.write(event, **(listing.facts() | facts))
        return listing

    def bid(self, listing: Listing, bidder: str, amount: int) -> Outcome:
        """Take a bid, and write down what became of it; raises ``ValueError`` when nothing can be bid for."""
        self.settle(listing)
        if listing.status != OPEN or listing.flea:
            raise ValueError("not open for bids")
        end = listing.ends
        outcome = listing.bid(bidder, amount, self.clock.now())
        facts = {"bidder": bidder, "amount": amount, "outcome": outcome.value}
        self.note(listing, "bid", **facts, extended=listing.ends > end)
        if outcome == Outcome.BOUGHT:
            self.note(listing, "ended", by="buy-now")
        return outcome

    def settle(self, listing: Listing) -> None:
        """End a listing whose time is over: sold to the highest bidder, or unsold."""
        if listing.status == OPEN and listing.ends <= self.clock.now():
            listing.status = SOLD if listing.bidding.bids else UNSOLD
            self.note(listing, "ended", by="time")

    def end_early(self, listing: Listing) -> Listing:
        """The seller ends it now, which needs a bid; raises ``ValueError`` without one."""
        if listing.status != OPEN or not listing.bidding.bids:
            raise ValueError("ending early needs an open auction with a bid")
        listing.ends, listing.status = self.clock.now(), SOLD
        return self.note(listing, "ended", by="seller")

    def buy(self, listing: Listing) -> Listing:
        """Somebody takes it at its buy-now price; raises ``ValueError`` when it has none."""
        if listing.status != OPEN or listing.bidding.buy_now is None:
            raise ValueError("no buy-now price")
        listing.bid("buyer", listing.bidding.buy_now, self.clock.now())
        return self.note(listing, "ended", by="buy-now")

    def keep(self, listing: Listing, *, stale: bool) -> Listing:
        """From now on its page shows it as it is now; or, no longer ``stale``, as it really is."""
        self.stale.pop(listing.id, None)
        if stale:
            self.stale[listing.id] = replace(listing, bidding=replace(listing.bidding), cards={})
        return self.note(listing, "stale" if stale else "fresh")

    def relist(self, listing: Listing, *, external_id: str, seconds: float) -> Listing:
        """The seller lists the same again, under another id and at the first price."""
        now, first = self.clock.now(), listing.bidding
        bidding = Bidding(start=first.start, price=first.start, buy_now=first.buy_now)
        again = replace(
            listing, id=external_id, bidding=bidding, created=now, ends=now + seconds, visible_at=now, status=OPEN,
            planned=0.0, version=0, cards={},
        )  # fmt: skip
        return self.offer(again)

    def cancel(self, listing: Listing, *, gone: str) -> Listing:
        """The seller takes it back; ``gone`` is how its page is gone then."""
        listing.status, listing.gone = CANCELLED, gone
        return self.note(listing, "ended", by="cancelled")


def _age(listing: Listing) -> float:
    return -listing.created

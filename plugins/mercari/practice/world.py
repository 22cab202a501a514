"""The world of the practice market: listings, and for each keyword ever asked the shelf of those that answer it."""

import zlib
from bisect import insort
from collections import OrderedDict
from dataclasses import dataclass

from monitor_site.contract import Status
from monitor_site.contract.practice import Clock, Shelf, Truth, UnknownListing, fold, random_for

from .listing import ON_SALE, SOLD_OUT, STOP, TRADING, Listing
from .make import age, another_id, catalogue, make, personal_id, title_with

SHELVES = 2000
MADE_ROWS = 60
FEWEST_ROWS = 20


@dataclass(slots=True, kw_only=True)
class Paging:
    """How results are cut into pages: at most ``size`` rows (``None``: as many as asked).

    ``short`` pages lack rows without being last; ``duplicates`` repeat the last row of the page before.
    """

    size: int | None = None
    short: bool = False
    duplicates: bool = False


def _place(listing: Listing) -> float:
    """Newest first. Neighbours closer than a minute may stand in the wrong order, as in the real search."""
    return -listing.created - zlib.crc32(listing.id.encode()) % 60


class World:
    """Everything on offer. Nothing here knows HTTP; time comes from the clock, chance from the seed."""

    def __init__(self, *, seed: int, clock: Clock, truth: Truth, index_lag: float) -> None:
        self.seed, self.clock, self.truth, self.index_lag = seed, clock, truth, index_lag
        self.base = ""
        self.paging = Paging()
        self.listings: dict[str, Listing] = {}
        self.shelves: OrderedDict[str, Shelf[Listing]] = OrderedDict()
        self._made = 0
        for listing in sorted(catalogue(seed, clock.now()), key=lambda each: each.created):
            self._there_already(self._own(listing))
        truth.write("opened", seed=seed, listings=len(self.listings))

    def at(self, base: str) -> None:
        """Pictures are served under ``base`` from now on; rows made for another address are made again."""
        if base != self.base:
            self.base = base
            for listing in self.listings.values():
                listing.row = b""

    def shelf(self, keyword: str) -> Shelf[Listing]:
        """The shelf of a keyword, stocked on the first question so that every keyword has something to show."""
        key = fold(keyword)
        if (found := self.shelves.get(key)) is None:
            found = self._open(key, " ".join(keyword.split()))
        self.shelves.move_to_end(key)
        return found

    def _open(self, key: str, keyword: str) -> Shelf[Listing]:
        now = self.clock.now()
        words = tuple(key.split())
        shelf = self.shelves[key] = Shelf(keyword=keyword, words=words, asked=now, fed=now)
        found = (listing for listing in self.listings.values() if shelf.rarest in listing.folded)
        shelf.members = sorted(filter(shelf.holds, found), key=_place)
        self._stock(shelf, now)
        if len(self.shelves) > SHELVES:
            self._close(next(iter(self.shelves)))
        return shelf

    def _stock(self, shelf: Shelf[Listing], now: float) -> None:
        rng = random_for(self.seed, "stock", shelf.keyword)
        wanted = FEWEST_ROWS + rng.randrange(21)
        if not shelf.can_grow or len(shelf.members) >= FEWEST_ROWS:
            return
        missing = range(wanted - len(shelf.members))
        made = [self._there_already(self.invent(shelf, created=now - age(rng), number=n)) for n in missing]
        self.truth.write("stocked", keyword=shelf.keyword, ids=[listing.id for listing in made])

    def _there_already(self, listing: Listing) -> Listing:
        """Write into the truth log what nobody listed just now."""
        self.truth.write("stock", **listing.facts())
        return listing

    def _close(self, key: str) -> None:
        """Forget the shelf asked longest ago, with whatever was made for it."""
        for listing in self.shelves.pop(key).made:
            self.retire(listing)

    def invent(self, shelf: Shelf[Listing], *, created: float, number: int | None = None) -> Listing:
        """A listing that answers the shelf's keyword. With a ``number`` it is the same one in every run.

        A shelf keeps the last ``MADE_ROWS`` made for it, so that memory is bounded however long the market runs.
        """
        rng = random_for(self.seed, shelf.keyword, created if number is None else number)
        title, family = title_with(rng, shelf.keyword)
        seen = created if number is not None else created + self.index_lag
        listing = make(rng, title=title, family=family, created=created, visible_at=seen)
        if number is None and not listing.shop:
            listing.id = personal_id(int(created * 100))
        shelf.made.append(self._own(listing))
        if len(shelf.made) > MADE_ROWS:
            self.retire(shelf.made.popleft())
        return listing

    def offer(self, listing: Listing, *, by: str) -> Listing:
        """Offer something new and write it down."""
        self._own(listing)
        self.written(listing, by=by)
        return listing

    def written(self, listing: Listing, *, by: str) -> None:
        """Write a new listing into the truth log."""
        self.truth.write("listed", by=by, **listing.facts())

    def _own(self, listing: Listing) -> Listing:
        while listing.id in self.listings:
            listing.id = another_id(listing.id)
        self._made += 1
        listing.number = self._made
        self.listings[listing.id] = listing
        for shelf in self._shelves_of(listing):
            insort(shelf.members, listing, key=_place)
        return listing

    def _shelves_of(self, listing: Listing) -> list[Shelf[Listing]]:
        shelves, title = self.shelves.values(), listing.folded
        return [shelf for shelf in shelves if shelf.rarest in title and shelf.holds(listing)]

    def retire(self, listing: Listing) -> None:
        """Take a listing out of the world."""
        self.listings.pop(listing.id, None)
        for shelf in self._shelves_of(listing):
            if listing in shelf.members:
                shelf.members.remove(listing)
        self.truth.write("retired", id=listing.id, state=Status.REMOVED)

    def get(self, external_id: str) -> Listing:
        """The listing, or :class:`UnknownListing`."""
        if (found := self.listings.get(external_id)) is None:
            raise UnknownListing(external_id)
        return found

    def change(self, listing: Listing, event: str, **facts: object) -> Listing:
        """Note a change that was just made to ``listing``: new ``updated``, new row, a line in the truth log.

        A bump edits nothing.
        """
        listing.edits += event != "bumped"
        listing.touch(self.clock.now())
        self.truth.write(event, id=listing.id, price=listing.price, status=listing.status, state=listing.state, **facts)
        return listing

    def stock(self, listing: Listing) -> Listing:
        """Follow a shop's stock, which was just changed: nothing left is sold out, something again is on sale."""
        wanted = ON_SALE if any(variant.quantity for variant in listing.variants) else SOLD_OUT
        return self.change(listing, "stock") if listing.status == wanted else self.move(listing, wanted)

    def reprice(self, listing: Listing, price: int | None) -> Listing:
        """Change the price."""
        before, listing.price = listing.price, price
        return self.change(listing, "price", before=before)

    def move(self, listing: Listing, status: str) -> Listing:
        """Change the status."""
        before, listing.status = listing.status, status
        return self.change(listing, "status", before=before)

    def trade(self, listing: Listing) -> Listing:
        """Somebody bought it; that edits nothing, so its checksum stays."""
        edits = listing.edits
        moved = self.move(listing, TRADING)
        listing.edits = edits
        return moved

    def settle(self, listing: Listing, now: float) -> None:
        """End an auction whose time is over: to the highest bidder, or stopped when nobody bid."""
        listing.catch_up(now)
        if listing.auction and listing.status == ON_SALE and listing.auction.ends <= now:
            self.move(listing, TRADING if listing.auction.bids else STOP)

"""The practice market: a server that plays the marketplace over real HTTP, with invented goods."""

from bisect import insort
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from monitor_site.contract.practice import (
    Clock,
    Control,
    Kind,
    Order,
    PracticeMarket,
    Reply,
    Request,
    Shelf,
    Truth,
    UnknownListing,
    fixed,
    fold,
    generic_kinds,
    html_reply,
    json_reply,
    random_for,
)

PAGE_SIZE = 20
STOCKED = 24
NEW_EVERY = 10.0
STAYS_ASKED = 120.0
CONDITIONS = ("new", "good", "worn")


@dataclass(slots=True, kw_only=True, eq=False)
class Listing:
    """Something on offer; times are virtual unix seconds, prices whole yen."""

    id: str
    title: str
    price: int
    created: float
    visible_at: float
    condition: str = "good"
    status: str = "on_sale"
    folded: str = field(init=False)

    def __post_init__(self) -> None:
        self.folded = fold(self.title)

    def shown(self) -> dict[str, Any]:
        """As the API tells of it."""
        told = {name: getattr(self, name) for name in ("id", "title", "price", "condition", "status")}
        return told | {"seller": "practice", "created": int(self.created)}

    def facts(self) -> dict[str, Any]:
        """As the truth log tells of it."""
        return self.shown() | {"state": self.status, "visible_at": self.visible_at}


class World:
    """All that is on offer; time comes from the clock, chance from the seed."""

    def __init__(self, *, seed: int, clock: Clock, truth: Truth, index_lag: float = 1.0) -> None:
        self.seed, self.clock, self.truth, self.index_lag = seed, clock, truth, index_lag
        self.listings: dict[str, Listing] = {}
        self.shelves: dict[str, Shelf[Listing]] = {}

    def shelf(self, keyword: str) -> Shelf[Listing]:
        """What answers a keyword; stocked when it is first asked, so that every keyword has something to show."""
        key = fold(keyword)
        if key not in self.shelves:
            self.shelves[key] = self._opened(key)
        return self.shelves[key]

    def get(self, external_id: str) -> Listing:
        """The listing; raises :class:`UnknownListing`."""
        if external_id not in self.listings:
            raise UnknownListing(external_id)
        return self.listings[external_id]

    def offer(self, listing: Listing) -> Listing:
        """Put it on every shelf where it belongs, and write it down."""
        while listing.id in self.listings:
            listing.id += "x"
        self.listings[listing.id] = listing
        for shelf in self.shelves.values():
            if shelf.holds(listing):
                insort(shelf.members, listing, key=_age)
        self.truth.write("listed", **listing.facts())
        return listing

    def made(self, keyword: str, number: int, created: float, visible_at: float) -> Listing:
        """An invented listing for a keyword."""
        rng = random_for(self.seed, keyword, number)
        return Listing(
            id=f"p{rng.randrange(10**9):09d}",
            title=f"{keyword} {number}",
            price=rng.randrange(300, 30_000),
            created=created,
            visible_at=visible_at,
            condition=rng.choice(CONDITIONS),
        )

    def _opened(self, key: str) -> Shelf[Listing]:
        now = self.clock.now()
        shelf = Shelf[Listing](keyword=key, words=tuple(key.split()), asked=now, fed=now)
        for number in range(STOCKED if shelf.can_grow else 0):
            self.offer(self.made(key, number, now - 600 * (number + 1), now))
        shelf.members = sorted(filter(shelf.holds, self.listings.values()), key=_age)
        return shelf


def _age(listing: Listing) -> float:
    return -listing.created


class Stream:
    """What happens by itself: a keyword that is asked gets something new every ten virtual seconds."""

    def __init__(self, world: World) -> None:
        self._world, self.running, self.per_second = world, True, 2.0

    def run(self) -> None:
        """Let everything happen that is due by now."""
        now = self._world.clock.now()
        for shelf in list(self._world.shelves.values()):
            if not self.running or now - shelf.asked > STAYS_ASKED:
                shelf.fed = now
            while shelf.can_grow and shelf.fed + NEW_EVERY <= now:
                shelf.fed += NEW_EVERY
                seen = shelf.fed + self._world.index_lag
                self._world.offer(self._world.made(shelf.keyword, int(shelf.fed), shelf.fed, seen))


def _list(market: "Market", order: Order) -> Any:
    now = market.world.clock.now()
    number = len(market.world.listings)
    lag = float(order.get("visible_in", market.world.index_lag))
    listing = market.world.made(str(order["title"]), number, now, now + lag)
    listing.price = int(order.get("price", listing.price))
    return market.world.offer(listing).shown()


def _change(market: "Market", order: Order) -> Any:
    listing = market.world.get(str(order["id"]))
    listing.price = int(order["price"])
    market.world.truth.write("price", **listing.facts())
    return listing.shown()


def _sell(market: "Market", order: Order) -> Any:
    listing = market.world.get(str(order["id"]))
    listing.status = "sold"
    market.world.truth.write("sold", **listing.facts())
    return listing.shown()


KINDS: dict[str, Kind] = {
    **generic_kinds(
        error=json_reply({"error": "practice"}, 500),
        throttled=json_reply({"error": "slow down"}, 429),
        maintenance=html_reply("<p>closed</p>", 503),
    ),
    "block": fixed(html_reply("<!DOCTYPE html><html><body><h1>Access denied</h1></body></html>", 403)),
    "layout": fixed(json_reply({"entries": []})),
}
"""What can go wrong, by name."""


class Market(PracticeMarket[World, Stream]):
    """The practice market."""

    control = Control({("POST", "list"): _list, ("POST", "change"): _change, ("POST", "sell"): _sell})
    kinds = KINDS
    routes = ("search", "listing")

    def route(self, path: str) -> str:
        """A search, or one listing."""
        return "listing" if path.startswith("/listings/") else "search"

    async def good(self, route: str, request: Request) -> Reply:
        """The answer when nothing goes wrong."""
        self.stream.run()
        return self._listing(request) if route == "listing" else self._search(request)

    def _search(self, request: Request) -> Reply:
        shelf, now = self.world.shelf(request.parameters.get("q", "")), self.world.clock.now()
        shelf.asked, shelf.times_asked = now, shelf.times_asked + 1
        found = [each for each in shelf.members if each.status == "on_sale" and each.visible_at <= now]
        start = (int(request.parameters.get("page", 1)) - 1) * PAGE_SIZE
        more = start // PAGE_SIZE + 2 if len(found) > start + PAGE_SIZE else None
        rows = [each.shown() for each in found[start : start + PAGE_SIZE]]
        return json_reply({"total": len(found), "next": more, "rows": rows})

    def _listing(self, request: Request) -> Reply:
        try:
            return json_reply({"listing": self.world.get(request.path.removeprefix("/listings/")).shown()})
        except UnknownListing:
            return json_reply({"error": "no such listing"}, 404)


def create(*, seed: int, truth_log: Path | None) -> Market:
    """A practice market as ASGI application; the same ``seed`` gives the same goods."""
    clock = Clock()
    world = World(seed=seed, clock=clock, truth=Truth(clock, truth_log))
    return Market(world, Stream(world))

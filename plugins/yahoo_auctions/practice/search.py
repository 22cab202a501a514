"""Answering the question in an address from the world."""

import re
from collections.abc import Callable, Iterable
from typing import Any

from monitor_site.contract.practice import fold

from . import pages
from .goods import FAMILIES
from .listing import OPEN, Listing
from .pages import View
from .stream import Stream
from .world import World

ORDERS: dict[tuple[str, str], tuple[str, Callable[[Listing], Any]]] = {
    ("new", "d"): ("新着順", lambda found: -found.created),
    ("end", "a"): ("残り時間の短い順", lambda found: found.ends),
    ("end", "d"): ("残り時間の長い順", lambda found: -found.ends),
    ("tbids", "a"): ("現在価格の安い順（送料込み）", lambda found: found.bidding.price + (found.fee or 0)),
    ("tbids", "d"): ("現在価格の高い順（送料込み）", lambda found: -found.bidding.price - (found.fee or 0)),
    ("tbidorbuy", "a"): ("即決価格の安い順（送料込み）", lambda found: found.bidding.buy_now or 10**12),
    ("tbidorbuy", "d"): ("即決価格の高い順（送料込み）", lambda found: -(found.bidding.buy_now or 0)),
    # Inverted, as on the real page.
    ("bids", "a"): ("入札件数の多い順", lambda found: -found.bidding.bids),
    ("bids", "d"): ("入札件数の少ない順", lambda found: found.bidding.bids),
    ("popular", "d"): ("人気順", lambda found: (-found.bidding.bids, found.id)),
    ("featured", "d"): ("注目のオークション順", lambda found: (-found.bidding.price, found.id)),
}
RECOMMENDED = ("おすすめ順", lambda found: found.id[::-1])
_ODD = re.compile(r"[()\[\],（）［］，]")
_HOUR = 3600.0

Query = dict[str, str]
Test = Callable[[Listing], bool]


def is_odd(query: Query) -> bool:
    """Whether the keyword is one that breaks the search."""
    return bool(_ODD.search(query.get("p", "") + query.get("va", "")))


def view_of(world: World, stream: Stream, query: Query, base: str) -> View:
    """What a page of results shows for a query; an unknown sort key is ignored without a word."""
    found = [listing for listing in _shelf(world, stream, query) if listing.status == OPEN]
    tests = _tests(query, world.clock.now())
    label, key = ORDERS.get((query.get("s1", ""), query.get("o1", "")), RECOMMENDED)
    kept = sorted((listing for listing in found if all(test(listing) for test in tests)), key=key)
    return _view(world, query, base, kept, label)


def closed_view(world: World, stream: Stream, query: Query, base: str) -> View:
    """What the closed search shows."""
    return _view(world, query, base, pages.sold(_shelf(world, stream, query)), "")


def seller_view(world: World, stream: Stream, seller: str, query: Query, base: str) -> View | None:
    """What the page of a seller shows, recommended first; ``None`` when nobody of that id ever sold anything."""
    _keep_going(world, stream, [found.title for found in world.listings.values() if found.seller == seller][:1])
    stream.run()
    own = [listing for listing in world.listings.values() if listing.seller == seller]
    found = [listing for listing in _visible(world, own) if listing.status == OPEN]
    return _view(world, query, base, sorted(found, key=RECOMMENDED[1]), "") if own else None


def _view(world: World, query: Query, base: str, found: list[Listing], label: str) -> View:
    return View(
        base=base,
        keyword=query.get("p") or query.get("va") or query.get("vo") or "",
        order=label,
        found=found,
        first=max(_number(query, "b"), 1),
        size=_number(query, "n") if query.get("n") in {"20", "50", "100"} else 50,
        now=world.clock.now(),
        more=world.fuzzy,
    )


def _shelf(world: World, stream: Stream, query: Query) -> list[Listing]:
    """All that is visible for the words, those that just ended settled."""
    any_of = fold(query.get("vo", "")).split()
    keywords = (
        [query.get("p") or query.get("va") or ""] if not any_of else [query.get("va", "") + " " + w for w in any_of]
    )
    # A question that was widened finds everything, whatever the words.
    shelves = [world.shelf(keyword) for keyword in [*keywords, *[""] * bool(world.fuzzy)]]
    for shelf in shelves:
        stream.asked(shelf)
    if not any(shelf.can_grow for shelf in shelves):
        _keep_going(world, stream, [each.name for each in FAMILIES if str(each.category) == query.get("auccat")])
    stream.run()
    found = dict.fromkeys(member for shelf in shelves for member in shelf.members)
    return list(_visible(world, found))


def _keep_going(world: World, stream: Stream, titles: list[str]) -> None:
    """Somebody looks on without words: let things happen among goods like these."""
    for title in titles:
        stream.asked(world.shelf(title.split()[0]))


def _visible(world: World, found: Iterable[Listing]) -> Iterable[Listing]:
    now = world.clock.now()
    for listing in found:
        world.settle(listing)
        if listing.visible_at <= now:
            yield listing


def _tests(query: Query, now: float) -> list[Test]:
    """One test for each limit that was asked."""
    tests: list[Test] = []
    if unwanted := fold(query.get("ve", "")).split():
        tests.append(lambda found: not any(word in found.folded for word in unwanted))
    if query.get("fixed") in {"1", "2"}:
        tests.append(lambda found: found.fixed == (query["fixed"] == "1"))
    if query.get("pstagefree") == "1":
        tests.append(lambda found: found.fee == 0)
    if query.get("auchours") == "1":
        tests.append(lambda found: found.ends - now <= _HOUR)
    return tests + _number_tests(query) + _kind_tests(query)


def _number_tests(query: Query) -> list[Test]:
    tests: list[Test] = []
    if low := _number(query, "aucminprice"):
        tests.append(lambda found: found.bidding.price >= low)
    if high := _number(query, "aucmaxprice"):
        tests.append(lambda found: found.bidding.price <= high)
    if low_now := _number(query, "aucmin_bidorbuy_price"):
        tests.append(lambda found: (found.bidding.buy_now or 0) >= low_now)
    if high_now := _number(query, "aucmax_bidorbuy_price"):
        tests.append(lambda found: 0 < (found.bidding.buy_now or 0) <= high_now)
    if category := _number(query, "auccat"):
        tests.append(lambda found: found.category == category)
    return tests


def _kind_tests(query: Query) -> list[Test]:
    sellers, grades = set(query.get("abatch", "").split(",")), set(query.get("istatus", "").split(","))
    tests: list[Test] = []
    if sellers & {"1", "2", "3"}:
        tests.append(lambda found: ("1" if found.store else "3" if found.flea else "2") in sellers)
    if grades - {"", "0"}:
        tests.append(lambda found: ("1" if found.unused else "2") in grades or (not found.unused and "4" in grades))
    return tests


def _number(query: Query, name: str) -> int:
    text = query.get(name, "")
    return int(text) if text.isascii() and text.isdecimal() else 0

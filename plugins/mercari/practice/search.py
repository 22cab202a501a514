"""Answering a question from the world, in the recorded shape."""

import math
from collections.abc import Callable, Iterable
from typing import Any

import orjson

from monitor_site.contract.practice import fold

from .listing import ON_SALE, SOLD_OUT, TRADING, Listing
from .stream import Stream
from .world import World

PADDING = 3
_WANTED_STATUS = {"STATUS_ON_SALE": ON_SALE, "STATUS_TRADING": TRADING, "STATUS_SOLD_OUT": SOLD_OUT}
_TAIL = (
    b'],"components":[{"rowNumber":"0","engagementArea":{"empty":{}}}],"searchCondition":null,"searchConditionId":""}'
)


class BadQuestion(ValueError):
    """The body is not a question."""


def search(world: World, stream: Stream, body: bytes) -> bytes:
    """The answer to a search body; raises :class:`BadQuestion`."""
    question = _read(body)
    wanted = question["searchCondition"]
    shelf = world.shelf(str(wanted.get("keyword") or ""))
    stream.asked(shelf)
    stream.run()
    found = _matching(world, shelf.members, wanted)
    return _page(world, found, question)


def _read(body: bytes) -> dict[str, Any]:
    try:
        question = orjson.loads(body)
    except orjson.JSONDecodeError as unread:
        raise BadQuestion("no JSON") from unread
    if not isinstance(question, dict) or not isinstance(question.get("searchCondition"), dict):
        raise BadQuestion("no searchCondition")
    return question


def _matching(world: World, members: Iterable[Listing], wanted: dict[str, Any]) -> list[Listing]:
    now = world.clock.now()
    seen = [listing for listing in members if listing.visible_at <= now and not listing.removed]
    for listing in seen:
        world.settle(listing, now)
    tests = _tests(wanted)
    found = [listing for listing in seen if all(test(listing) for test in tests)]
    return _sorted(found, wanted)


def _tests(wanted: dict[str, Any]) -> list[Callable[[Listing], bool]]:
    """One test for each limit that was asked; statuses that the search never shows are out in any case."""
    states = {_WANTED_STATUS[name] for name in wanted.get("status") or [] if name in _WANTED_STATUS}
    states = states or set(_WANTED_STATUS.values())
    tests: list[Callable[[Listing], bool]] = [lambda listing: listing.status in states]
    for name, value_of in _FIELDS.items():
        if chosen := {str(value) for value in wanted.get(name) or []}:
            tests.append(_one_of(chosen, value_of))
    return tests + _price_tests(wanted) + _word_tests(wanted)


def _one_of(chosen: set[str], value_of: Callable[[Listing], object]) -> Callable[[Listing], bool]:
    return lambda listing: str(value_of(listing)) in chosen


_FIELDS: dict[str, Callable[[Listing], object]] = {
    "categoryId": lambda listing: listing.category,
    "brandId": lambda listing: listing.brand,
    "itemConditionId": lambda listing: listing.condition,
    "shippingPayerId": lambda listing: listing.payer,
    "sellerId": lambda listing: listing.seller,
    "shopIds": lambda listing: listing.shop,
    "itemTypes": lambda listing: "ITEM_TYPE_BEYOND" if listing.shop else "ITEM_TYPE_MERCARI",
}


def _price_tests(wanted: dict[str, Any]) -> list[Callable[[Listing], bool]]:
    low, high = int(wanted.get("priceMin") or 0), int(wanted.get("priceMax") or 0)
    tests: list[Callable[[Listing], bool]] = []
    if low:
        tests.append(lambda listing: listing.price is not None and listing.price >= low)
    if high:
        tests.append(lambda listing: listing.price is not None and listing.price <= high)
    return tests


def _word_tests(wanted: dict[str, Any]) -> list[Callable[[Listing], bool]]:
    unwanted = fold(str(wanted.get("excludeKeyword") or "")).split()
    return [lambda listing: not any(word in listing.folded for word in unwanted)] if unwanted else []


def _sorted(found: list[Listing], wanted: dict[str, Any]) -> list[Listing]:
    """Shelves are newest first already; only by price is there another order."""
    if wanted.get("sort") != "SORT_PRICE":
        return found
    return sorted(found, key=lambda listing: listing.price or 0, reverse=wanted.get("order") != "ORDER_ASC")


def _page(world: World, found: list[Listing], question: dict[str, Any]) -> bytes:
    step = _step(world, question)
    number = _page_number(question.get("pageToken"))
    begin, end = number * step, (number + 1) * step
    repeated = 1 if world.paging.duplicates and number else 0
    rows, last = found[begin - repeated : end], end >= len(found)
    meta = {
        "nextPageToken": "" if last else f"v1:{number + 1}",
        "previousPageToken": f"v1:{number - 1}" if number else "",
        # Too big, as there: nobody may count on it.
        "numFound": str(len(found) + math.ceil(len(found) / 20)),
        "properties": [],
    }
    return render(world, meta, rows + (_padding(world, question) if last else []))


def _step(world: World, question: dict[str, Any]) -> int:
    """How many new rows a page brings: as many as fit, or a third fewer where pages are to be short."""
    size = min(max(int(question.get("pageSize") or 120), 1), world.paging.size or 120, 120)
    return max(1, size * 2 // 3) if world.paging.short else size


def _page_number(token: Any) -> int:
    number = str(token or "v1:0").removeprefix("v1:")
    if not number.isdecimal():
        raise BadQuestion(f"page token {token}")
    return int(number)


def _padding(world: World, question: dict[str, Any]) -> list[Listing]:
    """What fills up the last page of a question for categories: things of others."""
    asked = {str(category) for category in question["searchCondition"].get("categoryId") or []}
    if not asked:
        return []
    others = (found for found in world.listings.values() if str(found.category) not in asked)
    return [found for found, _ in zip(others, range(PADDING), strict=False)]


def render(world: World, meta: dict[str, Any], rows: list[Listing]) -> bytes:
    """A page in the recorded shape."""
    return _rendered(meta, [listing.bytes_for(world.base) for listing in rows])


def _rendered(meta: dict[str, Any], rows: list[bytes]) -> bytes:
    return b'{"meta":' + orjson.dumps(meta) + b',"items":[' + b",".join(rows) + _TAIL


def empty_page() -> bytes:
    """A page without rows: what a client that is not welcome gets, with status 200."""
    meta = {"nextPageToken": "", "previousPageToken": "", "numFound": "0", "properties": []}
    return _rendered(meta, [])

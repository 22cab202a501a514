"""What is read besides the search: one listing of a person or a shop, a seller's items, a seller."""

import re
from collections.abc import Callable
from typing import Any

from monitor_site.contract.practice import Reply, Request, UnknownListing, json_reply

from .detail import item, listed_item, pager_id, word_of
from .faults import refusal
from .listing import Listing
from .people import profile
from .product import product
from .world import World

ITEM, SELLER_ITEMS, PROFILE = "/items/get", "/items/get_items", "/users/get_profile"
PRODUCT = "/v1/marketplaces/shops/products/"
PERSON = re.compile("[1-9][0-9]{0,17}")
MOST = 60


def route(path: str) -> str | None:
    """Which kind of thing is read there; ``None`` when nothing is."""
    if path.startswith(PRODUCT):
        return "products"
    return {ITEM: "items", SELLER_ITEMS: "sellers", PROFILE: "sellers"}.get(path)


def read(world: World, request: Request) -> Reply:
    """The answer to a request for a path of :func:`route`."""
    if request.path.startswith(PRODUCT):
        return _look(world, request.path.removeprefix(PRODUCT), lambda found: product(found, world.base), shop=True)
    if request.path == ITEM:
        return _item(world, request)
    number = request.parameters.get("user_id") or request.parameters.get("seller_id") or ""
    if not PERSON.fullmatch(number):
        return missing()
    return _ok(profile(number, world.base)) if request.path == PROFILE else _items(world, number, request)


def missing() -> Reply:
    """The reply for what does not exist."""
    error = {"code": "RecordNotFoundException", "message": "practice"}
    return json_reply({"result": "error", "errors": [error], "meta": {}}, 404)


def _item(world: World, request: Request) -> Reply:
    """A shop's id is not known here. Only the word ``true`` is a flag that is set."""
    with_auction = request.parameters.get("include_auction") == "true"

    def told(found: Listing) -> Any:
        return {"result": "OK", "data": item(found, world.base, with_auction=with_auction), "meta": {}}

    return _look(world, request.parameters.get("id", ""), told, shop=False)


def _look(world: World, external_id: str, told: Callable[[Listing], Any], *, shop: bool) -> Reply:
    """404 for what never was or is forgotten, 403 for what was removed."""
    try:
        found = world.get(external_id)
    except UnknownListing:
        return missing()
    if bool(found.shop) != shop:
        return missing()
    if found.removed:
        return refusal(403, 7, "practice: removed")
    world.settle(found, world.clock.now())
    return json_reply(told(found))


def _items(world: World, number: str, request: Request) -> Reply:
    """A seller's items, latest first, below the number asked for."""
    asked = request.parameters
    below, states = int(asked.get("max_pager_id") or 10**15), asked.get("status", "").split(",")
    most = min(max(int(asked.get("limit") or 30), 1), MOST)
    own = [found for found in _offered_by(world, number) if word_of(found) in states and pager_id(found) < below]
    with_auction = asked.get("with_auction") == "true"
    rows = [listed_item(found, world.base, with_auction=with_auction) for found in own[:most]]
    return json_reply({"result": "OK", "meta": {"has_next": len(own) > most}, "data": rows})


def _offered_by(world: World, number: str) -> list[Listing]:
    """All that a person ever offered, as it stands now, latest first."""
    own = [found for found in world.listings.values() if found.seller == number and _is_listed(found)]
    for found in own:
        world.settle(found, world.clock.now())
    return sorted(own, key=pager_id, reverse=True)


def _is_listed(found: Listing) -> bool:
    return not found.shop and not found.removed


def _ok(data: Any) -> Reply:
    return json_reply({"result": "OK", "data": data, "meta": {}})

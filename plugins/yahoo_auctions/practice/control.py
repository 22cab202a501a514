"""The control end under ``/_practice/``: look into the world, push it, break it. JSON in, JSON out."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import orjson

from .bidding import Bidding
from .goods import FAMILIES, auction_id
from .listing import Listing
from .reply import Reply, Request, json_reply
from .world import UnknownListing

if TYPE_CHECKING:
    from .app import PracticeMarket

Order = dict[str, Any]
Handler = Callable[["PracticeMarket", Order], Any]


def answer(market: "PracticeMarket", request: Request) -> Reply:
    """Do what is asked; 400 with a reason for a bad order, 404 for an unknown one or an unknown listing."""
    handler = HANDLERS.get((request.method, request.path.removeprefix("/_practice/")))
    if handler is None:
        return json_reply({"error": "unknown", "known": [f"{m} {n}" for m, n in HANDLERS]}, 404)
    try:
        return json_reply(handler(market, _order(request)))
    except UnknownListing as unknown:
        return json_reply({"error": f"no listing {unknown}"}, 404)
    except (ValueError, TypeError, KeyError) as wrong:
        return json_reply({"error": f"{type(wrong).__name__}: {wrong}"}, 400)


def _order(request: Request) -> Order:
    if request.method == "GET":
        return dict(request.query)
    order = orjson.loads(request.body) if request.body.strip() else {}
    if not isinstance(order, dict):
        raise TypeError("an order is an object")
    return order


def _state(market: "PracticeMarket", _: Order) -> Any:
    market.stream.run()
    clock, world = market.world.clock, market.world
    return {
        "now": clock.now(),
        "speed": clock.speed,
        "seed": world.seed,
        "index_lag": world.index_lag,
        "stream": {"running": market.stream.running, "per_second": market.stream.per_second},
        "listings": len(world.listings),
        "keywords": len(world.shelves),
        "totals": world.truth.totals,
        "faults": [fault.shown() for fault in market.faults.active],
    }


def _asked(market: "PracticeMarket", _: Order) -> Any:
    shelves = market.world.shelves.values()
    return {shelf.keyword: {"times": shelf.times_asked, "last": shelf.asked} for shelf in shelves}


def _truth(market: "PracticeMarket", order: Order) -> Any:
    market.stream.run()
    return {"events": market.world.truth.tail(int(order.get("tail", 100)))}


def _clock(market: "PracticeMarket", order: Order) -> Any:
    clock = market.world.clock
    if "speed" in order:
        clock.run_at(float(order["speed"]))
    if "advance" in order:
        clock.advance(float(order["advance"]))
    return {"now": clock.now(), "speed": clock.speed}


def _settings(market: "PracticeMarket", order: Order) -> Any:
    if "index_lag" in order:
        market.world.index_lag = float(order["index_lag"])
    if "per_second" in order:
        market.stream.per_second = float(order["per_second"])
    return {"index_lag": market.world.index_lag, "per_second": market.stream.per_second}


def _running(*, running: bool) -> Handler:
    def handler(market: "PracticeMarket", _: Order) -> Any:
        market.stream.run()
        market.stream.running = running
        return {"running": running}

    return handler


def _list(market: "PracticeMarket", order: Order) -> Any:
    now = market.world.clock.now()
    created = now - float(order.get("age", 0))
    lag = market.world.index_lag if order.get("visible_in") is None else float(order["visible_in"])
    letter = "z" if order.get("flea") else "x"
    listing = Listing(
        id=str(order.get("id") or auction_id(int(now * 100), letter=letter)),
        title=str(order["title"]),
        bidding=_bidding(order),
        created=created,
        ends=now + float(order.get("seconds", 86_400)),
        visible_at=created + lag,
        **_looks(order),
    )
    return market.world.offer(listing).facts()


def _looks(order: Order) -> dict[str, Any]:
    fee = order.get("fee", 0)
    return {
        "art": str(order.get("art") or FAMILIES[0].art),
        "category": int(order.get("category", FAMILIES[0].category)),
        "seller": str(order.get("seller", "PracticeSellerOne")),
        "fee": None if fee is None else int(fee),
        "unused": bool(order.get("unused")),
        "flea": bool(order.get("flea")),
        "tax": int(order.get("tax", 0)),
        "extends": bool(order.get("extends", True)),
    }


def _bidding(order: Order) -> Bidding:
    price = int(order.get("price", 1000))
    buy_now = price if order.get("flea") or order.get("fixed") else order.get("buy_now")
    return Bidding(
        start=price, price=price, buy_now=None if buy_now is None else int(buy_now), bids=int(order.get("bids", 0))
    )


def _change(market: "PracticeMarket", order: Order) -> Any:
    listing, price = market.world.get(order["id"]), int(order["price"])
    before = listing.bidding.price
    if listing.fixed:
        listing.bidding.start = listing.bidding.buy_now = price
    listing.bidding.price = price
    return market.world.note(listing, "price", before=before).facts()


def _bid(market: "PracticeMarket", order: Order) -> Any:
    """A bid of ``amount`` by ``bidder``; without an amount, a rival's."""
    listing = market.world.get(order["id"])
    if "amount" not in order:
        return market.stream.rival_bids(listing).facts()
    outcome = market.world.bid(listing, str(order.get("bidder", "rival")), int(order["amount"]))
    return listing.facts() | {"outcome": outcome.value, "leader": listing.bidding.leader}


def _extend(market: "PracticeMarket", order: Order) -> Any:
    listing = market.world.get(order["id"])
    listing.ends += float(order.get("seconds", 300))
    return market.world.note(listing, "extended").facts()


def _end(market: "PracticeMarket", order: Order) -> Any:
    return market.world.end_early(market.world.get(order["id"])).facts()


def _buy(market: "PracticeMarket", order: Order) -> Any:
    return market.world.buy(market.world.get(order["id"])).facts()


def _cancel(market: "PracticeMarket", order: Order) -> Any:
    return market.world.cancel(market.world.get(order["id"])).facts()


def _faults(market: "PracticeMarket", _: Order) -> Any:
    return {"faults": [fault.shown() for fault in market.faults.active]}


def _set_fault(market: "PracticeMarket", order: Order) -> Any:
    fault = market.faults.set(order)
    market.world.truth.write("fault set", fault=fault.shown())
    return fault.shown()


def _clear_faults(market: "PracticeMarket", order: Order) -> Any:
    market.faults.clear(order.get("id"))
    market.world.truth.write("faults cleared", id=order.get("id"))
    return _faults(market, order)


HANDLERS: dict[tuple[str, str], Handler] = {
    ("GET", "state"): _state,
    ("GET", "asked"): _asked,
    ("GET", "truth"): _truth,
    ("POST", "clock"): _clock,
    ("POST", "settings"): _settings,
    ("POST", "pause"): _running(running=False),
    ("POST", "resume"): _running(running=True),
    ("POST", "list"): _list,
    ("POST", "change"): _change,
    ("POST", "bid"): _bid,
    ("POST", "extend"): _extend,
    ("POST", "end"): _end,
    ("POST", "buy"): _buy,
    ("POST", "cancel"): _cancel,
    ("GET", "faults"): _faults,
    ("POST", "faults"): _set_fault,
    ("POST", "faults/clear"): _clear_faults,
}

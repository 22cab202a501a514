"""The control end under ``/_practice/``: look into the world, push it, break it. JSON in, JSON out."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import orjson

from .listing import ON_SALE, SOLD_OUT, STOP, TRADING, Auction, Listing
from .make import ARTS, personal_id, random_for, shop_id
from .reply import Reply, Request, json_reply
from .world import Paging, UnknownListing

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
        return {name: values[-1] for name, values in parse_qs(request.query).items()}
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
    paging = market.world.paging = _paging(market.world.paging, order)
    return {
        "index_lag": market.world.index_lag,
        "per_second": market.stream.per_second,
        "page_size": paging.size,
        "short_pages": paging.short,
        "duplicates": paging.duplicates,
    }


def _paging(known: Paging, order: Order) -> Paging:
    size = order.get("page_size", known.size)
    if size is not None and int(size) < 1:
        raise ValueError("a page has at least one row")
    return Paging(
        size=None if size is None else int(size),
        short=bool(order.get("short_pages", known.short)),
        duplicates=bool(order.get("duplicates", known.duplicates)),
    )


def _pause(market: "PracticeMarket", _: Order) -> Any:
    market.stream.run()
    market.stream.running = False
    return {"running": False}


def _resume(market: "PracticeMarket", _: Order) -> Any:
    market.stream.run()
    market.stream.running = True
    return {"running": True}


def _list(market: "PracticeMarket", order: Order) -> Any:
    now = market.world.clock.now()
    created = now - float(order.get("age", 0))
    lag = market.world.index_lag if order.get("visible_in") is None else float(order["visible_in"])
    fresh = shop_id(random_for(now)) if order.get("shop") else personal_id(int(now * 100))
    listing = Listing(
        id=str(order.get("id") or fresh),
        title=str(order["title"]),
        price=None if order.get("price") is None else int(order["price"]),
        created=created,
        updated=created,
        visible_at=created + lag,
        art=str(order.get("art") or ARTS[0]),
        auction=_auction(order, now),
        **_looks(order),
    )
    return market.world.offer(listing, by="control").facts()


def _looks(order: Order) -> dict[str, Any]:
    return {
        "category": int(order.get("category", 846)),
        "brand": int(order.get("brand", 0)),
        "condition": int(order.get("condition", 3)),
        "payer": int(order.get("payer", 2)),
        "seller": str(order.get("seller", "900000001")),
        "shop": str(order.get("shop", "")),
    }


def _auction(order: Order, now: float) -> Auction | None:
    seconds = order.get("auction_seconds")
    return None if seconds is None else Auction(ends=now + float(seconds), bids=int(order.get("bids", 0)))


def _change(market: "PracticeMarket", order: Order) -> Any:
    price = None if order["price"] is None else int(order["price"])
    return market.world.reprice(market.world.get(order["id"]), price).facts()


def _moving(status: str) -> Handler:
    return lambda market, order: market.world.move(market.world.get(order["id"]), status).facts()


def _sell(market: "PracticeMarket", order: Order) -> Any:
    status = SOLD_OUT if order.get("done") else TRADING
    return market.world.move(market.world.get(order["id"]), status).facts()


def _bump(market: "PracticeMarket", order: Order) -> Any:
    return market.world.change(market.world.get(order["id"]), "bumped").facts()


def _bid(market: "PracticeMarket", order: Order) -> Any:
    price = order.get("price")
    return market.stream.bid(market.world.get(order["id"]), None if price is None else int(price)).facts()


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
    ("POST", "pause"): _pause,
    ("POST", "resume"): _resume,
    ("POST", "list"): _list,
    ("POST", "change"): _change,
    ("POST", "sell"): _sell,
    ("POST", "stop"): _moving(STOP),
    ("POST", "restart"): _moving(ON_SALE),
    ("POST", "bump"): _bump,
    ("POST", "bid"): _bid,
    ("GET", "faults"): _faults,
    ("POST", "faults"): _set_fault,
    ("POST", "faults/clear"): _clear_faults,
}

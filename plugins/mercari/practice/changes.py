"""What the control end can do to a listing that exists."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from monitor_site.contract.practice import Handler, Order, random_for

from .listing import ADMIN_CANCEL, CANCEL, ON_SALE, SOLD_OUT, STOP, TRADING, Listing, TimeSale
from .make import personal_id, shop_id
from .product import variant_id

if TYPE_CHECKING:
    from .app import MercariMarket


def _listing(market: "MercariMarket", order: Order) -> Listing:
    return market.world.get(order["id"])


def _change(market: "MercariMarket", order: Order) -> Any:
    """Another price; with ``search_after``, the search shows the old one that many seconds longer."""
    listing, price = _listing(market, order), None if order["price"] is None else int(order["price"])
    if seconds := float(order.get("search_after", 0)):
        listing.bytes_for(market.world.base)
        listing.stale_until = market.world.clock.now() + seconds
    return market.world.reprice(listing, price).facts()


def _moving(status: str) -> Handler["MercariMarket"]:
    return lambda market, order: market.world.move(_listing(market, order), status).facts()


def _sell(market: "MercariMarket", order: Order) -> Any:
    return market.world.move(_listing(market, order), SOLD_OUT if order.get("done") else TRADING).facts()


def _cancel(market: "MercariMarket", order: Order) -> Any:
    return market.world.move(_listing(market, order), ADMIN_CANCEL if order.get("admin") else CANCEL).facts()


def _remove(market: "MercariMarket", order: Order) -> Any:
    listing = _listing(market, order)
    listing.removed = True
    return market.world.change(listing, "removed").facts()


def _forget(market: "MercariMarket", order: Order) -> Any:
    listing = _listing(market, order)
    market.world.retire(listing)
    return listing.facts()


def _edit(market: "MercariMarket", order: Order) -> Any:
    listing = _listing(market, order)
    listing.description = str(order.get("description", listing.description))
    listing.condition = int(order.get("condition", listing.condition))
    return market.world.change(listing, "edited").facts()


def _bump(market: "MercariMarket", order: Order) -> Any:
    return market.world.change(_listing(market, order), "bumped").facts()


def _bid(market: "MercariMarket", order: Order) -> Any:
    price = order.get("price")
    return market.stream.bid(_listing(market, order), None if price is None else int(price)).facts()


def _relist(market: "MercariMarket", order: Order) -> Any:
    """The same thing of the same seller under another id; the old listing is deleted unless it was sold."""
    old, world = _listing(market, order), market.world
    now = world.clock.now()
    if old.status in {ON_SALE, STOP}:
        world.move(old, CANCEL)
    price = old.price if order.get("price") is None else int(order["price"])
    fresh = replace(
        old,
        id=shop_id(random_for(old.id, now)) if old.shop else personal_id(int(now * 100)),
        price=price,
        created=now,
        updated=now,
        visible_at=now + world.index_lag,
        status=ON_SALE,
        edits=0,
        removed=False,
        stale_until=0.0,
        row=b"",
        auction=None if old.auction is None else replace(old.auction),
        variants=[replace(variant) for variant in old.variants],
    )
    return world.offer(fresh, by="control").facts()


def _stock(market: "MercariMarket", order: Order) -> Any:
    """How many of a variant (its position, 0 for the first) a shop has."""
    listing, at, quantity = _listing(market, order), int(order.get("variant", 0)), int(order["quantity"])
    if not 0 <= at < len(listing.variants) or quantity < 0:
        raise ValueError("no such variant, or less than nothing")
    listing.variants[at].quantity = quantity
    ids = [variant_id(listing, at) for at in range(len(listing.variants))]
    return market.world.stock(listing).facts() | {"variants": ids}


def _time_sale(market: "MercariMarket", order: Order) -> Any:
    """A lower price of a shop for some seconds from now; without a price, its end."""
    listing, now = _listing(market, order), market.world.clock.now()
    price, seconds = order.get("price"), float(order.get("seconds", 3600))
    listing.time_sale = None if price is None else TimeSale(price=int(price), starts=now, ends=now + seconds)
    return market.world.change(listing, "time sale").facts()


CHANGES: dict[tuple[str, str], Handler["MercariMarket"]] = {
    ("POST", "change"): _change,
    ("POST", "sell"): _sell,
    ("POST", "stop"): _moving(STOP),
    ("POST", "restart"): _moving(ON_SALE),
    ("POST", "cancel"): _cancel,
    ("POST", "remove"): _remove,
    ("POST", "forget"): _forget,
    ("POST", "edit"): _edit,
    ("POST", "bump"): _bump,
    ("POST", "bid"): _bid,
    ("POST", "relist"): _relist,
    ("POST", "stock"): _stock,
    ("POST", "time_sale"): _time_sale,
}

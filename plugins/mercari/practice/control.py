"""What this practice market's control end can do beyond what each can."""

from typing import TYPE_CHECKING, Any

from monitor_site.contract.practice import Control, Order, random_for, settings

from .changes import CHANGES
from .listing import Auction, Listing, Variant
from .make import ARTS, personal_id, shop_id
from .order_control import ORDERS
from .world import Paging

if TYPE_CHECKING:
    from .app import MercariMarket


def _settings(market: "MercariMarket", order: Order) -> Any:
    known = settings(market, order)
    paging = market.world.paging = _paging(market.world.paging, order)
    return known | {"page_size": paging.size, "short_pages": paging.short, "duplicates": paging.duplicates}


def _paging(known: Paging, order: Order) -> Paging:
    size = order.get("page_size", known.size)
    if size is not None and int(size) < 1:
        raise ValueError("a page has at least one row")
    return Paging(
        size=None if size is None else int(size),
        short=bool(order.get("short_pages", known.short)),
        duplicates=bool(order.get("duplicates", known.duplicates)),
    )


def _list(market: "MercariMarket", order: Order) -> Any:
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
        description=str(order.get("description", "")),
        variants=[_variant(each) for each in order.get("variants", [])],
        **_looks(order),
    )
    return market.world.offer(listing, by="control").facts()


def _looks(order: Order) -> dict[str, Any]:
    return {
        "category": int(order.get("category", 846)),
        "brand": int(order.get("brand", 0)),
        "condition": int(order.get("condition", 3)),
        "payer": int(order.get("payer", 2)),
        "fee": None if order.get("fee", 700) is None else int(order.get("fee", 700)),
        "seller": str(order.get("seller", "900000001")),
        "shop": str(order.get("shop", "")),
    }


def _auction(order: Order, now: float) -> Auction | None:
    seconds = order.get("auction_seconds")
    return None if seconds is None else Auction(ends=now + float(seconds), bids=int(order.get("bids", 0)))


def _variant(order: Order) -> Variant:
    name, size = str(order.get("name", "")), str(order.get("size", ""))
    return Variant(name=name, size=size, quantity=int(order.get("quantity", 1)))


CONTROL: Control["MercariMarket"] = Control(
    {
        ("POST", "settings"): _settings,
        ("POST", "list"): _list,
        **CHANGES,
        **ORDERS,
    }
)

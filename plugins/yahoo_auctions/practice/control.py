"""What this practice market's control end can do beyond what each can."""

from typing import TYPE_CHECKING, Any

from monitor_site.contract.practice import Control, Order, settings

from .bidding import Bidding
from .gone import FORMS
from .goods import FAMILIES, auction_id
from .listing import Listing

if TYPE_CHECKING:
    from .app import YahooMarket


def _list(market: "YahooMarket", order: Order) -> Any:
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


def _change(market: "YahooMarket", order: Order) -> Any:
    listing, price = market.world.get(order["id"]), int(order["price"])
    before = listing.bidding.price
    if listing.fixed:
        listing.bidding.start = listing.bidding.buy_now = price
    listing.bidding.price = price
    return market.world.note(listing, "price", before=before).facts()


def _bid(market: "YahooMarket", order: Order) -> Any:
    """A bid of ``amount`` by ``bidder``; without an amount, a rival's."""
    listing = market.world.get(order["id"])
    if "amount" not in order:
        return market.stream.rival_bids(listing).facts()
    outcome = market.world.bid(listing, str(order.get("bidder", "rival")), int(order["amount"]))
    return listing.facts() | {"outcome": outcome.value, "leader": listing.bidding.leader}


def _extend(market: "YahooMarket", order: Order) -> Any:
    listing = market.world.get(order["id"])
    listing.ends += float(order.get("seconds", 300))
    return market.world.note(listing, "extended").facts()


def _end(market: "YahooMarket", order: Order) -> Any:
    return market.world.end_early(market.world.get(order["id"])).facts()


def _buy(market: "YahooMarket", order: Order) -> Any:
    return market.world.buy(market.world.get(order["id"])).facts()


def _sell(market: "YahooMarket", order: Order) -> Any:
    """Somebody gets it: at its buy-now price where it has one, else whoever leads when it ends at once."""
    listing = market.world.get(order["id"])
    if listing.bidding.buy_now is not None:
        return _buy(market, order)
    if not listing.bidding.bids:
        market.stream.rival_bids(listing)
    return _end(market, order)


def _cancel(market: "YahooMarket", order: Order) -> Any:
    gone = str(order.get("gone", "404"))
    if gone not in FORMS:
        raise ValueError(f"gone is one of {', '.join(FORMS)}")
    return market.world.cancel(market.world.get(order["id"]), gone=gone).facts()


def _relist(market: "YahooMarket", order: Order) -> Any:
    old, world = market.world.get(order["id"]), market.world
    new = auction_id(int(world.clock.now() * 100), letter="z" if old.flea else "x")
    return world.relist(old, external_id=new, seconds=float(order.get("seconds", 86_400))).facts()


def _stale(market: "YahooMarket", order: Order) -> Any:
    return market.world.keep(market.world.get(order["id"]), stale=bool(order.get("on", True))).facts()


def _settings(market: "YahooMarket", order: Order) -> Any:
    world = market.world
    if "fuzzy" in order:
        world.fuzzy = int(order["fuzzy"])
    if "date_offset" in order:
        world.date_offset = None if order["date_offset"] is None else float(order["date_offset"])
    return settings(market, order) | {"fuzzy": world.fuzzy, "date_offset": world.date_offset}


CONTROL: Control["YahooMarket"] = Control(
    {
        ("POST", "list"): _list,
        ("POST", "change"): _change,
        ("POST", "bid"): _bid,
        ("POST", "extend"): _extend,
        ("POST", "end"): _end,
        ("POST", "buy"): _buy,
        ("POST", "sell"): _sell,
        ("POST", "cancel"): _cancel,
        ("POST", "relist"): _relist,
        ("POST", "stale"): _stale,
        ("POST", "settings"): _settings,
    }
)

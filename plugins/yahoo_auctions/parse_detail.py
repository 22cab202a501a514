"""From the page of one listing to a sighting. Pure; the page's own data first, then what stands under stable ids.

Class names carry build numbers and are never used. Sellers write what they like, words of error pages too: a page
that holds a listing is never searched for them.
"""

from datetime import datetime
from typing import Any

from monitor_site.contract import Answer, LayoutChanged, Seller, Shipping, Sighting, Status

from . import fields
from .gone import REDIRECTS, instead, sent_away
from .item_data import item_of
from .manifest import HOME
from .meaning import condition_of, kind_of
from .page import check_whole, text_of, tree_of
from .refusals import refuse_status

Item = dict[str, Any]


def read_listing(answer: Answer, external_id: str, *, now: datetime, web: str = HOME) -> Sighting:
    """The listing ``external_id`` that ``answer`` shows; ``web`` is what its address begins with.

    ``now`` only resolves a ``Retry-After`` date. Prices are what a buyer pays, tax included. Ends are compared from
    look to look: the page's own flag for an extension stays false after one.
    Raises: ListingGone, Unavailable, Throttled, Blocked, ChallengeRequired, SignInNeeded, LayoutChanged, which is also
    what the page of another listing is.
    """
    if answer.status in REDIRECTS:
        raise sent_away(answer, external_id)
    refuse_status(answer, now=now)
    text = text_of(answer)
    check_whole(text)
    item = item_of(tree_of(text))
    if not item:
        raise instead(answer, text, external_id)
    _check(item, external_id)
    return _sighting(item, web)


def _check(item: Item, external_id: str) -> None:
    """Nothing may be made up: without these it is no listing, and never "ended" or "free"."""
    read = {
        "title": fields.title(item.get("title")),
        "price": fields.whole(item.get("price")),
        "status": item.get("status"),
        "auctionId": fields.listing_id(item.get("auctionId")),
        "endTime": fields.moment(item.get("endTime")),
    }
    if missing := [name for name, value in sorted(read.items()) if value is None]:
        raise LayoutChanged(f"missing or unreadable: {', '.join(missing)}")
    if read["auctionId"] != external_id:
        raise LayoutChanged(f"asked for {external_id}, shown {read['auctionId']}")


def _sighting(item: Item, web: str) -> Sighting:
    price, buy_now = _taxed(item, "price", "taxinPrice"), _taxed(item, "bidorbuy", "taxinBidorbuy")
    flea = item.get("isFleaMarket") is True
    bids = None if flea else fields.whole(item.get("bids"))
    return Sighting(
        external_id=str(item["auctionId"]),
        title=fields.title(item["title"]) or "",
        url=f"{web}/jp/auction/{item['auctionId']}",
        price=fields.money(price),
        kind=kind_of(
            flea=flea, price=fields.whole(item.get("price")), buy_now=fields.whole(item.get("bidorbuy")), bids=bids
        ),
        status=_status(item, bids),
        buy_now=fields.money(buy_now),
        shipping=_SHIPPING.get(str(item.get("chargeForShipping")), Shipping.UNKNOWN),
        condition=condition_of(item.get("conditionName")),
        seller=_seller(fields.mapping(item.get("seller"))),
        images=fields.addresses(*(fields.mapping(each).get("image") for each in fields.items(item.get("img")))),
        created=fields.moment(item.get("startTime")),
        ends_at=fields.moment(item.get("endTime")),
        bids=bids,
        description=_description(item),
        extra=_extra(item),
    )


_SHIPPING = {"seller": Shipping.INCLUDED, "winner": Shipping.BUYER_PAYS}


def _taxed(item: Item, bare: str, taxed: str) -> int | None:
    """The amount with tax: the page's own, else reckoned for a store; people's prices bear none."""
    if known := fields.whole(item.get(taxed)):
        return known
    amount = fields.whole(item.get(bare)) or None
    if fields.mapping(item.get("seller")).get("isStore") is True:
        return fields.with_tax(amount, fields.whole(item.get("taxRate")))
    return amount


def _status(item: Item, bids: int | None) -> Status:
    """Closed with a bid is sold, closed without one only ended; how a flea item closed, nobody tells."""
    if item["status"] == "open":
        return Status.ON_SALE
    if item["status"] != "closed" or (bids is None and item.get("isFleaMarket") is not True):
        return Status.UNKNOWN
    return Status.SOLD if bids else Status.ENDED


def _seller(seller: Item) -> Seller | None:
    known = seller.get("aucUserId")
    rating = fields.mapping(seller.get("rating"))
    if not isinstance(known, str) or not known:
        return None
    name, share = fields.title(seller.get("displayName")), fields.percent(rating.get("goodRating"))
    return Seller(id=known, name=name, rating=share, count=fields.whole(rating.get("summary")))


def _description(item: Item) -> str | None:
    lines = [line for line in fields.items(item.get("description")) if isinstance(line, str)]
    return fields.title("\n".join(lines))


def _extra(item: Item) -> dict[str, str]:
    path = [fields.mapping(each) for each in fields.items(fields.mapping(item.get("category")).get("path"))]
    quantity = fields.whole(item.get("quantity"))
    found = {
        "category": str(path[-1].get("id") or "") if path else None,
        "store": "1" if fields.mapping(item.get("seller")).get("isStore") is True else None,
        "extends": "1" if item.get("isAutomaticExtension") is True else None,
        "quantity": str(quantity) if quantity and quantity > 1 else None,
    }
    return {name: value for name, value in found.items() if value}

"""From the answer to a look at a person's listing to a sighting. Pure: same bytes, same sighting.

Only id and name are required; everything else may be missing, null or of another type and is unknown then.
"""

from datetime import datetime
from typing import Any

from monitor_site.contract import Answer, LayoutChanged, Money, Shipping, Sighting

from . import fields
from .body import load
from .manifest import HOME
from .meaning import (
    auction_of,
    bids_of,
    condition_of,
    ends_at,
    kind_of,
    payer_by_code,
    payer_by_number,
    price_among,
    seller_of,
    status_of,
)
from .refusals import refuse_look
from .rows import Row
from .urls import page_of


def read_item(answer: Answer, external_id: str, *, now: datetime, web: str = HOME) -> Sighting:
    """What ``answer`` tells of the listing ``external_id``; ``now`` and ``web`` as for a search.

    Raises: ListingGone, Unavailable, Throttled, Blocked, SignInNeeded, LayoutChanged (another listing's, too).
    """
    refuse_look(answer, now=now)
    item = _item(load(answer.body), external_id)
    auction = auction_of(item)
    return Sighting(
        external_id=external_id,
        title=fields.title(item["name"]),
        url=page_of(external_id, web=web, shop=False),
        price=_price(item, auction),
        kind=kind_of(shop=False, auction=auction),
        status=status_of(item),
        shipping=_shipping(fields.mapping(item.get("shipping_payer"))),
        condition=condition_of(fields.mapping(item.get("item_condition")).get("id")),
        seller=seller_of(fields.mapping(item.get("seller"))),
        images=fields.addresses((*fields.items(item.get("photos")), *_thumbnails(item))),
        created=fields.unix_time(item.get("created")),
        updated=fields.unix_time(item.get("updated")),
        ends_at=ends_at(auction),
        bids=bids_of(auction),
        description=fields.prose(item.get("description")),
        extra=_extra(item, auction),
    )


def _item(data: Any, external_id: str) -> Row:
    found = fields.mapping(data)
    item = fields.mapping(found.get("data"))
    if found.get("result") != "OK" or item.get("id") != external_id:
        raise LayoutChanged(f"asked for {external_id}, told of {item.get('id')!r:.80}")
    if not isinstance(item.get("name"), str) or not {"price", "status"} & set(item):
        raise LayoutChanged(f"no name, or neither price nor status, among {sorted(map(str, item))[:12]}")
    return item


def _price(item: Row, auction: Row) -> Money | None:
    """The price, for an auction else its highest bid, else what it began with."""
    bids = (fields.first(auction, "highest_bid", "highestBid"), auction.get("initial_price"))
    return price_among((None if item.get("is_no_price") is True else item.get("price"), *bids))


def _shipping(payer: Row) -> Shipping:
    by_number = payer_by_number(payer.get("id"))
    return payer_by_code(payer.get("code")) if by_number == Shipping.UNKNOWN else by_number


def _thumbnails(item: Row) -> list[Any]:
    """The small pictures, where there are no others."""
    return [] if fields.items(item.get("photos")) else fields.items(item.get("thumbnails"))


def _extra(item: Row, auction: Row) -> dict[str, str]:
    """The ``checksum`` changes with every edit: an order names the one the buyer saw."""
    brand = fields.mapping(item.get("item_brand"))
    # The leaf that a search calls categoryId; the other one may differ and is better than none.
    leaf, other = fields.mapping(item.get("item_category_ntiers")), fields.mapping(item.get("item_category"))
    return fields.named(
        category=fields.text(leaf.get("id")) or fields.text(other.get("id")),
        brand=fields.text(fields.first(brand, "sub_name", "subName", "name")),
        size=fields.text(fields.mapping(item.get("item_size")).get("name")),
        checksum=fields.word(item.get("checksum")),
        auction_state=fields.word(auction.get("state")),
        auction_type=fields.word(auction.get("auction_type")),
        auction_start_price=fields.text(fields.whole(auction.get("initial_price"))),
    )

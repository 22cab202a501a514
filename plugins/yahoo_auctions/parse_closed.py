"""From an answer of the closed search to a page of what was sold. Pure; the page carries its rows as data.

Unsold auctions never appear there. Flea sales bear a placeholder count of bids, which is not one. The block also
holds the server's own cookies: nothing of it but the rows and the count is ever read.
"""

from datetime import datetime
from typing import Any

from monitor_site.contract import (
    Answer,
    BadRow,
    LayoutChanged,
    SearchPage,
    Seller,
    Shipping,
    Sighting,
    Status,
)

from . import fields
from .manifest import HOME
from .meaning import condition_of, kind_of
from .page import next_data, text_of, tree_of
from .refusals import refuse_status, wall


def read_closed(answer: Answer, *, now: datetime, web: str = HOME) -> SearchPage:
    """The page of sold things that ``answer`` holds, as it is sorted: latest end first.

    ``now`` only resolves a ``Retry-After`` date; ``web`` is what the addresses of listings begin with.
    Raises: Unavailable, Throttled, Blocked, ChallengeRequired, SignInNeeded, LayoutChanged.
    """
    refuse_status(answer, now=now)
    tree = tree_of(text_of(answer))
    found = next_data(tree, "search", "items", "listing")
    rows, total = found.get("items"), fields.whole(found.get("totalResultsAvailable"))
    if not isinstance(rows, list):
        raise wall(tree) or LayoutChanged("the closed search has no list of items")
    if not rows and total:
        raise LayoutChanged(f"no rows, yet a count of {total}")
    sightings, bad = _read_rows(rows, web)
    return SearchPage(sightings=sightings, about=total, bad_rows=bad)


def _read_rows(rows: list[Any], web: str) -> tuple[tuple[Sighting, ...], tuple[BadRow, ...]]:
    read = [(at, _read_row(fields.mapping(row), web)) for at, row in enumerate(rows)]
    sightings = tuple(found for _, found in read if isinstance(found, Sighting))
    bad = tuple(BadRow(position=at, reason=found) for at, found in read if isinstance(found, str))
    if bad and not sightings:
        raise LayoutChanged(f"none of {len(bad)} rows can be read: {bad[0].reason}")
    return sightings, bad


def _read_row(row: dict[str, Any], web: str) -> Sighting | str:
    """The sighting, or why there is none."""
    external_id, name = fields.listing_id(row.get("auctionId")), fields.title(row.get("title"))
    if external_id is None:
        return "no usable id"
    return _sighting(row, external_id, name, web) if name else "no title"


def _sighting(row: dict[str, Any], external_id: str, name: str, web: str) -> Sighting:
    price, buy_now = fields.whole(row.get("price")), fields.whole(row.get("buyNowPrice"))
    flea = row.get("isFleamarketItem") is True
    fixed = row.get("isFixedPrice") is True
    return Sighting(
        external_id=external_id,
        title=name,
        url=f"{web}/jp/auction/{external_id}",
        price=fields.money(price),
        kind=kind_of(flea=flea, price=price, buy_now=price if fixed else None, bids=None),
        status=Status.SOLD,
        buy_now=fields.money(buy_now),
        shipping=Shipping.INCLUDED if row.get("isFreeShipping") is True else Shipping.UNKNOWN,
        condition=condition_of(row.get("itemCondition")),
        seller=_seller(fields.mapping(row.get("seller"))),
        images=fields.addresses(row.get("imageUrl")),
        created=fields.moment(row.get("startTime")),
        ends_at=fields.moment(row.get("endTime")),
        bids=None if flea else fields.whole(row.get("bidCount")),
        extra=_extra(row),
    )


def _seller(seller: dict[str, Any]) -> Seller | None:
    """Names are masked in the closed search, so only the id and the rating are kept."""
    known = seller.get("userId")
    rating = fields.percent(seller.get("goodRating"))
    return Seller(id=known, rating=rating) if isinstance(known, str) and known else None


def _extra(row: dict[str, Any]) -> dict[str, str]:
    category = fields.whole(fields.mapping(row.get("category")).get("id"))
    found = {
        "category": None if category is None else str(category),
        "store": "1" if row.get("isShoppingItem") is True else None,
        "appraised": "1" if row.get("isAppraisal") is True else None,
    }
    return {name: value for name, value in found.items() if value}

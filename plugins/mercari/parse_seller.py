"""From a seller's list of items to a page of sightings. Pure: same bytes, same sightings.

Rows of this list tell neither condition nor who pays for shipping, their objects may hold any part of what they
hold elsewhere, and the seller's name is a stand-in.
"""

from datetime import datetime
from functools import partial
from typing import Any

from monitor_site.contract import Answer, LayoutChanged, SearchPage, Seller, Sighting

from . import fields
from .body import load
from .manifest import HOME, MercariCriteria
from .meaning import auction_of, bids_of, ends_at, is_shop, kind_of, price_among, status_of
from .refusals import refuse
from .rows import Row, read_rows, refuse_gone
from .urls import page_of


def read_seller_items(
    answer: Answer, criteria: MercariCriteria, *, now: datetime, web: str = HOME, asked: str | None = None
) -> SearchPage:
    """The page that ``answer`` holds for the seller of ``criteria``, whatever the state of the things on it.

    ``asked`` is the token this page was asked with; ``now`` and ``web`` as for a search.

    Raises: Unavailable, Throttled, Blocked, SignInNeeded, LayoutChanged.
    """
    refuse(answer, now=now)
    found = fields.mapping(load(answer.body))
    rows = _rows(found)
    own = [(at, row) for at, row in enumerate(rows) if _is_of(row, criteria)]
    sightings, bad = read_rows(own, partial(_sighting, web=web, seller=str(criteria.seller)))
    kept = tuple(each for each in sightings if criteria.takes(each.kind))
    return SearchPage(
        sightings=kept,
        next_token=_next_token(found, rows, asked),
        bad_rows=bad,
        padding=len(rows) - len(own) + len(sightings) - len(kept),
    )


def _rows(found: Row) -> list[Any]:
    rows = found.get("data")
    if found.get("result") != "OK" or not isinstance(rows, list) or not isinstance(found.get("meta"), dict):
        raise LayoutChanged(f"no list of items among {sorted(map(str, found))[:12]}")
    refuse_gone(rows)
    return rows


def _is_of(row: Any, criteria: MercariCriteria) -> bool:
    """Whether a row is of the seller asked for; one that names nobody is."""
    known = fields.text(fields.mapping(fields.mapping(row).get("seller")).get("id"))
    return known in (None, str(criteria.seller))


def _next_token(found: Row, rows: list[Any], asked: str | None) -> str | None:
    """What the next page begins below: the lowest number on this one, when more is said to follow.

    A page that leads to itself is the last.
    """
    numbers = [number for row in rows if (number := fields.whole(fields.mapping(row).get("pager_id")))]
    if fields.mapping(found.get("meta")).get("has_next") is not True or not numbers:
        return None
    lowest = str(min(numbers))
    return None if lowest == asked else lowest


def _sighting(row: Row, external_id: str, name: str, *, web: str, seller: str) -> Sighting:
    shop, auction = is_shop(row, external_id), auction_of(row)
    return Sighting(
        external_id=external_id,
        title=fields.title(name),
        url=page_of(external_id, web=web, shop=shop),
        price=price_among((row.get("price"), fields.first(auction, "highest_bid", "highestBid"))),
        kind=kind_of(shop=shop, auction=auction),
        status=status_of(row),
        seller=Seller(id=seller),
        images=fields.addresses(fields.items(row.get("thumbnails"))),
        created=fields.unix_time(row.get("created")),
        updated=fields.unix_time(row.get("updated")),
        ends_at=ends_at(auction),
        bids=bids_of(auction),
        extra=fields.named(category=fields.text(fields.mapping(row.get("item_category")).get("id"))),
    )

"""From an answer to a page of sightings. Pure: same bytes, same sightings; what a row does not tell stays unknown.

Order: status, then media type (both in ``refusals``), then the page, then row by row. Only id and name are required
of a row; a row without them is a :class:`BadRow` and the others stand. A page on which no row can be read, or on
which a field is gone from every row, is another layout.
"""

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import orjson

from monitor_site.contract import (
    Answer,
    BadRow,
    LayoutChanged,
    Money,
    SearchPage,
    Seller,
    Sighting,
)

from . import fields
from .manifest import HOME, MercariCriteria
from .meaning import NO_PRICE, auction_of, condition_of, is_shop, kind_of, shipping_of, status_of
from .refusals import refuse

ENOUGH_ROWS = 5
MOST_BIDS = 1_000_000
LONGEST_TOKEN = 1000
_USABLE_ID = re.compile(r"[0-9A-Za-z_-]{1,64}")
_BOM = b"\xef\xbb\xbf"
_NEVER_GONE = ("price", "status")


def read_search(answer: Answer, criteria: MercariCriteria, *, now: datetime, web: str = HOME) -> SearchPage:
    """The page that ``answer`` holds for ``criteria``; ``now`` only resolves a ``Retry-After`` date.

    ``web`` is what the addresses of listings begin with.

    Raises: Unavailable, Throttled, Blocked, SignInNeeded, LayoutChanged.
    """
    refuse(answer, now=now)
    rows, meta = _page(_load(answer.body))
    wanted = [(at, row) for at, row in enumerate(rows) if not _is_padding(row, criteria)]
    sightings, bad = _read_rows(wanted, web)
    return SearchPage(
        sightings=sightings,
        # A page of nothing but padding is past the end, whatever token it bears.
        next_token=None if rows and not wanted else fields.word(meta.get("nextPageToken"), longest=LONGEST_TOKEN),
        about=fields.whole(meta.get("numFound")),
        bad_rows=bad,
        padding=len(rows) - len(wanted),
    )


def _load(body: bytes) -> Any:
    try:
        return orjson.loads(body.removeprefix(_BOM))
    except orjson.JSONDecodeError as unread:
        return _load_leniently(body, unread)


def _load_leniently(body: bytes, unread: ValueError) -> Any:
    """One title with half a surrogate pair must not cost the page; the strict reader refuses it, this one does not."""
    try:
        return json.loads(body.removeprefix(_BOM).decode("utf-8"))
    except (ValueError, RecursionError):
        raise LayoutChanged(f"no JSON: {unread}") from unread


def _page(data: Any) -> tuple[list[Any], Mapping[str, Any]]:
    found = fields.mapping(data)
    rows, meta = found.get("items"), found.get("meta")
    if not isinstance(rows, list) or not isinstance(meta, dict):
        raise LayoutChanged(f"no items or no meta among {sorted(map(str, found))[:12]}")
    _check_nothing_is_gone([row for row in rows if isinstance(row, dict)])
    return rows, meta


def _check_nothing_is_gone(rows: list[Mapping[str, Any]]) -> None:
    if len(rows) < ENOUGH_ROWS:
        return
    if gone := [name for name in _NEVER_GONE if all(name not in row for row in rows)]:
        raise LayoutChanged(f"gone from every row: {', '.join(gone)}")


def _is_padding(row: Any, criteria: MercariCriteria) -> bool:
    """Whether a row is of a category nobody asked for; a row that names none is kept."""
    category = fields.whole(fields.mapping(row).get("categoryId"))
    return bool(criteria.category_ids) and category is not None and category not in criteria.category_ids


def _read_rows(rows: list[tuple[int, Any]], web: str) -> tuple[tuple[Sighting, ...], tuple[BadRow, ...]]:
    read = [(at, _read_row(row, web)) for at, row in rows]
    sightings = tuple(found for _, found in read if isinstance(found, Sighting))
    bad = tuple(BadRow(position=at, reason=found) for at, found in read if isinstance(found, str))
    if bad and not sightings:
        raise LayoutChanged(f"none of {len(bad)} rows can be read: {bad[0].reason}")
    return sightings, bad


def _read_row(row: Any, web: str) -> Sighting | str:
    """The sighting, or why there is none."""
    if not isinstance(row, dict):
        return "not an object"
    external_id, name = row.get("id"), row.get("name")
    if not isinstance(external_id, str) or not _USABLE_ID.fullmatch(external_id):
        return "no usable id"
    return _sighting(row, external_id, name, web) if isinstance(name, str) else "no name"


def _sighting(row: Mapping[str, Any], external_id: str, name: str, web: str) -> Sighting:
    shop, auction = is_shop(row, external_id), auction_of(row)
    return Sighting(
        external_id=external_id,
        title=fields.title(name),
        url=f"{web}/{'shops/product' if shop else 'item'}/{external_id}",
        price=_price(row, auction),
        kind=kind_of(shop=shop, auction=auction),
        status=status_of(row),
        shipping=shipping_of(row, shop=shop),
        condition=condition_of(row),
        seller=_seller(row),
        images=_images(row),
        created=fields.unix_time(row.get("created")),
        updated=fields.unix_time(row.get("updated")),
        ends_at=fields.moment(fields.first(auction, "bidDeadline", "bid_deadline", "expected_end_time")),
        bids=fields.count(fields.first(auction, "totalBid", "totalBids", "total_bid", "total_bids"), most=MOST_BIDS),
        extra=_extra(row),
    )


def _price(row: Mapping[str, Any], auction: Mapping[str, Any]) -> Money | None:
    """The price, for an auction else its highest bid; the placeholder, 0 and nothing are all "not known"."""
    said_none = row.get("isNoPrice") in (True, "true")
    candidates = (None if said_none else row.get("price"), fields.first(auction, "highestBid", "highest_bid"))
    amounts = (fields.whole(value) for value in candidates)
    amount = next((found for found in amounts if found and found != NO_PRICE), None)
    return None if amount is None else Money(amount=amount, currency="JPY")


def _seller(row: Mapping[str, Any]) -> Seller | None:
    """The person, or for a shop, whose rows name seller 0, the shop."""
    person, shop = fields.word(row.get("sellerId")), fields.word(fields.mapping(row.get("shop")).get("id"))
    known = person if person and person != "0" else shop
    return Seller(id=known, name=fields.text(row.get("shopName"))) if known else None


def _images(row: Mapping[str, Any]) -> tuple[str, ...]:
    photos = fields.addresses(fields.mapping(photo).get("uri") for photo in fields.items(row.get("photos")))
    return photos or fields.addresses(fields.items(row.get("thumbnails")))


def _extra(row: Mapping[str, Any]) -> dict[str, str]:
    brand, size = fields.mapping(row.get("itemBrand")), fields.mapping(row.get("itemSize"))
    found = {
        "category": fields.text(row.get("categoryId")),
        "brand": fields.text(fields.first(brand, "subName", "name")),
        "size": fields.text(size.get("name")),
        "shop": fields.text(fields.mapping(row.get("shop")).get("id")),
    }
    return {name: value for name, value in found.items() if value}

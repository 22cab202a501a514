"""From an answer of the search to a page of sightings. Pure: same bytes, same sightings.

Order: status, then media type (both in ``refusals``), then the page, then row by row (in ``rows``). What a row does
not tell stays unknown.
"""

from collections.abc import Mapping
from datetime import datetime
from functools import partial
from typing import Any

from monitor_site.contract import Answer, LayoutChanged, Money, ReadBefore, SearchPage, Seller, Shipping, Sighting

from . import fields
from .body import load, packed
from .manifest import HOME, MercariCriteria
from .meaning import (
    auction_of,
    bids_of,
    condition_of,
    ends_at,
    is_shop,
    kind_of,
    payer_by_number,
    price_among,
    status_of,
)
from .refusals import refuse
from .rows import Row, read_rows, refuse_gone
from .urls import page_of

LONGEST_TOKEN = 1000
# A question that nothing happened to is answered byte for byte as before.
PAGES: ReadBefore[SearchPage] = ReadBefore(most=128)
# The rows of about a hundred questions: from check to check most stay as they are.
ROWS: ReadBefore[Sighting] = ReadBefore(most=4096)


def read_search(answer: Answer, criteria: MercariCriteria, *, now: datetime, web: str = HOME) -> SearchPage:
    """The page that ``answer`` holds for ``criteria``; ``now`` only resolves a ``Retry-After`` date.

    ``web`` is what the addresses of listings begin with.

    Raises: Unavailable, Throttled, Blocked, SignInNeeded, LayoutChanged.
    """
    refuse(answer, now=now)
    return PAGES.of(answer.body, criteria, web, read=lambda: _read(answer.body, criteria, web=web))


def _read(body: bytes, criteria: MercariCriteria, *, web: str) -> SearchPage:
    rows, meta = _page(load(body))
    wanted = [(at, row) for at, row in enumerate(rows) if not _is_padding(row, criteria)]
    sightings, bad = read_rows(wanted, partial(_sighting_before, web=web))
    kept = tuple(found for found in sightings if criteria.takes(found.kind))
    return SearchPage(
        sightings=kept,
        # A page of nothing but padding is past the end, whatever token it bears.
        next_token=None if rows and not wanted else fields.word(meta.get("nextPageToken"), longest=LONGEST_TOKEN),
        about=fields.whole(meta.get("numFound")),
        bad_rows=bad,
        padding=len(rows) - len(wanted) + len(sightings) - len(kept),
    )


def _page(data: Any) -> tuple[list[Any], Mapping[str, Any]]:
    found = fields.mapping(data)
    rows, meta = found.get("items"), found.get("meta")
    if not isinstance(rows, list) or not isinstance(meta, dict):
        raise LayoutChanged(f"no items or no meta among {sorted(map(str, found))[:12]}")
    refuse_gone(rows)
    return rows, meta


def _is_padding(row: Any, criteria: MercariCriteria) -> bool:
    """Whether a row is of a category nobody asked for; a row that names none is kept."""
    category = fields.whole(fields.mapping(row).get("categoryId"))
    return bool(criteria.category_ids) and category is not None and category not in criteria.category_ids


def _sighting_before(row: Row, external_id: str, name: str, *, web: str) -> Sighting:
    content = packed(row)
    if content is None:
        return _sighting(row, external_id, name, web=web)
    return ROWS.of(content, web, read=lambda: _sighting(row, external_id, name, web=web))


def _sighting(row: Row, external_id: str, name: str, *, web: str) -> Sighting:
    shop, auction = is_shop(row, external_id), auction_of(row)
    return Sighting(
        external_id=external_id,
        title=fields.title(name),
        url=page_of(external_id, web=web, shop=shop),
        price=_price(row, auction),
        kind=kind_of(shop=shop, auction=auction),
        status=status_of(row),
        # The payer's number means the opposite for a shop, and search gives no code.
        shipping=Shipping.UNKNOWN if shop else payer_by_number(row.get("shippingPayerId")),
        condition=condition_of(row.get("itemConditionId")),
        seller=_seller(row),
        images=_images(row),
        created=fields.unix_time(row.get("created")),
        updated=fields.unix_time(row.get("updated")),
        ends_at=ends_at(auction),
        bids=bids_of(auction),
        extra=_extra(row),
    )


def _price(row: Row, auction: Mapping[str, Any]) -> Money | None:
    """The price, for an auction else its highest bid."""
    said_none = row.get("isNoPrice") in (True, "true")
    return price_among((None if said_none else row.get("price"), fields.first(auction, "highestBid", "highest_bid")))


def _seller(row: Row) -> Seller | None:
    """The person, or for a shop, whose rows name seller 0, the shop."""
    person, shop = fields.word(row.get("sellerId")), fields.word(fields.mapping(row.get("shop")).get("id"))
    known = person if person and person != "0" else shop
    return Seller(id=known, name=fields.text(row.get("shopName"))) if known else None


def _images(row: Row) -> tuple[str, ...]:
    photos = fields.addresses(fields.mapping(photo).get("uri") for photo in fields.items(row.get("photos")))
    return photos or fields.addresses(fields.items(row.get("thumbnails")))


def _extra(row: Row) -> dict[str, str]:
    brand, size = fields.mapping(row.get("itemBrand")), fields.mapping(row.get("itemSize"))
    return fields.named(
        category=fields.text(row.get("categoryId")),
        brand=fields.text(fields.first(brand, "subName", "name")),
        size=fields.text(size.get("name")),
        shop=fields.text(fields.mapping(row.get("shop")).get("id")),
    )

"""Pages that carry their rows as data: the closed search and the page of a seller. Pure.

The block also holds the server's own cookies: nothing of it but the rows, their count and their order is ever read.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from selectolax.lexbor import LexborHTMLParser

from monitor_site.contract import Answer, BadRow, LayoutChanged, SearchPage, Seller, Shipping, Sighting, Status

from . import fields
from .manifest import YahooCriteria
from .meaning import condition_of, kind_of
from .narrow import answers
from .page import check_whole, next_data, text_of, tree_of
from .refusals import refuse_status, wall

ENOUGH_ROWS = 5
Row = dict[str, Any]
ReadRow = Callable[[Row], Sighting | str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Listed:
    """The rows of a page, the site's count of all, the order it names (empty: none), how many a page holds."""

    tree: LexborHTMLParser
    rows: list[Any]
    total: int | None
    order: str
    limit: int | None


def listed(answer: Answer, *, now: datetime) -> Listed:
    """What a page lists; no rows only where it counts none itself.

    Raises: Unavailable, Throttled, Blocked, ChallengeRequired, SignInNeeded, LayoutChanged.
    """
    refuse_status(answer, now=now)
    text = text_of(answer)
    tree = tree_of(text)
    found = next_data(tree, "search", "items", "listing")
    rows, total = found.get("items"), fields.whole(found.get("totalResultsAvailable"))
    if not isinstance(rows, list):
        raise wall(tree) or LayoutChanged("the page has no list of items")
    check_whole(text)
    if not rows and total != 0:
        raise LayoutChanged(f"no rows, yet a count of {total}")
    about = fields.mapping(found.get("metadata"))
    order, limit = about.get("sort"), fields.whole(about.get("limit"))
    return Listed(tree=tree, rows=rows, total=total, order=order if isinstance(order, str) else "", limit=limit)


def page_of(found: Listed, read: ReadRow, *, offset: int, size: int) -> SearchPage:
    """The page with every row that ``read`` understands, each once; rows for which it gives nothing are padding.

    ``size`` is how many were asked for; a page that says it holds fewer goes on after those.
    """
    told = [(at, read(fields.mapping(row))) for at, row in enumerate(found.rows)]
    bad = tuple(BadRow(position=at, reason=row) for at, row in told if isinstance(row, str))
    sightings = _each_once(row for _, row in told if isinstance(row, Sighting))
    _check_nothing_is_gone(sightings, bad, len(found.rows))
    after = offset + min(found.limit or size, size)
    more = bool(found.rows) and (found.total or 0) >= after
    return SearchPage(
        sightings=sightings,
        next_token=str(after) if more else None,
        about=found.total,
        bad_rows=bad,
        padding=len(found.rows) - len(bad) - len(sightings),
    )


def read_row(row: Row, criteria: YahooCriteria, *, status: Status, web: str, now: datetime) -> Sighting | str | None:
    """The sighting, or why there is none; nothing at all for a row that does not answer the question."""
    external_id, name = fields.listing_id(row.get("auctionId")), fields.title(row.get("title"))
    if external_id is None:
        return "no usable id"
    if name is None:
        return "no title"
    return _sighting(row, external_id, name, status, web) if answers(row, criteria, now=now) else None


def _each_once(found: Iterable[Sighting]) -> tuple[Sighting, ...]:
    first: dict[str, Sighting] = {}
    for sighting in found:
        first.setdefault(sighting.external_id, sighting)
    return tuple(first.values())


def _check_nothing_is_gone(found: tuple[Sighting, ...], bad: tuple[BadRow, ...], rows: int) -> None:
    if bad and len(bad) == rows:
        raise LayoutChanged(f"none of {rows} rows can be read: {bad[0].reason}")
    if len(found) < ENOUGH_ROWS:
        return
    if gone := [name for name in ("price", "ends_at") if all(getattr(each, name) is None for each in found)]:
        raise LayoutChanged(f"gone from every row: {', '.join(gone)}")


def _sighting(row: Row, external_id: str, name: str, status: Status, web: str) -> Sighting:
    price, buy_now = fields.whole(row.get("price")), fields.whole(row.get("buyNowPrice"))
    flea = row.get("isFleamarketItem") is True
    fixed = row.get("isFixedPrice") is True
    return Sighting(
        external_id=external_id,
        title=name,
        url=f"{web}/jp/auction/{external_id}",
        price=fields.money(price),
        kind=kind_of(flea=flea, price=price, buy_now=price if fixed else None, bids=None),
        status=status,
        buy_now=fields.money(buy_now),
        shipping=Shipping.INCLUDED if row.get("isFreeShipping") is True else Shipping.UNKNOWN,
        condition=condition_of(row.get("itemCondition")),
        seller=_seller(fields.mapping(row.get("seller"))),
        images=fields.addresses(row.get("imageUrl")),
        created=fields.moment(row.get("startTime")),
        ends_at=fields.moment(row.get("endTime")),
        # Flea sales bear a placeholder, which is no bid.
        bids=None if flea else fields.whole(row.get("bidCount")),
        extra=_extra(row),
    )


def _seller(seller: Row) -> Seller | None:
    """Names are masked in rows, so only the id and the rating are kept."""
    known = seller.get("userId")
    rating = fields.percent(seller.get("goodRating"))
    return Seller(id=known, rating=rating) if isinstance(known, str) and known else None


def _extra(row: Row) -> dict[str, str]:
    category = fields.whole(fields.mapping(row.get("category")).get("id"))
    found = {
        "category": None if category is None else str(category),
        "store": "1" if row.get("isShoppingItem") is True else None,
        "appraised": "1" if row.get("isAppraisal") is True else None,
    }
    return {name: value for name, value in found.items() if value}

"""What an answer says about a listing, beside what is known of it. Pure.

Searches and looks see different fields of one listing, each in its own wording. So what an answer does not tell (None,
unknown, empty) leaves the row as it was, and of what both tell a look knows better:

- title: a search's cut title does not replace the whole one; any other does
- kind and pictures: those of a look stay
- end: a search may move it later, never earlier than a look has said
- shipping fee: goes with its shipping, so that the fee of another way to ship does not stay
- seller: name, rating and count go with the id
- edited: the later of both, it never goes back
- extra: what either has said, by name
- everything else (price, buy-now price, status, condition, bids, listed): whoever told it last
"""

import hashlib
from dataclasses import replace
from datetime import timedelta
from typing import Any

from monitor_site.contract import Condition, Kind, Money, Seller, Shipping, Sighting, Status
from monitor_site.contract.same import OfTheSame

from .models import EventKind, Listing

STATUS_EVENTS = {
    Status.RESERVED: EventKind.RESERVED,
    Status.SOLD: EventKind.SOLD,
    Status.STOPPED: EventKind.STOPPED,
    Status.ENDED: EventKind.ENDED,
    Status.REMOVED: EventKind.REMOVED,
    Status.ON_SALE: EventKind.BACK,
}
OVER = (Status.SOLD.value, Status.ENDED.value, Status.REMOVED.value)
EXTENSION = timedelta(minutes=1)
CUT = ".…‥ "
# The rows of a few hundred pages.
_DIGESTS: OfTheSame[Sighting, str] = OfTheSame(most=4096)
SELLER = {"seller_name": "", "seller_rating": None, "seller_count": None}


def digest(sighting: Sighting) -> str:
    """All tracked fields in one figure."""
    return _DIGESTS.of(sighting, conclude=_digest)


def _digest(sighting: Sighting) -> str:
    tracked = (
        sighting.title, sighting.price, sighting.buy_now, sighting.kind, sighting.status, sighting.condition,
        sighting.shipping, sighting.shipping_fee, sighting.images, sighting.updated, sighting.ends_at, sighting.bids,
    )  # fmt: skip
    return hashlib.blake2b(repr(tracked).encode(), digest_size=8).hexdigest()


def amount_of(money: Money | None) -> int | None:
    """A known price; nought is a placeholder everywhere and therefore unknown."""
    return money.amount if money is not None and money.amount > 0 else None


def told(sighting: Sighting) -> dict[str, Any]:
    """The columns this sighting speaks of; what it does not know is not among them."""
    said = {
        "title": sighting.title,
        "description": sighting.description,
        "url": sighting.url,
        "price": amount_of(sighting.price),
        "buy_now": amount_of(sighting.buy_now),
        "kind": sighting.kind.value,
        "status": _word(sighting.status),
        "condition": _word(sighting.condition),
        "shipping": _word(sighting.shipping),
        "shipping_fee": amount_of(sighting.shipping_fee),
        **_seller(sighting.seller),
        "images": list(sighting.images),
        "bids": sighting.bids,
        "ends_at": sighting.ends_at,
        "listed_at": sighting.created,
        "edited_at": sighting.updated,
        "extra": dict(sighting.extra),
    }
    return {name: value for name, value in said.items() if value not in (None, "", [], {})}


def _word(word: Status | Condition | Shipping) -> str | None:
    return None if word.value == "unknown" else word.value


def _seller(seller: Seller | None) -> dict[str, Any]:
    if seller is None:
        return {}
    names = {"seller_name": seller.name, "seller_rating": seller.rating, "seller_count": seller.count}
    return {"seller_id": seller.id, **names}


def first(sighting: Sighting) -> dict[str, Any]:
    """The columns of a listing that nobody has seen before."""
    unknown = {"status": Status.UNKNOWN.value, "condition": Condition.UNKNOWN.value, "shipping": Shipping.UNKNOWN.value}
    return unknown | told(sighting)


def taken_over(row: Listing, sighting: Sighting, *, closer: bool) -> dict[str, Any]:
    """The columns that a known listing takes over, from a look (``closer``) or from a search."""
    new = told(sighting)
    if "extra" in new:
        new["extra"] = row.extra | new["extra"]
    if new.get("shipping", row.shipping) != row.shipping:
        new.setdefault("shipping_fee", None)
    if new.get("seller_id", row.seller_id) != row.seller_id:
        new = SELLER | new
    if row.edited_at is not None and "edited_at" in new:
        new["edited_at"] = max(row.edited_at, new["edited_at"])
    return new if closer or row.looked_at is None else _what_a_search_may(row, new)


def _what_a_search_may(row: Listing, new: dict[str, Any]) -> dict[str, Any]:
    """Of a listing that was looked at, less what a look knows better."""
    kept = {"kind"}
    if row.images:
        kept.add("images")
    if row.title.startswith(new.get("title", row.title).rstrip(CUT)):
        kept.add("title")
    if row.ends_at is not None and new.get("ends_at", row.ends_at) < row.ends_at:
        kept.add("ends_at")
    return {name: value for name, value in new.items() if name not in kept}


def completed(sighting: Sighting, row: Listing) -> Sighting:
    """The sighting with what other answers told of its listing; ``row`` has taken the sighting over already.

    Its price is its own: an older one beside an answer without a price would pass limits that nobody knows it meets.
    """
    return replace(
        sighting,
        title=row.title,
        description=row.description or None if sighting.description is None else sighting.description,
        kind=Kind(row.kind),
        status=Status(row.status) if sighting.status is Status.UNKNOWN else sighting.status,
        condition=Condition(row.condition),
        shipping=Shipping(row.shipping),
        shipping_fee=None if row.shipping_fee is None else Money(amount=row.shipping_fee, currency=row.currency),
        seller=_seller_in(row),
        created=row.listed_at,
        ends_at=row.ends_at,
        bids=row.bids,
    )


def _seller_in(row: Listing) -> Seller | None:
    if not row.seller_id:
        return None
    return Seller(id=row.seller_id, name=row.seller_name, rating=row.seller_rating, count=row.seller_count)


def edges(row: Listing, new: dict[str, Any], *, closer: bool) -> set[str]:
    """What happened, when a row takes these columns over: edges, not levels.

    An unknown price, status or end on either side is no edge. A look has no place on a page, so it sees no bump.
    """
    found: set[str] = set()
    price, status = new.get("price"), new.get("status", row.status)
    if price is not None and row.price is not None and price != row.price:
        found.add(EventKind.PRICE_DROP if price < row.price else EventKind.PRICE_RISE)
    if row.status not in (status, Status.UNKNOWN):
        found.add(STATUS_EVENTS[Status(status)])
    if _extended(row, new):
        found.add(EventKind.EXTENDED)
    if not found and not closer and _only_moved_up(row, new):
        found.add(EventKind.BUMPED)
    return {str(edge) for edge in found}


def _extended(row: Listing, new: dict[str, Any]) -> bool:
    """The end of an open auction moved later."""
    still_open = row.kind == Kind.AUCTION and row.status == new.get("status", row.status) == Status.ON_SALE
    ends_at = new.get("ends_at")
    return still_open and row.ends_at is not None and ends_at is not None and ends_at - row.ends_at >= EXTENSION


def _only_moved_up(row: Listing, new: dict[str, Any]) -> bool:
    """The marketplace says that it was edited, and nothing a person sees is different."""
    edited = new.get("edited_at")
    moved = edited is not None and row.edited_at is not None and edited > row.edited_at
    return moved and new.get("title", row.title) == row.title


def figures(row: Listing, new: dict[str, Any], kind: str) -> tuple[int | None, int | None]:
    """The figure of an event before and after: the price; the end in epoch seconds, where that moved."""
    if kind != EventKind.EXTENDED:
        return row.price, new.get("price", row.price)
    before = int(row.ends_at.timestamp()) if row.ends_at else None
    return before, int(new["ends_at"].timestamp())

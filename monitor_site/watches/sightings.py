"""From sightings to listings, price points and events. Runs inside the recording transaction."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from monitor_site.contract import Money, Sighting, Status

from .models import EventKind, Listing, ListingEvent, PricePoint

COMPARED = (
    "marketplace", "external_id", "title", "price", "status", "digest", "trace", "observed_at", "edited_at",
)  # fmt: skip
STATUS_EVENTS = {
    Status.RESERVED: EventKind.RESERVED,
    Status.SOLD: EventKind.SOLD,
    Status.STOPPED: EventKind.STOPPED,
    Status.ENDED: EventKind.ENDED,
    Status.REMOVED: EventKind.REMOVED,
    Status.ON_SALE: EventKind.BACK,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A sighting with what it is to us: the listing's id, and what changed since the last look.

    ``fresh``: never seen before by any target. ``events``: the edges of this look, empty when nothing changed.
    """

    sighting: Sighting
    listing_id: int
    fresh: bool
    events: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """All sightings of one check, with its marketplace and that one's currency, its start and trace."""

    marketplace: str
    currency: str
    trace: str
    at: datetime
    sightings: Sequence[Sighting]


def digest(sighting: Sighting) -> str:
    """All tracked fields in one figure."""
    tracked = (
        sighting.title, sighting.price, sighting.buy_now, sighting.kind, sighting.status, sighting.condition,
        sighting.shipping, sighting.shipping_fee, sighting.images, sighting.updated, sighting.ends_at, sighting.bids,
    )  # fmt: skip
    return hashlib.blake2b(repr(tracked).encode(), digest_size=8).hexdigest()


def upsert(looks: Sequence[Look], *, now: datetime) -> dict[str, dict[str, Seen]]:
    """Write what the looks saw; returns trace → external id → :class:`Seen`."""
    known = _known(looks)
    _insert_new(looks, known, now)
    rows = _known(looks)
    seen: dict[str, dict[str, Seen]] = {look.trace: {} for look in looks}
    # In one order over all looks: two workers that change the same listings never wait for each other in a circle.
    for look, sighting in sorted(_pairs(looks), key=lambda pair: (pair[0].marketplace, pair[1].external_id)):
        seen[look.trace][sighting.external_id] = _settle(look, sighting, rows, known)
    return seen


def _pairs(looks: Sequence[Look]) -> Iterator[tuple[Look, Sighting]]:
    return ((look, sighting) for look in looks for sighting in look.sightings)


def touch(*, marketplace: str, external_ids: Iterable[str], now: datetime) -> None:
    """These listings are still there. What another worker holds is left to it: nobody waits for a coarse figure."""
    rows = Listing.objects.filter(marketplace=marketplace, external_id__in=list(external_ids))
    if connection.features.has_select_for_update_skip_locked:
        rows = rows.select_for_update(skip_locked=True)
    Listing.objects.filter(pk__in=list(rows.values_list("pk", flat=True))).update(seen_at=now)


def _known(looks: Sequence[Look]) -> dict[tuple[str, str], Listing]:
    found: dict[tuple[str, str], Listing] = {}
    for marketplace in {look.marketplace for look in looks}:
        ids = {s.external_id for look in looks if look.marketplace == marketplace for s in look.sightings}
        rows = Listing.objects.filter(marketplace=marketplace, external_id__in=ids)
        rows = rows.only(*COMPARED)
        found.update({(marketplace, row.external_id): row for row in rows})
    return found


def _insert_new(looks: Sequence[Look], known: dict[tuple[str, str], Listing], now: datetime) -> None:
    fresh: dict[tuple[str, str], Listing] = {}
    for look in looks:
        for sighting in look.sightings:
            name = (look.marketplace, sighting.external_id)
            if name not in known:
                fresh.setdefault(name, _new_listing(look, sighting, now))
    # Sorted, so that two workers that insert the same listings never wait for each other in a circle.
    Listing.objects.bulk_create([fresh[name] for name in sorted(fresh)], ignore_conflicts=True, batch_size=200)
    _first_facts(set(fresh), {look.trace for look in looks}, now)


def _first_facts(names: set[tuple[str, str]], traces: set[str], now: datetime) -> None:
    """Only the check whose trace stands in the row was first; another worker's row is its own to tell of."""
    for marketplace in sorted({name[0] for name in names}):
        ids = [external_id for place, external_id in names if place == marketplace]
        mine = Listing.objects.filter(marketplace=marketplace, external_id__in=ids, trace__in=traces)
        _tell_first(list(mine.only("pk", "price", "trace")), now)


def _tell_first(rows: Sequence[Listing], now: datetime) -> None:
    ListingEvent.objects.bulk_create(
        [ListingEvent(listing=r, kind=EventKind.LISTED, at=now, after=r.price, trace=r.trace) for r in rows],
        ignore_conflicts=True,
    )
    PricePoint.objects.bulk_create(
        [PricePoint(listing=row, price=row.price, at=now) for row in rows if row.price is not None],
        ignore_conflicts=True,
    )


def _new_listing(look: Look, sighting: Sighting, now: datetime) -> Listing:
    return Listing(
        marketplace=look.marketplace,
        external_id=sighting.external_id,
        first_seen_at=now,
        seen_at=now,
        observed_at=look.at,
        trace=look.trace,
        **_columns(look, sighting),
    )


def _columns(look: Look, sighting: Sighting) -> dict[str, Any]:
    seller = sighting.seller
    return {
        "title": sighting.title,
        "url": sighting.url,
        "price": amount_of(sighting.price),
        "buy_now": amount_of(sighting.buy_now),
        "currency": look.currency,
        "kind": sighting.kind.value,
        "status": sighting.status.value,
        "condition": sighting.condition.value,
        "shipping": sighting.shipping.value,
        "shipping_fee": amount_of(sighting.shipping_fee),
        "seller_id": seller.id if seller else "",
        "seller_name": (seller.name or "") if seller else "",
        "seller_rating": seller.rating if seller else None,
        "seller_count": seller.count if seller else None,
        "images": list(sighting.images),
        "bids": sighting.bids,
        "ends_at": sighting.ends_at,
        "listed_at": sighting.created,
        "edited_at": sighting.updated,
        "digest": digest(sighting),
        "extra": dict(sighting.extra),
    }


def amount_of(money: Money | None) -> int | None:
    """A known price; nought is a placeholder everywhere and therefore unknown."""
    return money.amount if money is not None and money.amount > 0 else None


def _settle(
    look: Look, sighting: Sighting, rows: dict[tuple[str, str], Listing], known: dict[tuple[str, str], Listing]
) -> Seen:
    name = (look.marketplace, sighting.external_id)
    row = rows[name]
    if name not in known:
        return Seen(sighting=sighting, listing_id=row.pk, fresh=True)
    if row.digest == digest(sighting):
        return Seen(sighting=sighting, listing_id=row.pk, fresh=False)
    return Seen(sighting=sighting, listing_id=row.pk, fresh=False, events=_change(look, sighting, row))


def _change(look: Look, sighting: Sighting, row: Listing) -> frozenset[str]:
    """Take the new state over, if nobody was faster and this look is the newer one; returns the edges."""
    columns = _columns(look, sighting)
    mine = Listing.objects.filter(pk=row.pk, digest=row.digest, observed_at__lt=look.at)
    if mine.update(**columns, observed_at=look.at, seen_at=look.at) != 1:
        return frozenset()
    events = _edges(row, sighting)
    ListingEvent.objects.bulk_create(
        [
            ListingEvent(listing=row, kind=kind, at=look.at, before=row.price, after=columns["price"], trace=look.trace)
            for kind in sorted(events)
        ]
    )
    if columns["price"] is not None and columns["price"] != row.price:
        PricePoint.objects.bulk_create(
            [PricePoint(listing=row, price=columns["price"], at=look.at)], ignore_conflicts=True
        )
    for name in ("digest", "price", "status", "title", "edited_at"):
        setattr(row, name, columns[name])
    return frozenset(events)


def _edges(row: Listing, sighting: Sighting) -> set[str]:
    """Edges, not levels. An unknown price or status on either side is no edge."""
    edges: set[str] = set()
    price = amount_of(sighting.price)
    if price is not None and row.price is not None and price != row.price:
        edges.add(EventKind.PRICE_DROP if price < row.price else EventKind.PRICE_RISE)
    if sighting.status != row.status and Status.UNKNOWN not in (sighting.status, row.status):
        edges.add(STATUS_EVENTS[sighting.status])
    if not edges and _only_moved_up(row, sighting):
        edges.add(EventKind.BUMPED)
    return {str(edge) for edge in edges}


def _only_moved_up(row: Listing, sighting: Sighting) -> bool:
    """The marketplace says that it was edited, and nothing a person sees is different."""
    moved = sighting.updated is not None and row.edited_at is not None and sighting.updated > row.edited_at
    return moved and sighting.title == row.title

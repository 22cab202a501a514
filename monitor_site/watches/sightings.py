"""From sightings to listings, price points and events. Runs inside the recording transaction."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.db import connection

from monitor_site.contract import Sighting, Status

from . import damping, relisting
from .facts import OVER, digest, edges, figures, first, taken_over
from .models import EventKind, Listing, ListingEvent, PricePoint
from .sales import sale_after, sale_of

# For so long after a look a search may still show what is over: it brings nothing back.
LEFT = {str(kind) for kind in (EventKind.ENDED, EventKind.STOPPED, EventKind.REMOVED)}
SEARCH_LAG = timedelta(minutes=10)


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A sighting with what it is to us: the listing's id, and what changed since the last look.

    ``fresh``: never seen before by any target. ``events``: the edges of this look, empty when nothing changed;
    ``damped`` are those of them that repeat what was told a while ago.
    ``doubted``: a search shows what a look has just seen leave; it counts when it is still shown later.
    """

    sighting: Sighting
    listing_id: int
    fresh: bool
    events: frozenset[str] = frozenset()
    damped: frozenset[str] = frozenset()
    doubted: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """All sightings of one check, with its marketplace and that one's currency, its start and trace.

    ``closer``: not rows of a search but one listing, ``asked`` for by itself; when it failed, without a sighting.
    """

    marketplace: str
    currency: str
    trace: str
    at: datetime
    sightings: Sequence[Sighting]
    closer: bool = False
    asked: str = ""

    @property
    def external_ids(self) -> set[str]:
        """All that this check may change."""
        return {sighting.external_id for sighting in self.sightings} | ({self.asked} if self.asked else set())


def upsert(looks: Sequence[Look], *, now: datetime) -> dict[str, dict[str, Seen]]:
    """Write what the looks saw; returns trace → external id → :class:`Seen`.

    The listings of failed looks are held with the others: whoever finds some of them gone waits for nobody then.
    """
    if not looks:
        return {}
    known = _known(looks, hold=False)
    _insert_new(looks, known, now)
    rows = _known(looks, hold=True)
    seen: dict[str, dict[str, Seen]] = {look.trace: {} for look in looks}
    # In one order over all looks: two workers that change the same listings never wait for each other in a circle.
    for look, sighting in sorted(_pairs(looks), key=lambda pair: (pair[0].marketplace, pair[1].external_id)):
        seen[look.trace][sighting.external_id] = _settle(look, sighting, rows, known)
    _link_relisted(looks, seen, rows, known)
    return seen


def _link_relisted(
    looks: Sequence[Look],
    seen: dict[str, dict[str, Seen]],
    rows: Mapping[tuple[str, str], Listing],
    known: Mapping[tuple[str, str], Listing],
) -> None:
    """Among what is new, or was looked at for the first time: a search may not tell who sells."""
    for look in looks:
        ours = seen[look.trace]
        new = {one.listing_id: name for name, one in ours.items() if one.fresh or _first_look(look, name, known)}
        found = [rows[look.marketplace, name] for name in new.values()]
        for pk in relisting.link(found, trace=look.trace, at=look.at):
            one = ours[new[pk]]
            ours[new[pk]] = replace(one, events=one.events | {str(EventKind.RELISTED)})


def _first_look(look: Look, name: str, known: Mapping[tuple[str, str], Listing]) -> bool:
    return look.closer and known[look.marketplace, name].looked_at is None


def _pairs(looks: Sequence[Look]) -> Iterator[tuple[Look, Sighting]]:
    return ((look, sighting) for look in looks for sighting in look.sightings)


def touch(*, marketplace: str, external_ids: Iterable[str], now: datetime) -> None:
    """These listings are still there. What another worker holds is left to it: nobody waits for a coarse figure."""
    rows = Listing.objects.filter(marketplace=marketplace, external_id__in=list(external_ids))
    if connection.features.has_select_for_update_skip_locked:
        rows = rows.select_for_update(skip_locked=True, no_key=connection.features.has_select_for_no_key_update)
    Listing.objects.filter(pk__in=list(rows.values_list("pk", flat=True))).update(seen_at=now)


def _known(looks: Sequence[Look], *, hold: bool) -> dict[tuple[str, str], Listing]:
    """The rows of these listings; ``hold`` them, so that of a search and a look at once neither is lost."""
    found: dict[tuple[str, str], Listing] = {}
    for marketplace in sorted({look.marketplace for look in looks}):
        ids = set().union(*(look.external_ids for look in looks if look.marketplace == marketplace))
        rows = Listing.objects.filter(marketplace=marketplace, external_id__in=ids).defer("description")
        if hold:
            rows = rows.order_by("external_id").select_for_update(
                no_key=connection.features.has_select_for_no_key_update
            )
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
        looked_at=look.at if look.closer else None,
        trace=look.trace,
        currency=look.currency,
        digest=digest(sighting),
        **_first(look, sighting),
    )


def _first(look: Look, sighting: Sighting) -> dict[str, Any]:
    facts = first(sighting)
    return facts | sale_of(sighting, price=facts.get("price"), seen_at=look.at)


def _settle(
    look: Look, sighting: Sighting, rows: dict[tuple[str, str], Listing], known: dict[tuple[str, str], Listing]
) -> Seen:
    name = (look.marketplace, sighting.external_id)
    row = rows[name]
    if name not in known:
        return Seen(sighting=sighting, listing_id=row.pk, fresh=True)
    repeats = not look.closer and row.digest == digest(sighting)
    if repeats and not _brings_back(sighting, row):
        return Seen(sighting=sighting, listing_id=row.pk, fresh=False)
    if _doubted(look, sighting, row):
        return Seen(sighting=sighting, listing_id=row.pk, fresh=False, doubted=True)
    events, damped = _change(look, sighting, row, repeats=repeats)
    return Seen(sighting=sighting, listing_id=row.pk, fresh=False, events=events, damped=damped)


def _brings_back(sighting: Sighting, row: Listing) -> bool:
    """On sale, although it was not when somebody looked last."""
    return sighting.status == Status.ON_SALE and row.status not in (Status.ON_SALE, Status.UNKNOWN)


def _doubted(look: Look, sighting: Sighting, row: Listing) -> bool:
    """A search is behind what is looked at, by how much nobody knows."""
    last = row.looked_at or (row.observed_at if _was_never_on_sale(row) else None)
    return _brings_back(sighting, row) and last is not None and look.at < last + SEARCH_LAG and not look.closer


def _was_never_on_sale(row: Listing) -> bool:
    """Only a question for sales has told of it."""
    return row.sold_at is not None and row.sold_at <= row.first_seen_at


def _change(look: Look, sighting: Sighting, row: Listing, *, repeats: bool) -> tuple[frozenset[str], frozenset[str]]:
    """Take the new state over, if this look is the newer one; returns the edges, and those that only repeat.

    A search that ``repeats`` what searches said last tells nothing but that the listing is on sale.

    The digest is what searches said last: a look leaves it alone, so that a search which repeats itself is no news.
    """
    new = {"status": sighting.status.value} if repeats else taken_over(row, sighting, closer=look.closer)
    new |= sale_after(row, new, sighting, seen_at=look.at)
    ours: dict[str, Any] = {"looked_at": look.at} if look.closer else {"digest": digest(sighting)}
    ours |= {"observed_at": look.at, "seen_at": look.at}
    mine = Listing.objects.filter(pk=row.pk, digest=row.digest, observed_at__lt=look.at)
    if mine.update(**new, **ours) != 1:
        return frozenset(), frozenset()
    events = frozenset(edges(row, new, closer=look.closer))
    damped = damping.repeated(row, events, new, at=look.at)
    _tell(row, new, {kind: kind in damped for kind in events}, look)
    alive_at = row.seen_at
    for name, value in (new | ours).items():
        setattr(row, name, value)
    if row.status in relisting.GONE and events & LEFT:
        relisting.link_successor(row, alive_at=alive_at, trace=look.trace, at=look.at)
    return events, damped


def _tell(row: Listing, new: dict[str, Any], events: Mapping[str, bool], look: Look) -> None:
    """``events`` says of each whether it is damped."""
    ListingEvent.objects.bulk_create([_event(row, new, kind, look, damped=events[kind]) for kind in sorted(events)])
    price = new.get("price")
    if price is not None and price != row.price:
        PricePoint.objects.bulk_create([PricePoint(listing=row, price=price, at=look.at)], ignore_conflicts=True)


def _event(row: Listing, new: dict[str, Any], kind: str, look: Look, *, damped: bool) -> ListingEvent:
    before, after = figures(row, new, kind)
    return ListingEvent(listing=row, kind=kind, at=look.at, before=before, after=after, trace=look.trace, damped=damped)


def remove(*, listing: Listing, at: datetime, trace: str) -> bool:
    """The marketplace knows it no more; returns whether that changed anything: what was sold stays sold."""
    gone = Listing.objects.filter(pk=listing.pk, observed_at__lt=at).exclude(status__in=OVER)
    if not gone.update(status=Status.REMOVED, observed_at=at, looked_at=at):
        return False
    ListingEvent.objects.create(
        listing=listing, kind=EventKind.REMOVED, at=at, before=listing.price, after=listing.price, trace=trace
    )
    listing.status = Status.REMOVED.value
    relisting.link_successor(listing, alive_at=listing.seen_at, trace=trace, at=at)
    return True

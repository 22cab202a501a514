"""Record what questions for sales brought, and which listings each question has found. In the recording transaction.

A sale that is news about a known listing is written beside what looks and searches say of it: the edge is theirs to
see, so that whoever follows the listing hears of it as of any other.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from django.db import connection

from .facts import amount_of, digest, first
from .models import Listing, Sample, Target
from .pages import Page, currency_of
from .results import Result
from .sales import told_sale_of
from .sightings import Seen

Sales = dict[str, Listing]


def gather(results: Sequence[Result], targets: Mapping[int, Target], *, now: datetime) -> dict[str, int]:
    """Write the sales that good answers told of; returns trace → how many of their listings nobody knew before."""
    new: dict[str, int] = {}
    for result in results:
        target = targets[result.target_id]
        sales = _sales(target, result, now)
        known = _rows(target.marketplace, sales)
        fresh = sorted(set(sales) - set(known))
        Listing.objects.bulk_create([sales[name] for name in fresh], ignore_conflicts=True, batch_size=200)
        _complete([row for name, row in known.items() if row.paid is None], sales)
        if target.search_id is not None:
            found = _rows(target.marketplace, sales).values()
            _note(target.search_id, [row.pk for row in found], asking=False, now=now)
        new[result.trace] = len(fresh)
    return new


def _sales(target: Target, result: Result, now: datetime) -> Sales:
    """External id → the listing as nobody has seen it before, with its sale."""
    found: Sales = {}
    for sighting in result.sightings:
        sale = told_sale_of(sighting, price=amount_of(sighting.price), told_at=result.started_at)
        if sale:
            found[sighting.external_id] = Listing(
                marketplace=target.marketplace,
                external_id=sighting.external_id,
                first_seen_at=now,
                seen_at=now,
                observed_at=result.started_at,
                trace=result.trace,
                currency=currency_of(target.marketplace),
                digest=digest(sighting),
                **(first(sighting) | sale),
            )
    return found


def _rows(marketplace: str, names: Sales) -> Sales:
    rows = Listing.objects.filter(marketplace=marketplace, external_id__in=list(names)).only("external_id", "paid")
    return {row.external_id: row for row in rows}


def _complete(known: Sequence[Listing], sales: Sales) -> None:
    """Of listings without a sale; what another worker holds is left to the next day: nobody waits for it."""
    held = Listing.objects.filter(pk__in=[row.pk for row in known], paid=None)
    if connection.features.has_select_for_update_skip_locked:
        held = held.select_for_update(skip_locked=True, no_key=connection.features.has_select_for_no_key_update)
    for row in held.only("external_id"):
        sale = sales[row.external_id]
        Listing.objects.filter(pk=row.pk, paid=None).update(paid=sale.paid, sold_at=sale.sold_at)


def note_found(pages: Sequence[Page], seen: Mapping[str, Mapping[str, Seen]], *, now: datetime) -> None:
    """Remember which listings the searches' answers show for the first time."""
    for page in pages:
        rows = seen.get(page.result.trace, {}).items()
        new = {one.listing_id for name, one in rows if page.whole or not page.shown_before(name)}
        _note(page.target.pk, new, asking=True, now=now)


def _note(search_id: int, listing_ids: Iterable[int], *, asking: bool, now: datetime) -> None:
    Sample.objects.bulk_create(
        [Sample(target_id=search_id, listing_id=pk, asking=asking, at=now) for pk in sorted(listing_ids)],
        ignore_conflicts=True,
        batch_size=500,
    )

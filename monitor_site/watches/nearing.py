"""Auctions whose end has come within what a watch asks for since its last check: time alone makes them fit."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db.models import Exists, OuterRef, Q

from monitor_site.contract import Kind, Status

from .models import Listing, Sample, Target
from .results import Result

# Of one answer. After a long silence more may have come near than anybody looks at: those that end first do.
MOST_LEFT = 100
# So many windows are each read for themselves; of more, everything between the shortest and the longest.
MOST_SPANS = 8
OPEN = (Status.ON_SALE.value, Status.UNKNOWN.value)


def came_within(ends_at: datetime | None, window: timedelta | None, *, since: datetime | None, now: datetime) -> bool:
    """Whether the end came within the window after ``since`` and not later than ``now``."""
    if ends_at is None or window is None or since is None:
        return False
    return since < ends_at - window <= now


def due_rows(target: Target, result: Result, windows: Iterable[timedelta], *, now: datetime) -> frozenset[str]:
    """The ids of an answer whose end, as searches or looks have told it, came within one of these windows.

    One read for a target whose watches ask for an end, none for others. ``target`` stands as before this answer.
    """
    wished = set(windows)
    if not wished or target.succeeded_at is None:
        return frozenset()
    since, ids = target.succeeded_at, [row.external_id for row in result.sightings]
    near = Listing.objects.filter(
        marketplace=target.marketplace,
        external_id__in=ids,
        ends_at__gt=since + min(wished),
        ends_at__lte=now + max(wished),
    )
    found = near.values_list("external_id", "ends_at")
    return frozenset(
        name for name, end in found if any(came_within(end, window, since=since, now=now) for window in wished)
    )


def left_rows(target: Target, result: Result, windows: Iterable[timedelta], *, now: datetime) -> tuple[Listing, ...]:
    """Open auctions that earlier answers of this target showed and this one does not, whose end came that near.

    One read for a target whose watches ask for an end, along the ends of auctions; none for others.
    """
    wished = sorted(set(windows))
    if not wished or target.succeeded_at is None:
        return ()
    found = Sample.objects.filter(target=target, listing=OuterRef("pk"), asking=True)
    near = Listing.objects.filter(
        _spans(wished, since=target.succeeded_at, now=now),
        Exists(found),
        ends_at__gt=max(now, target.succeeded_at + wished[0]),
        ends_at__lte=now + wished[-1],
        kind=Kind.AUCTION.value,
        status__in=OPEN,
    )
    # Its marketplace goes without saying, and would lead SQLite along all listings of that one.
    shown = [row.external_id for row in result.sightings]
    return tuple(near.exclude(external_id__in=shown).order_by("ends_at", "pk")[:MOST_LEFT])


def _spans(wished: list[timedelta], *, since: datetime, now: datetime) -> Q:
    """Ends that came within some window since then."""
    pairs = [(window, window) for window in wished] if len(wished) <= MOST_SPANS else [(wished[0], wished[-1])]
    near = Q()
    for least, most in pairs:
        near |= Q(ends_at__gt=since + least, ends_at__lte=now + most)
    return near

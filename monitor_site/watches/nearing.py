"""Auctions whose end has come within what a watch asks for since its last check: time alone makes them fit."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from .models import Listing, Target
from .results import Result


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

"""The nightly roll-up: what checks and prices came to on each day that is over, kept when the checks are gone.

A day is summed as a whole and written over what stood there, so that a second run changes nothing.
"""

from collections.abc import Iterator
from datetime import date, datetime, timedelta
from typing import Any

from django.db import models
from django.db.models import Count, Max, Q, Sum

from monitor_site.watches.models import Check, Outcome, PricePoint
from monitor_site.wording import JAPAN

from .models import CheckDay, PriceDay

DAY = timedelta(days=1)
# An installation that sleeps at night, or is never idle, sums its days at any hour when they have waited this long.
PATIENCE_DAYS = 3
# Retention waits so long for a roll-up that does not come; then a full disk would be worse.
GRACE = timedelta(days=7)


def roll_up_checks(now: datetime) -> None:
    """Sum the checks of every day that is over and is not summed yet."""
    for day in _missing(CheckDay, _first(Check, "started_at"), now):
        begin, end = _bounds(day)
        _write(CheckDay, _checks_of(begin, end), day, ["marketplace", "kind"])


def roll_up_prices(now: datetime) -> None:
    """Count the prices of every day that is over and is not counted yet."""
    for day in _missing(PriceDay, _first(PricePoint, "at"), now):
        begin, end = _bounds(day)
        _write(PriceDay, _prices_of(begin, end), day, ["marketplace"])


def is_behind(now: datetime) -> bool:
    """Whether days have waited too long for a quiet hour."""
    waiting = next(_missing(CheckDay, _first(Check, "started_at"), now), None)
    return waiting is not None and (now.astimezone(JAPAN).date() - waiting).days > PATIENCE_DAYS


def summed_until(old: datetime) -> datetime:
    """Until when checks may be forgotten that are older than ``old``: those of days that are summed."""
    last = CheckDay.objects.aggregate(last=Max("day"))["last"]
    return max(old - GRACE, min(old, _bounds(last)[1])) if last else old - GRACE


def _bounds(day: date) -> tuple[datetime, datetime]:
    begin = datetime(day.year, day.month, day.day, tzinfo=JAPAN)
    return begin, begin + DAY


def _first(model: Any, field: str) -> date | None:
    first: datetime | None = model.objects.order_by(field).values_list(field, flat=True).first()
    return first.astimezone(JAPAN).date() if first else None


def _missing(model: Any, first: date | None, now: datetime) -> Iterator[date]:
    """From the day after the last one that stands there; a day on which nothing happened leaves no row."""
    last: date | None = model.objects.aggregate(last=Max("day"))["last"]
    day, today = (last + DAY if last else first), now.astimezone(JAPAN).date()
    while day is not None and first is not None and day < today:
        yield max(day, first)
        day = max(day, first) + DAY


def _checks_of(begin: datetime, end: datetime) -> list[dict[str, Any]]:
    found = Check.objects.filter(started_at__gte=begin, started_at__lt=end).order_by()
    return list(
        found.values(marketplace=models.F("target__marketplace"), kind=models.F("target__kind")).annotate(
            checks=Count("pk"),
            failed=Count("pk", filter=Q(outcome=Outcome.FAILED)),
            missed_beats=Sum("missed_beats"),
            took_ms=Sum("duration_ms"),
            late_ms=Sum("lateness_ms"),
            worst_late_ms=Max("lateness_ms"),
        )
    )


def _prices_of(begin: datetime, end: datetime) -> list[dict[str, Any]]:
    found = PricePoint.objects.filter(at__gte=begin, at__lt=end).order_by()
    counted = found.values(marketplace=models.F("listing__marketplace"))
    return list(counted.annotate(points=Count("pk"), listings=Count("listing", distinct=True)))


def _write(model: Any, rows: list[dict[str, Any]], day: date, unique: list[str]) -> None:
    fields = [name for name in (rows[0] if rows else ()) if name not in unique]
    if rows:
        model.objects.bulk_create(
            [model(day=day, **row) for row in rows],
            update_conflicts=True,
            unique_fields=["day", *unique],
            update_fields=fields,
        )

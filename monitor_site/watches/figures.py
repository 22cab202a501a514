"""Figures of matches for the pages about watches: how many in which hour, and how low the price was."""

from collections import defaultdict
from collections.abc import Collection
from datetime import UTC, datetime, timedelta, tzinfo

from django.db.models import Count, DateTimeField, ExpressionWrapper, F, Min, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, TruncHour

from monitor_site.contract import Kind

from .models import Match, Watch

HOURS = 24
LOW_DAYS = 30
COUNTED = 1000  # what a person reads as "many": no figure looks at more matches than this


def recent(watches: Collection[Watch]) -> QuerySet[Match]:
    """The newest matches of each watch, told from the index (watch, -id); a flood is not counted to its end."""
    ids = Match.objects.filter(watch=OuterRef("pk")).order_by("-id").values("id")
    floors = Watch.objects.filter(pk__in=[watch.pk for watch in watches]).annotate(
        floor=Coalesce(Subquery(ids[COUNTED - 1 : COUNTED]), 0)
    )
    whole, wanted = [], Q(pk__in=[])
    for watch_id, floor in floors.values_list("pk", "floor"):
        if floor:
            wanted |= Q(watch=watch_id, id__gte=floor)
        else:
            whole.append(watch_id)
    return Match.objects.filter(wanted | Q(watch__in=whole)).order_by()


def hourly(matches: QuerySet[Match], *, now: datetime, zone: tzinfo) -> dict[int, dict[datetime, int]]:
    """Told matches of each watch by the hour of the user's clock, over the hours a row shows.

    Hours are told apart in UTC, where none comes twice; a zone that is half an hour off is moved onto the full hour.
    """
    aside = _aside(now, zone)
    counted = (
        matches.filter(silent=False, matched_at__gte=last_hours(now, zone)[0])
        .annotate(hour=TruncHour(ExpressionWrapper(F("matched_at") + aside, DateTimeField()), tzinfo=UTC))
        .values_list("watch_id", "hour")
        .annotate(n=Count("pk"))
    )
    found: dict[int, dict[datetime, int]] = defaultdict(dict)
    for watch_id, hour, n in counted:
        found[watch_id][hour - aside] = n
    return found


def _aside(now: datetime, zone: tzinfo) -> timedelta:
    """By how much the hours of a zone begin after those of UTC: half an hour in India."""
    return (now.astimezone(zone).utcoffset() or timedelta()) % timedelta(hours=1)


def last_hours(now: datetime, zone: tzinfo) -> list[datetime]:
    """The last 24 full or begun hours, oldest first, as the user's clock strikes them."""
    aside = _aside(now, zone)
    begun = (now + aside).astimezone(UTC).replace(minute=0, second=0, microsecond=0) - aside
    return [begun - timedelta(hours=back) for back in reversed(range(HOURS))]


def midnight(now: datetime, zone: tzinfo) -> datetime:
    """When the user's day began."""
    return now.astimezone(zone).replace(hour=0, minute=0, second=0, microsecond=0)


def lows(matches: QuerySet[Match], *, now: datetime) -> dict[int, int]:
    """The lowest price of each watch in 30 days. What an auction stands at is no price anybody sells for."""
    lately = matches.filter(price__isnull=False, matched_at__gte=now - timedelta(days=LOW_DAYS))
    lately = lately.exclude(listing__kind=Kind.AUCTION)
    return dict(lately.values_list("watch_id").annotate(low=Min("price")))

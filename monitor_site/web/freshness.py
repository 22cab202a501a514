"""How fresh what a person sees is: figures for the live chip, asked for at most every few seconds."""

from collections import defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median

from monitor_site.watches.models import Cause, Check, Match, MatchState, WatchTarget

from .auctions import ending_soon

WINDOW = timedelta(minutes=10)
SAMPLE = 200
TARGETS = 50  # the ones checked last stand for all
COUNTED = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Freshness:
    """Figures of the last ten minutes of one person's watches; ``None`` where nothing happened.

    ``found_ms``: median from listing to discovery. ``late_ms``: median lateness of the checks. ``age_s``: seconds
    since the last check. ``new``: matches nobody has looked at; ``ending``: auctions that end within the hour; both
    with 100 standing for more.
    """

    found_ms: int | None
    late_ms: int | None
    age_s: int | None
    new: int
    ending: int


def freshness_of(user_id: int, *, now: datetime) -> Freshness:
    """A few small questions to the database, each with an end."""
    checks = _checks(user_id, since=now - WINDOW)
    return Freshness(
        found_ms=_median([delay for _, delay in _delays(user_id, since=now - WINDOW)]),
        late_ms=_median([lateness for lateness, _ in checks]),
        age_s=max(0, int((now - checks[0][1]).total_seconds())) if checks else None,
        new=Match.objects.filter(user_id=user_id, silent=False, state=MatchState.NEW).order_by()[:COUNTED].count(),
        ending=ending_soon(user_id, now=now).count(),
    )


def _checks(user_id: int, *, since: datetime) -> list[tuple[int, datetime]]:
    """Lateness and end of the last checks that this person's watches asked for, newest first."""
    links = WatchTarget.objects.filter(watch__user=user_id, watch__paused_at=None, target__checked_at__gte=since)
    asked = list(links.order_by("-target__checked_at").values_list("target_id", flat=True)[:TARGETS])
    mine = Check.objects.filter(target_id__in=asked, started_at__gte=since)
    return list(mine.order_by("-started_at").values_list("lateness_ms", "finished_at")[:SAMPLE])


def delays_by_marketplace(user_id: int, *, now: datetime) -> dict[str, int]:
    """Median milliseconds from listing to discovery, for each marketplace that listed something lately."""
    grouped: dict[str, list[int]] = defaultdict(list)
    for name, delay in _delays(user_id, since=now - WINDOW):
        grouped[name].append(delay)
    return {name: int(median(delays)) for name, delays in grouped.items()}


def _delays(user_id: int, *, since: datetime) -> list[tuple[str, int]]:
    """Marketplace and milliseconds from listing to discovery of what was newly listed."""
    fresh = Match.objects.filter(
        user_id=user_id, silent=False, cause=Cause.LISTED, matched_at__gte=since, listing__listed_at__isnull=False
    )
    rows = fresh.order_by("-matched_at").values_list("listing__marketplace", "listing__listed_at", "matched_at")[
        :SAMPLE
    ]
    return [(name, max(0, int((found - listed).total_seconds() * 1000))) for name, listed, found in rows if listed]


def _median(values: list[int]) -> int | None:
    return int(median(values)) if values else None

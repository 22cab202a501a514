"""Reads for the pages about watches; a page of rows costs the same few queries, however many watches there are."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Any

from django.db.models import Exists, JSONField, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from .asked import beat_of, intervals, planned_otherwise
from .figures import COUNTED, hourly, last_hours, lows, midnight, recent
from .models import Check, EventKind, ListingEvent, Match, Note, Outcome, Target, Watch, WatchTarget
from .needs import Need, needing
from .plan import Planned
from .text import fold

PAGE = 50
TICKS = 16
LATE_MS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A watch as a list shows it.

    ``every`` is the interval in seconds of the question that is next, ``intervals`` the shortest one at each of its
    marketplaces, ``planned`` the slowest at each where the plan differs from the wish, with the reason. ``failing`` are
    the marketplaces of failing or quarantined questions with the code of an error.
    ``next_at`` is ``None`` when nobody can say. ``ticks`` are the last runs, oldest first: ``ok``, ``late``, ``fail``
    or ``none``. ``hours`` counts matches in each of the last 24 hours of the user's clock, ``today`` those since
    midnight. ``low`` is the lowest price that matched in 30 days, ``None`` when nothing did. ``picture`` is the
    address at the marketplace, empty without one.
    """

    watch: Watch
    need: Need
    error: str
    checked_at: datetime | None
    next_at: datetime | None
    every: int
    intervals: Mapping[str, int]
    planned: Mapping[str, Planned]
    failing: Mapping[str, str]
    ticks: tuple[str, ...]
    hours: tuple[int, ...]
    today: int
    low: int | None
    picture: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """``state`` is ``needing``, ``paused`` or empty, ``order`` a key of ``ORDERS``, ``text`` is in name or words.

    ``marketplace`` is one that is asked, empty for any; ``tag`` the number of one that they wear.
    """

    state: str = ""
    marketplace: str = ""
    text: str = ""
    order: str = "attention"
    tag: int | None = None


ORDERS: Mapping[str, Sequence[str]] = {
    "attention": ("need", "-created_at", "-pk"),
    "name": ("name", "pk"),
    "newest": ("-created_at", "-pk"),
}


def watches_of(
    user: Any, *, now: datetime, known: Collection[str], filters: Filters | None = None
) -> QuerySet[Watch, Any]:
    """The watches of a user in order, with ``need``, ``error`` and ``images`` of the newest match."""
    wanted = filters or Filters()
    newest = Match.objects.filter(watch=OuterRef("pk")).order_by("-id").values("listing__images")[:1]
    watches = needing(Watch.objects.of(user), now=now, known=known)
    watches = watches.annotate(images=Subquery(newest, output_field=JSONField()))
    if wanted.state == "needing":
        watches = watches.filter(~Q(need=Need.NONE))
    elif wanted.state == "paused":
        watches = watches.filter(paused_at__isnull=False)
    if wanted.marketplace:
        asked = WatchTarget.objects.filter(watch=OuterRef("pk"), target__marketplace=wanted.marketplace)
        watches = watches.filter(Exists(asked))
    if wanted.tag is not None:
        watches = watches.filter(tagged__tag=wanted.tag)
    return _naming(watches, wanted.text).order_by(*ORDERS.get(wanted.order, ORDERS["attention"]))


def _naming(watches: QuerySet[Watch, Any], text: str) -> QuerySet[Watch, Any]:
    """Those whose name, words or item ID hold a text, in any width and kana: folding is ours, no database knows it."""
    wanted = fold(text)
    if not wanted:
        return watches
    named = watches.order_by().values_list("pk", "name", "must", "any_of", "external_id")
    return watches.filter(pk__in=[pk for pk, name, *words in named if wanted in fold(_all_words(name, *words))])


def _all_words(name: str, must: list[str], any_of: list[str], external_id: str) -> str:
    return " ".join([name, *must, *any_of, external_id])


def rows(watches: Iterable[Watch], *, now: datetime, zone: tzinfo) -> list[Row]:
    """Rows for watches that :func:`watches_of` gave: four queries, whatever their number."""
    page = list(watches)
    targets, newest = _targets(page), recent(page)
    facts = _Facts(
        targets=targets,
        ticks=_ticks(targets, began={watch.pk: watch.created_at for watch in page}),
        counts=hourly(newest, now=now, zone=zone),
        lows=lows(newest, now=now),
        hours=last_hours(now, zone),
        midnight=midnight(now, zone),
    )
    return [_row(watch, facts, now=now) for watch in page]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Facts:
    """What was read for a page of rows, by watch."""

    targets: Mapping[int, list[Target]]
    ticks: Mapping[int, tuple[str, ...]]
    counts: Mapping[int, Mapping[datetime, int]]
    lows: Mapping[int, int]
    hours: Sequence[datetime]
    midnight: datetime


def _row(watch: Any, facts: _Facts, *, now: datetime) -> Row:
    targets = facts.targets[watch.pk]
    beat = beat_of(watch, targets, now=now)
    counts = facts.counts[watch.pk]
    return Row(
        watch=watch,
        need=Need(watch.need),
        error=watch.error,
        checked_at=beat.checked_at,
        next_at=beat.next_at,
        every=beat.every,
        intervals=intervals(targets),
        planned=planned_otherwise(targets),
        failing={target.marketplace: target.last_error or "failing" for target in targets if _is_failing(target)},
        ticks=facts.ticks[watch.pk],
        hours=tuple(counts.get(hour, 0) for hour in facts.hours),
        today=sum(count for hour, count in counts.items() if hour >= facts.midnight),
        low=facts.lows.get(watch.pk),
        picture=(watch.images or [""])[0],
    )


def intervals_of(watch: Watch) -> dict[str, int]:
    """The shortest interval, in seconds, at each marketplace that this watch asks."""
    return intervals(
        Target.objects.filter(links__watch=watch).only("marketplace", "interval_seconds", "planned_seconds")
    )


def _is_failing(target: Target) -> bool:
    return target.failures > 0 or target.quarantined_at is not None


def _targets(watches: Collection[Watch]) -> dict[int, list[Target]]:
    """The targets of each watch, with ``since``, the id of their sixteenth last check."""
    runs = Check.objects.filter(target=OuterRef("target")).order_by("-id").values("id")
    links = (
        WatchTarget.objects.filter(watch__in=[watch.pk for watch in watches])
        .select_related("target")
        .defer("target__recent")
        .annotate(since=Coalesce(Subquery(runs[TICKS - 1 : TICKS]), 0))
    )
    found: dict[int, list[Target]] = defaultdict(list)
    for link in links:
        link.target.since = link.since  # type: ignore[attr-defined]
        found[link.watch_id].append(link.target)
    return found


def _ticks(targets: Mapping[int, Sequence[Target]], *, began: Mapping[int, datetime]) -> dict[int, tuple[str, ...]]:
    """The last runs of each watch since it began, told from the index (target, -id): one range for each target."""
    since = {target.pk: target.since for found in targets.values() for target in found}  # type: ignore[attr-defined]
    runs: dict[int, list[Check]] = defaultdict(list)
    if since:
        for run in _runs_since(since):
            runs[run.target_id].append(run)
    latest = {
        pk: _latest((run for target in found for run in runs[target.pk]), began=began[pk])
        for pk, found in targets.items()
    }
    padded = {pk: ("none",) * (TICKS - len(found)) + found for pk, found in latest.items()}
    return defaultdict(lambda: ("none",) * TICKS, padded)


def _latest(runs: Iterable[Check], *, began: datetime) -> tuple[str, ...]:
    own = sorted((run for run in runs if run.started_at >= began), key=lambda run: run.pk)
    return tuple(tick(run) for run in own[-TICKS:])


def _runs_since(since: Mapping[int, int]) -> QuerySet[Check]:
    wanted = Q()
    for target_id, first in since.items():
        wanted |= Q(target_id=target_id, id__gte=first)
    return Check.objects.filter(wanted).only("id", "target_id", "outcome", "lateness_ms", "missed_beats", "started_at")


def tick(run: Check) -> str:
    """One run in a word: ``fail``, ``late`` (over a second, or it let beats pass) or ``ok``."""
    if run.outcome == Outcome.FAILED:
        return "fail"
    return "late" if run.lateness_ms > LATE_MS or run.missed_beats else "ok"


def matches_today(*, user: Any, now: datetime, zone: tzinfo) -> int:
    """Told matches of a user since midnight of their clock; ``COUNTED`` stands for more."""
    today = Match.objects.of(user).told().filter(matched_at__gte=midnight(now, zone))
    return today.order_by()[:COUNTED].count()


RESULTS: Mapping[str, Q] = {
    "ok": Q(outcome=Outcome.OK),
    "empty": Q(outcome=Outcome.EMPTY),
    "failed": Q(outcome=Outcome.FAILED),
    "late": Q(lateness_ms__gt=LATE_MS) | Q(missed_beats__gt=0),
}


def runs_of(
    watch: Watch, *, result: str = "", marketplace: str = "", before: int | None = None, limit: int = PAGE
) -> list[Check]:
    """The runs of a watch's questions, newest first; ``result`` is a key of ``RESULTS``, ``before`` an id.

    ``marketplace`` leaves out the questions to others.

    Each question is read alone, from the index (target, -id): a common read would sort all their runs.
    """
    # What was asked before is somebody else's affair: that it was says that another person watches the same.
    own = Q(started_at__gte=watch.created_at) & RESULTS.get(result, Q())
    runs = Check.objects.filter(own).select_related("target").order_by("-id")
    if before:
        runs = runs.filter(id__lt=before)
    links = watch.links.filter(target__marketplace=marketplace) if marketplace else watch.links.all()
    asked = links.values_list("target_id", flat=True)
    found = [run for target_id in asked for run in runs.filter(target_id=target_id)[:limit]]
    return sorted(found, key=lambda run: -run.pk)[:limit]


def matches_of(watch: Watch, *, silent: bool = False, before: int | None = None) -> QuerySet[Match]:
    """The matches of a watch, newest first, with ``price_before``, the price before the last drop, and ``note``.

    Those that were told, or the ``silent`` ones that were there before the watch began.
    """
    drops = ListingEvent.objects.filter(listing=OuterRef("listing"), kind=EventKind.PRICE_DROP).order_by("-at")
    matches = watch.matches.filter(silent=silent).select_related("listing", "watch__prices")
    notes = Note.objects.filter(listing=OuterRef("listing"), user=OuterRef("user")).values("text")[:1]
    matches = matches.annotate(price_before=Subquery(drops.values("before")[:1]), note=Subquery(notes))
    return (matches.filter(id__lt=before) if before else matches).order_by("-id")

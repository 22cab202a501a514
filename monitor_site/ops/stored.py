"""Figures that only the database knows, in a few queries that read little."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Count, F, FloatField, Max, Min, Q, Sum, Value
from django.db.models.functions import Cast, Coalesce

from monitor_site.alerts.models import Delivery, DeliveryState
from monitor_site.outbox.models import OutboxRow
from monitor_site.watches.models import Target, WatchTarget
from monitor_site.watches.plan import Because

from .ahead import AHEAD_SECONDS

DAY = timedelta(days=1)
MOST_STARVED = 5
EVERY = Coalesce("planned_seconds", "interval_seconds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Starved:
    """A person waits at a marketplace ``times`` as long as wished for at least one of so many ``questions``."""

    marketplace: str
    person: str
    questions: int
    times: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """``outbox_open`` facts wait for their consequence since ``outbox_oldest``. ``deliveries`` by state: what waits,

    and what ended within a day. ``demand`` is how many requests a minute the active questions of a marketplace ask
    for, ``questions`` how many they are, ``quarantined`` how many were taken out of the schedule. ``dead`` rows of the
    outbox by topic; ``beats`` how many searches have which interval of ten minutes or less; ``starved`` are people who
    get less than they wish where a pace is shared, those with the longest waits first.
    """

    round_trip_ms: float
    outbox_open: int
    outbox_oldest: datetime | None
    deliveries: dict[str, int]
    deliveries_oldest: datetime | None
    demand: dict[str, float]
    questions: dict[str, int]
    quarantined: int
    dead: dict[str, int]
    beats: dict[str, list[tuple[int, int]]]
    starved: Sequence[Starved]


def stored(*, now: datetime) -> Stored:
    """As the database has it. Raises ``DatabaseError``."""
    took = round_trip_ms()
    rows = _questions()
    outbox = _outbox()
    told = _deliveries(now)
    return Stored(
        round_trip_ms=took,
        outbox_open=sum(n for _, n, _, _ in outbox),
        outbox_oldest=min((oldest for _, _, _, oldest in outbox if oldest), default=None),
        deliveries={state: told[state] for state in DeliveryState.values},
        deliveries_oldest=told["oldest"],
        demand={name: demand or 0.0 for name, demand, *_ in rows},
        questions={name: count for name, _, count, *_ in rows},
        quarantined=sum(lost for _, _, _, lost, _ in rows),
        dead={topic: dead for topic, _, dead, _ in outbox if dead},
        beats=_beats(),
        starved=_starved() if any(shared for *_, shared in rows) else [],
    )


def round_trip_ms() -> float:
    """How long the database takes for nothing, once there is a connection."""
    connection.ensure_connection()
    started = time.perf_counter()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchone()
    return (time.perf_counter() - started) * 1000


def _outbox() -> list[tuple[str, int, int, datetime | None]]:
    """By topic: how many facts wait for their consequence, how many are dead, since when the oldest waits."""
    waits = Q(died_at=None)
    rows = OutboxRow.objects.filter(done_at=None).order_by().values("topic")
    counted = rows.annotate(
        waiting=Count("pk", filter=waits), dead=Count("pk", filter=~waits), oldest=Min("created_at", filter=waits)
    )
    return list(counted.order_by("topic").values_list("topic", "waiting", "dead", "oldest"))


def _questions() -> list[tuple[str, float | None, int, int, int]]:
    """By marketplace: requests a minute of its active searches, how many these are, how many are in quarantine, and how

    many get less than they wish since others ask too.
    """
    searches = Target.objects.searches().filter(Q(active=True) | Q(quarantined_at__isnull=False))
    a_minute = Value(60.0) / Cast(F("interval_seconds"), FloatField())
    return list(
        searches.values("marketplace")
        .annotate(
            demand=Sum(a_minute, filter=Q(active=True), output_field=FloatField()),
            asked=Count("pk", filter=Q(active=True)),
            lost=Count("pk", filter=Q(quarantined_at__isnull=False)),
            shared=Count("pk", filter=Q(active=True, planned_because=Because.SHARED.value)),
        )
        .order_by("marketplace")
        .values_list("marketplace", "demand", "asked", "lost", "shared")
    )


def _deliveries(now: datetime) -> dict[str, Any]:
    waiting = Q(state=DeliveryState.WAITING)
    states = {state: Count("pk", filter=Q(state=state)) for state in DeliveryState.values}
    rows = Delivery.objects.filter(waiting | Q(created_at__gte=now - DAY))
    return rows.aggregate(**states, oldest=Min("due_at", filter=waiting & Q(due_at__lte=now)))


def _beats() -> dict[str, list[tuple[int, int]]]:
    searches = Target.objects.searches().filter(active=True).annotate(every=EVERY).filter(every__lte=AHEAD_SECONDS)
    found: dict[str, list[tuple[int, int]]] = {}
    rows = searches.order_by().values_list("marketplace", "every").annotate(n=Count("pk"))
    for name, every, count in rows:
        found.setdefault(name, []).append((every, count))
    return found


def _starved() -> list[Starved]:
    links = WatchTarget.objects.filter(
        target__active=True, target__planned_because=Because.SHARED.value, watch__paused_at=None
    )
    stretched = Max(Cast("target__planned_seconds", FloatField()) / Cast("target__interval_seconds", FloatField()))
    rows = links.values_list("target__marketplace", "watch__user__username").annotate(
        n=Count("target", distinct=True), times=stretched
    )
    return [
        Starved(marketplace=name, person=person, questions=count, times=times)
        for name, person, count, times in rows.order_by("-times", "target__marketplace")[:MOST_STARVED]
    ]

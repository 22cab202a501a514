"""Figures that only the database knows, in four queries that read little."""

import time
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Count, F, FloatField, Min, Q, Sum, Value
from django.db.models.functions import Cast

from monitor_site.alerts.models import Delivery, DeliveryState
from monitor_site.outbox.models import OutboxRow
from monitor_site.watches.models import Target

DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Stored:
    """``outbox_open`` facts wait for their consequence since ``outbox_oldest``. ``deliveries`` by state: what waits,

    and what ended within a day. ``demand`` is how many requests a minute the active questions of a marketplace ask
    for, ``questions`` how many they are, ``quarantined`` how many were taken out of the schedule.
    """

    round_trip_ms: float
    outbox_open: int
    outbox_oldest: datetime | None
    deliveries: dict[str, int]
    deliveries_oldest: datetime | None
    demand: dict[str, float]
    questions: dict[str, int]
    quarantined: int


def stored(*, now: datetime) -> Stored:
    """As the database has it. Raises ``DatabaseError``."""
    took = round_trip_ms()
    rows = _questions()
    outbox = OutboxRow.objects.filter(done_at=None).aggregate(n=Count("pk"), oldest=Min("created_at"))
    told = _deliveries(now)
    return Stored(
        round_trip_ms=took,
        outbox_open=outbox["n"],
        outbox_oldest=outbox["oldest"],
        deliveries={state: told[state] for state in DeliveryState.values},
        deliveries_oldest=told["oldest"],
        demand={name: demand or 0.0 for name, demand, _, _ in rows},
        questions={name: count for name, _, count, _ in rows},
        quarantined=sum(lost for *_, lost in rows),
    )


def round_trip_ms() -> float:
    """How long the database takes for nothing, once there is a connection."""
    connection.ensure_connection()
    started = time.perf_counter()
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        cursor.fetchone()
    return (time.perf_counter() - started) * 1000


def _questions() -> list[tuple[str, float | None, int, int]]:
    """By marketplace: requests a minute of its active searches, how many these are, how many are in quarantine."""
    searches = Target.objects.searches().filter(Q(active=True) | Q(quarantined_at__isnull=False))
    a_minute = Value(60.0) / Cast(F("interval_seconds"), FloatField())
    return list(
        searches.values("marketplace")
        .annotate(
            demand=Sum(a_minute, filter=Q(active=True), output_field=FloatField()),
            asked=Count("pk", filter=Q(active=True)),
            lost=Count("pk", filter=Q(quarantined_at__isnull=False)),
        )
        .order_by("marketplace")
        .values_list("marketplace", "demand", "asked", "lost")
    )


def _deliveries(now: datetime) -> dict[str, Any]:
    waiting = Q(state=DeliveryState.WAITING)
    states = {state: Count("pk", filter=Q(state=state)) for state in DeliveryState.values}
    rows = Delivery.objects.filter(waiting | Q(created_at__gte=now - DAY))
    return rows.aggregate(**states, oldest=Min("due_at", filter=waiting & Q(due_at__lte=now)))

"""The board of orders: each stands in one column, and each column knows its count and its sum. Nothing here writes."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Case, CharField, Count, Exists, F, OuterRef, Q, QuerySet, Sum, Value, When, Window
from django.db.models.functions import Coalesce, RowNumber

from monitor_site.contract import PurchaseStage

from .following import FRESH
from .models import FOUND_LATE, Mode, Order, OrderStep
from .transitions import ASKING, State

# What has so little time left is a problem; what the marketplace cancelled is one until it is old.
SHORT = timedelta(hours=1)
FRESHLY_CANCELLED = timedelta(days=7)
COLUMNS = (
    "problem", "proposed", "to_order", "ordered", "to_pay", "to_ship", "on_the_way", "received", "rehearsed", "ended",
)  # fmt: skip
ON_THE_BOARD = COLUMNS[1:8]


@dataclass(slots=True, kw_only=True)
class Column:
    """``sums``: what its orders cost together as far as is known, at most, by currency."""

    name: str
    count: int
    sums: dict[str, int]


def on_board(orders: QuerySet[Order], *, now: datetime) -> QuerySet[Order]:
    """The same orders, each with its ``column``; the first that holds counts."""
    cases = [When(where, then=Value(name)) for name, where in _columns(now)]
    return orders.annotate(column=Case(*cases, default=Value("ended"), output_field=CharField()))


def _columns(now: datetime) -> list[tuple[str, Q]]:
    handed = Q(state=State.HANDED_OVER)
    unpaid = Exists(OrderStep.objects.filter(order=OuterRef("pk"), evidence__stage=PurchaseStage.WAIT_PAYMENT))
    return [
        ("rehearsed", Q(mode=Mode.DRY_RUN)),
        ("problem", _problem(now) | handed & Q(ask_at__isnull=False) | handed & Q(expires_at__lt=now + SHORT)),
        ("proposed", Q(state__in=ASKING)),
        ("to_order", handed | Q(state__in=[State.READY, State.SUBMITTING])),
        ("to_pay", Q(state=State.WON) | Q(state__in=FRESH) & Q(unpaid)),
        ("ordered", Q(state__in=FRESH | {State.LEADING, State.OUTBID})),
        ("to_ship", Q(state=State.PAID)),
        ("on_the_way", Q(state=State.SHIPPED)),
        ("received", Q(state=State.RECEIVED)),
    ]


def _problem(now: datetime) -> Q:
    """Nobody knows the outcome, a person has to look or says that something is wrong, or the seller has cancelled."""
    unsettled = Q(state__in=[State.UNKNOWN, State.NEEDS_HUMAN]) | Q(reason=FOUND_LATE) | Q(problem_at__isnull=False)
    return unsettled | Q(state=State.MARKET_CANCELLED, stood_since__gt=now - FRESHLY_CANCELLED)


def columns_of(orders: QuerySet[Order]) -> dict[str, Column]:
    """The columns that any of these orders, which come from :func:`on_board`, stand in."""
    found: dict[str, Column] = {}
    known = Coalesce("paid", "price_max")
    rows: Any = orders.order_by()
    for row in rows.values("column", "currency").annotate(count=Count("pk"), total=Sum(known)).order_by("currency"):
        column = found.setdefault(row["column"], Column(name=row["column"], count=0, sums={}))
        column.count += row["count"]
        column.sums[row["currency"]] = row["total"]
    return found


def first_of_each(orders: QuerySet[Order], most: int) -> QuerySet[Order]:
    """The newest of each column, so many at most."""
    place = Window(RowNumber(), partition_by=F("column"), order_by=F("pk").desc())
    return orders.annotate(place=place).filter(place__lte=most).order_by("-pk")

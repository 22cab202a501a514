"""Which orders a person wants to see: by account, budget, watch, tag, parcel, month and column of the board."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Any

from django.db.models import CharField, Exists, F, OuterRef, Q, QuerySet, Value
from django.db.models.functions import Cast, Concat
from django.http import QueryDict

from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.purchasing.board import COLUMNS
from monitor_site.purchasing.models import Budget, BudgetKind, LedgerEntry, Mode, Order, OrderStep
from monitor_site.purchasing.own_words import LONGEST_PARCEL
from monitor_site.purchasing.periods import TOKYO
from monitor_site.purchasing.transitions import ASKING, State
from monitor_site.watches.models import Tag, Watch, WatchTag

from .query_filters import number, query_string
from .watch_words import marketplace_title

MOST_CHOICES = 1000
NAMES = ("account", "budget", "watch", "tag")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The filters; ``month`` is its first moment in Tokyo. Of a ``column`` only what is older than ``before``."""

    ids: dict[str, int] = field(default_factory=dict)
    parcel: str = ""
    month: datetime | None = None
    column: str = ""
    before: int | None = None

    def query(self) -> str:
        """As in the query string, without the place."""
        return query_string(self.ids | {"parcel": self.parcel, "month": self.month_text()})

    def month_text(self) -> str:
        """As a field of months takes it; on the clock of Tokyo, whatever the reader's is."""
        return f"{self.month:%Y-%m}" if self.month else ""

    def chosen(self) -> dict[str, str]:
        """What is chosen in each of the lists of :func:`choices_of`, as its value."""
        return {name: str(pk) for name, pk in self.ids.items()} | {"parcel": self.parcel}


def wanted_of(query: QueryDict) -> Wanted:
    """From a query string; what makes no sense is left out."""
    column = query.get("column", "")
    return Wanted(
        ids={name: found for name in NAMES if (found := number(query.get(name)))},
        parcel=query.get("parcel", "").replace("\x00", "")[:LONGEST_PARCEL],
        month=_month(query.get("month", "")),
        column=column if column in COLUMNS else "",
        before=number(query.get("before")),
    )


def _month(text: str) -> datetime | None:
    year, _dash, month = text.partition("-")
    if not (year.isascii() and year.isdecimal() and month.isascii() and month.isdecimal()):
        return None
    if len(year) != 4 or len(month) > 2 or int(year) < 2000 or not 1 <= int(month) <= 12:
        return None
    return datetime(int(year), int(month), 1, tzinfo=TOKYO)


def decided(user: Any, wanted: Wanted) -> QuerySet[Order]:
    """The orders of a person that were approved, bought all the same, or only rehearsed, by the filters."""
    return _filtered(user, wanted).filter(_is_decided())


def decided_or_waiting(user: Any, wanted: Wanted, *, now: datetime) -> QuerySet[Order]:
    """The same, and the proposals that may still become orders."""
    waiting = Q(state__in=ASKING) & (Q(expires_at=None) | Q(expires_at__gt=now))
    return _filtered(user, wanted).filter(_is_decided() | waiting)


def _is_decided() -> Q:
    approved = Exists(OrderStep.objects.filter(order=OuterRef("pk"), after=State.READY))
    return Q(approved) | Q(found_late_at__isnull=False) | Q(mode=Mode.DRY_RUN)


FILTERS: Mapping[str, Callable[[int], Q]] = MappingProxyType(
    {
        "account": lambda pk: Q(account=pk),
        "watch": lambda pk: Q(watch=pk),
        "budget": lambda pk: Q(Exists(LedgerEntry.objects.filter(order=OuterRef("pk"), scope__budget=pk))),
        "tag": lambda pk: Q(Exists(WatchTag.objects.filter(watch=OuterRef("watch"), tag=pk))),
    }
)


def _filtered(user: Any, wanted: Wanted) -> QuerySet[Order]:
    """Without a join, so that what is counted and summed counts once."""
    rows = Order.objects.of(user)
    for name, pk in wanted.ids.items():
        rows = rows.filter(FILTERS[name](pk))
    if wanted.parcel:
        rows = rows.filter(parcel=wanted.parcel)
    if wanted.month:
        rows = rows.filter(created_at__gte=wanted.month, created_at__lt=following(wanted.month))
    return rows.select_related("listing").order_by("-pk")


def following(month: datetime) -> datetime:
    """The first moment of the month after."""
    years, zero_based = divmod(month.month, 12)
    return month.replace(year=month.year + years, month=zero_based + 1)


def choices_of(user: Any) -> dict[str, list[tuple[str, str]]]:
    """What there is to filter by: pairs of value and words for each name; only a person's own, in one query."""
    found: dict[str, list[tuple[str, str]]] = {name: [] for name in (*NAMES, "parcel")}
    first, *others = _choices(user)
    rows = first.union(*others, all=True)
    for name, value, words in rows.order_by("as_name", "as_words", "as_value")[:MOST_CHOICES]:
        found[name].append((value, _called(words) if name == "account" else words))
    return found


def _called(words: str) -> str:
    """An account by the title of its marketplace and its own label."""
    marketplace, _, label = words.partition(" ")
    return f"{marketplace_title(marketplace)} {label}".rstrip()


def _choices(user: Any) -> list[QuerySet[Any, Any]]:
    called = Concat("marketplace", Value(" "), "label")
    ordered = Watch.objects.of(user).filter(Exists(Order.objects.filter(watch=OuterRef("pk"))))
    parcels = Order.objects.of(user).exclude(parcel="").order_by().distinct()
    return [
        _pairs("account", MarketplaceAccount.objects.of(user), called),
        _pairs("budget", Budget.objects.of(user).filter(kind=BudgetKind.NAMED), F("name")),
        _pairs("watch", ordered, F("name")),
        _pairs("tag", Tag.objects.filter(user=user), F("name")),
        _pairs("parcel", parcels, F("parcel"), value="parcel"),
    ]


def _pairs(name: str, rows: Any, words: Any, *, value: str = "pk") -> QuerySet[Any, Any]:
    text = {"as_value": Cast(value, CharField()), "as_words": Cast(words, CharField())}
    named = rows.order_by().annotate(as_name=Value(name, output_field=CharField()), **text)
    pairs: QuerySet[Any, Any] = named.values_list("as_name", "as_value", "as_words")
    return pairs

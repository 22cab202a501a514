"""Which orders a person wants to see: by account, budget, watch, tag and month."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Q, QuerySet
from django.http import QueryDict

from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.purchasing.models import Budget, BudgetKind, Mode, Order
from monitor_site.purchasing.periods import TOKYO
from monitor_site.purchasing.transitions import State
from monitor_site.watches.models import Tag, Watch

from .query_filters import number, query_string
from .watch_words import marketplace_title

SHOWN = Q(history__after=State.READY) | Q(found_late_at__isnull=False) | Q(mode=Mode.DRY_RUN)
NAMES = ("account", "budget", "watch", "tag")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The filters; ``month`` is its first moment in Tokyo."""

    ids: dict[str, int]
    month: datetime | None = None

    def query(self) -> str:
        """As in the query string."""
        return query_string(self.ids | {"month": self.month_text()})

    def month_text(self) -> str:
        """As a field of months takes it; on the clock of Tokyo, whatever the reader's is."""
        return f"{self.month:%Y-%m}" if self.month else ""


def wanted_of(query: QueryDict) -> Wanted:
    """From a query string; what makes no sense is left out."""
    ids = {name: found for name in NAMES if (found := number(query.get(name)))}
    return Wanted(ids=ids, month=_month(query.get("month", "")))


def _month(text: str) -> datetime | None:
    year, _dash, month = text.partition("-")
    if not (year.isascii() and year.isdecimal() and month.isascii() and month.isdecimal()):
        return None
    if len(year) != 4 or len(month) > 2 or int(year) < 2000 or not 1 <= int(month) <= 12:
        return None
    return datetime(int(year), int(month), 1, tzinfo=TOKYO)


def decided(user: Any, wanted: Wanted) -> QuerySet[Order]:
    """The orders of a person that were approved, bought all the same, or only rehearsed, by the filters."""
    mine = Order.objects.of(user).filter(SHOWN)
    columns = {"account": "account", "watch": "watch", "budget": "entries__scope__budget", "tag": "watch__tags"}
    rows = mine.filter(**{columns[name]: pk for name, pk in wanted.ids.items()})
    if wanted.month:
        rows = rows.filter(created_at__gte=wanted.month, created_at__lt=following(wanted.month))
    return rows.select_related("listing").distinct().order_by("-pk")


def following(month: datetime) -> datetime:
    """The first moment of the month after."""
    years, zero_based = divmod(month.month, 12)
    return month.replace(year=month.year + years, month=zero_based + 1)


def choices_of(user: Any) -> list[dict[str, Any]]:
    """What there is to filter by: a name, and pairs of number and words; only a person's own."""
    rows: dict[str, Any] = {
        "account": MarketplaceAccount.objects.of(user).order_by("pk"),
        "budget": Budget.objects.of(user).filter(kind=BudgetKind.NAMED).order_by("name", "pk"),
        "watch": Watch.objects.of(user).filter(orders__isnull=False).distinct().order_by("name", "pk"),
        "tag": Tag.objects.filter(user=user).order_by("name", "pk"),
    }
    return [{"name": name, "rows": [(row.pk, _called(row)) for row in found[:200]]} for name, found in rows.items()]


def _called(row: Any) -> str:
    if isinstance(row, MarketplaceAccount):
        return f"{marketplace_title(row.marketplace)} {row.label}".rstrip()
    return str(row.name)

"""What stands in a person's record: entries of the audit log and steps of their orders, as one list, newest first."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import Q, QuerySet
from django.http import QueryDict

from monitor_site.accounts.models import ActorKind, AuditEntry, AuditKind
from monitor_site.purchasing.models import OrderStep

from .query_filters import number

Fact = AuditEntry | OrderStep
ENTRY, STEP = "a", "s"
STEP_ACTORS = {ActorKind.PERSON: ["person"], ActorKind.RULE: ["rule"]}
THINGS = ("order", "budget", "buy_rule", "spending", "watch", "account", "factor", "user")
DAYS = (1, 7, 30, 365)
AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What of it is wanted; empty: everything. ``thing_id`` is one of its kind, and an order's public id."""

    actor: str = ""
    kind: str = ""
    thing: str = ""
    thing_id: str = ""
    days: int = 0
    words: str = ""

    def values(self) -> dict[str, Any]:
        """As in the query string."""
        named: dict[str, Any] = {"actor": self.actor, "kind": self.kind, "thing": self.thing, "id": self.thing_id}
        named |= {"days": self.days, "q": self.words}
        return {name: value for name, value in named.items() if value}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a page ends: a moment, and the fact there that comes last."""

    at: datetime
    rank: str
    pk: int

    def __str__(self) -> str:
        return f"{int(self.at.timestamp())}.{self.at.microsecond}.{self.rank}{self.pk}"


def filters_of(query: QueryDict) -> Filters:
    """From a query string; what makes no sense is left out."""
    days = number(query.get("days")) or 0
    thing = _known(query, "thing", THINGS)
    return Filters(
        actor=_known(query, "actor", ActorKind.values),
        kind=_known(query, "kind", AuditKind.values),
        thing=thing,
        thing_id=query.get("id", "").replace("\x00", "")[:32] if thing else "",
        days=days if days in DAYS else 0,
        words=query.get("q", "").replace("\x00", "").strip()[:100],
    )


def _known(query: QueryDict, name: str, values: Any) -> str:
    value = query.get(name, "")
    return value if value in values else ""


def place_of(text: str) -> Place | None:
    """What ``str`` made of a place; ``None`` for anything else."""
    parts = text.split(".")
    if len(parts) != 3 or parts[2][:1] not in {ENTRY, STEP}:
        return None
    seconds, micros, pk = number(parts[0]), number(parts[1]), number(parts[2][1:])
    if seconds is None or micros is None or pk is None or micros >= 10**6 or seconds >= 10**11:
        return None
    return Place(at=datetime.fromtimestamp(seconds, UTC).replace(microsecond=micros), rank=parts[2][0], pk=pk)


def place_after(fact: Fact) -> Place:
    """Where a page ends whose last fact this is."""
    return Place(at=fact.at, rank=rank_of(fact), pk=fact.pk)


def rank_of(fact: Fact) -> str:
    """Of which table a fact is."""
    return ENTRY if isinstance(fact, AuditEntry) else STEP


def facts(user: Any, filters: Filters, *, now: datetime, after: Place | None = None, limit: int) -> list[Fact]:
    """The next ones after a place, newest first."""
    since = now - timedelta(days=filters.days) if filters.days else None
    found: list[Fact] = []
    for rank, rows in ((ENTRY, _entries(user, filters)), (STEP, _steps(user, filters))):
        found += _cut(rows, rank, since, after).order_by("-at", "-pk")[:limit]
    return sorted(found, key=lambda one: (one.at, rank_of(one), one.pk), reverse=True)[:limit]


def slices(user: Any, filters: Filters, *, now: datetime) -> Iterator[list[Fact]]:
    """Everything, some at a time."""
    after = None
    while found := facts(user, filters, now=now, after=after, limit=AT_ONCE):
        yield found
        after = place_after(found[-1])


def _cut(rows: QuerySet[Any], rank: str, since: datetime | None, after: Place | None) -> QuerySet[Any]:
    if since:
        rows = rows.filter(at__gte=since)
    if after is None:
        return rows
    if rank == after.rank:
        return rows.filter(Q(at__lt=after.at) | Q(at=after.at, pk__lt=after.pk))
    return rows.filter(at__lte=after.at) if rank < after.rank else rows.filter(at__lt=after.at)


def entries_of(user: Any) -> QuerySet[AuditEntry]:
    """The entries in the record of ``user``."""
    return AuditEntry.objects.filter(user=user)


def steps_of(user: Any) -> QuerySet[OrderStep]:
    """The steps of orders of ``user``."""
    return OrderStep.objects.filter(order__user=user).select_related("order__listing")


def _entries(user: Any, filters: Filters) -> QuerySet[AuditEntry]:
    named = {"actor": filters.actor, "kind": filters.kind, "thing": filters.thing, "thing_id": filters.thing_id}
    rows = entries_of(user).filter(**{name: value for name, value in named.items() if value})
    words = filters.words
    told = Q(subject__icontains=words) | Q(name__icontains=words) | Q(reason__icontains=words) | Q(trace=words)
    return rows.filter(told) if words else rows


def _steps(user: Any, filters: Filters) -> QuerySet[OrderStep]:
    rows = steps_of(user)
    if filters.kind not in {"", AuditKind.MONEY} or filters.thing not in {"", "order"}:
        return rows.none()
    if filters.thing_id:
        rows = rows.filter(order__public_id=filters.thing_id)
    if filters.actor:
        rows = _by(rows, filters.actor)
    words = filters.words
    told = Q(order__listing__title__icontains=words) | Q(order__public_id=words) | Q(order__trace=words)
    return rows.filter(told) if words else rows


def _by(rows: QuerySet[OrderStep], actor: str) -> QuerySet[OrderStep]:
    if actor == ActorKind.SYSTEM:
        return rows.exclude(actor__in=[name for names in STEP_ACTORS.values() for name in names])
    return rows.filter(actor__in=STEP_ACTORS.get(ActorKind(actor), []))

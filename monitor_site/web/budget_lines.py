"""What the page of budgets shows, as plain values."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.utils.formats import date_format
from django.utils.translation import gettext

from monitor_site import second_currency
from monitor_site.purchasing import queries
from monitor_site.purchasing.models import Budget, BudgetKind, BuyPolicy, BuyRule, LedgerEntry, Measure, Order
from monitor_site.purchasing.periods import TOKYO, starts
from monitor_site.purchasing.queries import Room
from monitor_site.watches.models import Watch

from .order_words import amount_words, budget_name, room_words

SHOWN_ENTRIES = 10
NEARLY_FULL = 80
SHORTEST_PACE = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Counter:
    """A limited counter in words, and as shares of its limit in percent."""

    label: str
    limit: str
    spent: str
    held: str
    free: str
    resets: datetime | None
    spent_share: int
    held_share: int
    is_full: bool = False
    forecast: str = ""

    @property
    def tone(self) -> str:
        """Amber when nearly all is gone, red when all is."""
        nearly = self.spent_share + self.held_share >= NEARLY_FULL
        return "bad" if self.is_full else "warn" if nearly else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Guarded:
    """A watch that a budget guards, and what its matches may lead to."""

    watch: Watch
    mode: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A budget with its counters, what uses it, and its last movements."""

    budget: Budget
    name: str
    is_overall: bool
    counters: list[Counter]
    spent: int
    held: int
    watches: list[Guarded]
    tags: list[Any]
    entries: list[LedgerEntry]
    holders: list[Order]


def page_of(user: Any, *, now: datetime) -> dict[str, Any]:
    """Everything on the page."""
    budgets = Budget.objects.of(user).exclude(kind=BudgetKind.ACCOUNT).prefetch_related("watches__buy_rule", "tags")
    found = [line_of(one, now=now) for one in budgets.order_by("name", "pk")]
    stops = queries.stops_of(user)
    today = queries.today_of(user, now=now)
    return {
        "held": today.held,
        "spent": today.spent,
        "lines": sorted(found, key=lambda line: not line.is_overall),
        "has_overall": any(line.is_overall for line in found),
        "stops": stops,
        "own_stop": any(stop.own for stop in stops),
    }


def line_of(budget: Budget, *, now: datetime) -> Line:
    """One budget."""
    rooms = queries.rooms_of(budget, now=now)
    whole = next(room for room in rooms if room.period == "total" and room.measure == "money")
    return Line(
        budget=budget,
        name=budget_name(budget),
        is_overall=budget.kind == BudgetKind.USER,
        counters=[counter_of(room, now=now) for room in rooms if room.limit is not None],
        spent=whole.spent,
        held=whole.held,
        watches=[Guarded(watch=one, mode=mode_words(one, now=now)) for one in budget.watches.all()],
        tags=list(budget.tags.all()),
        entries=list(queries.entries_of(budget)[:SHOWN_ENTRIES]),
        holders=list(queries.holders_of(budget)[:SHOWN_ENTRIES]) if whole.held else [],
    )


def mode_words(watch: Watch, *, now: datetime) -> str:
    """Who decides about what a watch finds."""
    rule: BuyRule | None = getattr(watch, "buy_rule", None)
    if rule is None or rule.price_max is None:
        return gettext("only tells you")
    if rule.policy == BuyPolicy.BUY and rule.until and rule.until >= now.astimezone(TOKYO).date():
        return gettext("orders by itself until %(day)s") % {"day": date_format(rule.until, "SHORT_DATE_FORMAT")}
    return gettext("asks you")


def counter_of(room: Room, *, now: datetime) -> Counter:
    """One counter."""
    return Counter(
        label=room_words(room),
        limit=amount_words(room, room.limit),
        spent=amount_words(room, room.spent),
        held=amount_words(room, room.held),
        free=amount_words(room, room.free),
        resets=queries.resets_at(room.period, now=now),
        spent_share=share(room.spent, room),
        held_share=min(share(room.held, room), 100 - share(room.spent, room)),
        is_full=room.free == 0,
        forecast=_forecast(room, now=now),
    )


def _forecast(room: Room, *, now: datetime) -> str:
    """What will be spent by the end of the period at the pace so far; empty as long as little of it is over."""
    ends = queries.resets_at(room.period, now=now)
    begun = queries.midnight(starts(room.period, now=now))
    if ends is None or not room.spent or room.measure != Measure.MONEY or now - begun < SHORTEST_PACE:
        return ""
    return second_currency.both(round(room.spent * ((ends - begun) / (now - begun))))


def share(amount: int, room: Room) -> int:
    """Percent of the limit, at most all of it."""
    return min(100, round(100 * amount / room.limit)) if room.limit else 0

"""Money in the ledger: held in every counter or in none, never above a limit, and never lost from sight.

Each movement is a conditional update and an entry, in the transaction of the step that causes it. Counters are gone
through in one order by everybody, so that nobody waits in a circle.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, F, Q, QuerySet, Value, When
from django.db.models.functions import Greatest

from .models import Budget, BudgetKind, Entry, LedgerEntry, Measure, Order, Period, Scope
from .periods import starts

COUNTERS = (
    (Period.DAY, Measure.MONEY, "per_day"),
    (Period.WEEK, Measure.MONEY, "per_week"),
    (Period.MONTH, Measure.MONEY, "per_month"),
    (Period.TOTAL, Measure.MONEY, "total"),
    (Period.TOTAL, Measure.UNITS, "units"),
)


@dataclass(frozen=True, slots=True)
class Posting:
    """What a movement is entered for: the step of an order, and when."""

    order: Order
    step: int
    now: datetime


class OverBudget(Exception):
    """A budget does not cover it: ``scope`` says which counter, without one the price of a single thing is too high."""

    def __init__(self, budget: Budget, *, wanted: int, scope: Scope | None = None) -> None:
        super().__init__(f"{budget} does not cover {wanted}")
        self.budget, self.wanted, self.scope = budget, wanted, scope

    @property
    def missing(self) -> int:
        """How much more the budget would have to allow."""
        if self.scope is None:
            return self.wanted - (self.budget.per_item or 0)
        return self.scope.held + self.scope.spent + self.wanted - (self.scope.limit or 0)


class NoBudget(Exception):
    """Nothing guards the person's money: no budget, no spending."""


def budgets_of(order: Order) -> list[Budget]:
    """Every budget an order counts in: the person's, the account's, and those its watch and its tags share.

    Only those in its own currency: an amount in another one means nothing there.
    """
    shared = Q(watches=order.watch_id) | Q(tags__watches=order.watch_id) if order.watch_id else Q(pk=None)
    mine = Q(kind=BudgetKind.USER) | Q(kind=BudgetKind.NAMED) & shared
    if order.account_id:
        mine |= Q(account=order.account_id)
    return list(Budget.objects.of(order.user_id).filter(mine, currency=order.currency).distinct().order_by("pk"))


def hold(posting: Posting) -> None:
    """Hold the order's highest price and one thing in all counters. Raises :class:`OverBudget`, :class:`NoBudget`."""
    wanted, budgets = posting.order.price_max, budgets_of(posting.order)
    if not budgets:
        raise NoBudget
    for budget in budgets:
        if budget.per_item is not None and wanted > budget.per_item:
            raise OverBudget(budget, wanted=wanted)
    for scope in sorted(_scopes(budgets, posting.now), key=lambda scope: scope.pk):
        amount = _amount(scope, wanted)
        if not _free(scope, amount).update(held=F("held") + amount):
            scope.refresh_from_db()
            raise OverBudget(scope.budget, wanted=amount, scope=scope)
        _enter(posting, scope, Entry.HOLD, amount)


def _amount(scope: Scope, money: int) -> int:
    return 1 if scope.measure == Measure.UNITS else money


def _free(scope: Scope, amount: int) -> QuerySet[Scope]:
    """Winning is an update that changed one row; what was overrun does not make room for more."""
    return Scope.objects.filter(Q(limit=None) | Q(limit__gte=F("held") + F("spent") + amount), pk=scope.pk)


def _scopes(budgets: Sequence[Budget], now: datetime) -> Iterator[Scope]:
    """The counters of today, made where they are missing; all are kept, so that a limit set later knows the past."""
    for budget in budgets:
        for period, measure, limit in COUNTERS:
            scope, _made = Scope.objects.select_related("budget").get_or_create(
                budget=budget,
                period=period,
                starts=starts(period, now=now),
                measure=measure,
                defaults={"limit": getattr(budget, limit)},
            )
            yield scope


def _enter(posting: Posting, scope: Scope, kind: Entry, amount: int) -> None:
    if amount:
        what: dict[str, Any] = {"order": posting.order, "step": posting.step, "at": posting.now}
        LedgerEntry.objects.create(scope=scope, kind=kind, amount=amount, **what)


def held_entries(order: Order) -> list[LedgerEntry]:
    """What an order held, counter by counter."""
    entries = LedgerEntry.objects.filter(order=order, kind=Entry.HOLD).select_related("scope")
    return list(entries.order_by("scope_id"))


def release(posting: Posting) -> None:
    """Give back what is held, to the period it came from."""
    for entry in held_entries(posting.order):
        Scope.objects.filter(pk=entry.scope_id).update(held=F("held") - entry.amount)
        _enter(posting, entry.scope, Entry.RELEASE, entry.amount)


def spend(posting: Posting, *, paid: int) -> None:
    """What was held is spent; what was held too much is given back, what was paid above it is booked as overrun."""
    for entry in held_entries(posting.order):
        cost = _amount(entry.scope, paid)
        from_hold = min(cost, entry.amount)
        Scope.objects.filter(pk=entry.scope_id).update(held=F("held") - entry.amount, spent=F("spent") + from_hold)
        _enter(posting, entry.scope, Entry.SPEND, from_hold)
        _enter(posting, entry.scope, Entry.RELEASE, entry.amount - from_hold)
        _book(posting, entry.scope, cost - from_hold)


def book(posting: Posting, *, paid: int) -> None:
    """Spend what is not held, in the periods the order counted in, above their limits if it must be.

    What never was held counts now.
    """
    scopes = [entry.scope for entry in held_entries(posting.order)]
    counted = scopes or sorted(_scopes(budgets_of(posting.order), posting.now), key=lambda scope: scope.pk)
    for scope in counted:
        _book(posting, scope, _amount(scope, paid))


def _book(posting: Posting, scope: Scope, amount: int) -> None:
    if amount <= 0:
        return
    after = F("held") + F("spent") + amount
    over = Case(
        When(limit=None, then=F("overrun")),
        When(limit__lt=after - F("overrun"), then=after - F("limit")),
        default=F("overrun"),
    )
    Scope.objects.filter(pk=scope.pk).update(spent=F("spent") + amount, overrun=over)
    _enter(posting, scope, Entry.BOOK, amount)


def refund(posting: Posting, *, amount: int | None) -> None:
    """The marketplace paid back: all that was spent, or that much of the money."""
    for scope, spent in spent_by_scope(posting.order):
        back = spent if scope.measure == Measure.UNITS or amount is None else min(amount, spent)
        Scope.objects.filter(pk=scope.pk).update(spent=F("spent") - back)
        _enter(posting, scope, Entry.REFUND, back)


def spent_by_scope(order: Order) -> list[tuple[Scope, int]]:
    """What an order has spent in each counter."""
    entries = LedgerEntry.objects.filter(order=order, kind__in=[Entry.SPEND, Entry.BOOK, Entry.REFUND])
    found: dict[int, tuple[Scope, int]] = {}
    for entry in entries.select_related("scope").order_by("scope_id"):
        sign = -1 if entry.kind == Entry.REFUND else 1
        scope, spent = found.get(entry.scope_id, (entry.scope, 0))
        found[entry.scope_id] = (scope, spent + sign * entry.amount)
    return list(found.values())


def change_limits(budget: Budget, *, now: datetime) -> None:
    """Bring the counters of today in line with a budget's limits: lower ones leave an overrun, and no more room."""
    for period, measure, limit in COUNTERS:
        rows = Scope.objects.filter(budget=budget, period=period, measure=measure, starts=starts(period, now=now))
        allowed = getattr(budget, limit)
        over = Value(0) if allowed is None else Greatest(F("held") + F("spent") - allowed, Value(0))
        rows.update(limit=allowed, overrun=over)


def recount(scopes: Iterable[Scope]) -> list[str]:
    """Compare the counters with the ledger; a sentence for each that differs."""
    wrong = []
    for scope in scopes:
        held, spent = counted(scope)
        if (held, spent) != (scope.held, scope.spent):
            wrong.append(f"{scope}: held {scope.held}, spent {scope.spent}; the ledger says {held} and {spent}")
    return wrong


def counted(scope: Scope) -> tuple[int, int]:
    """What the entries of a counter come to: held and spent."""
    sums = dict.fromkeys(Entry.values, 0)
    for kind, amount in LedgerEntry.objects.filter(scope=scope).values_list("kind", "amount"):
        sums[kind] += amount
    held = sums[Entry.HOLD] - sums[Entry.RELEASE] - sums[Entry.SPEND]
    return held, sums[Entry.SPEND] + sums[Entry.BOOK] - sums[Entry.REFUND]

"""Budgets made, changed and removed by their person."""

from collections.abc import Collection
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction

from monitor_site.accounts import auditing
from monitor_site.accounts.models import AuditKind
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.watches.models import Tag, Watch

from . import ledger, periods
from .models import Budget, BudgetKind, LedgerEntry, Measure, Scope

MOST_BUDGETS = 50


class TooManyBudgets(Exception):
    """The person has :data:`MOST_BUDGETS` already."""


class InUse(Exception):
    """Something refers to the budget: watches, tags, or money that was held or spent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """What may be spent, in whole units of the currency; no limit is ``None``, and so is 0."""

    per_item: int | None = None
    per_day: int | None = None
    per_week: int | None = None
    per_month: int | None = None
    total: int | None = None
    units: int | None = None

    def fields(self) -> dict[str, int | None]:
        """The columns of the row."""
        return {name: value or None for name, value in asdict(self).items()}

    def allow_more_than(self, budget: Budget | None) -> bool:
        """Whether anything may be spent by these that the budget's own refuse; without one nothing may be spent."""
        if budget is None:
            return True
        pairs = [(getattr(budget, name), value) for name, value in self.fields().items()]
        return any(old is not None and (new is None or new > old) for old, new in pairs)


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetWish:
    """What a person wants a budget to be. The one of all their spending has no watches and tags of its own."""

    name: str = ""
    limits: Limits = field(default_factory=Limits)
    watches: Collection[Watch] = ()
    tags: Collection[Tag] = ()


@transaction.atomic
def create_budget(*, user: Any, wish: BudgetWish, now: datetime) -> Budget:
    """A budget that watches share. Raises :class:`TooManyBudgets`."""
    if Budget.objects.of(user).count() >= MOST_BUDGETS:
        raise TooManyBudgets
    moments = {"created_at": now, "updated_at": now}
    budget = Budget.objects.create(user=user, name=wish.name, **wish.limits.fields(), **moments)
    _share(budget, wish)
    _record("make", budget, {}, said_of(budget), now)
    return budget


@transaction.atomic
def set_overall_budget(*, user: Any, limits: Limits, now: datetime) -> Budget:
    """Limits of all that the person spends; made where there is none yet."""
    moments = {"created_at": now, "updated_at": now}
    budget, made = Budget.objects.get_or_create(user=user, kind=BudgetKind.USER, defaults=limits.fields() | moments)
    if made:
        _record("make", budget, {}, said_of(budget), now)
    else:
        change_budget(budget=budget, wish=BudgetWish(limits=limits), now=now)
    return budget


@transaction.atomic
def set_account_budget(*, account: MarketplaceAccount, limits: Limits, currency: str, now: datetime) -> Budget:
    """Limits of all that is bought with a person's account; made where there are none yet."""
    fixed = {"user_id": account.user_id, "kind": BudgetKind.ACCOUNT, "name": str(account)[:80], "currency": currency}
    defaults = limits.fields() | fixed | {"created_at": now, "updated_at": now}
    budget, made = Budget.objects.get_or_create(account=account, defaults=defaults)
    if made:
        _record("make", budget, {}, said_of(budget), now)
    else:
        change_budget(budget=budget, wish=BudgetWish(name=str(account)[:80], limits=limits), now=now)
    return budget


@transaction.atomic
def change_budget(*, budget: Budget, wish: BudgetWish, now: datetime) -> int:
    """Valid at once for whatever is held next; returns what of the money is above the new limits, and stays so."""
    before = said_of(Budget.objects.get(pk=budget.pk))
    for name, value in (wish.limits.fields() | {"name": wish.name, "updated_at": now}).items():
        setattr(budget, name, value)
    budget.save()
    _share(budget, wish)
    _record("change", budget, before, said_of(budget), now)
    ledger.change_limits(budget, now=now)
    return overrun_of(budget, now=now)


def overrun_of(budget: Budget, *, now: datetime) -> int:
    """What is held or spent above the limits of today."""
    scopes = Scope.objects.filter(budget=budget, measure=Measure.MONEY, overrun__gt=0)
    current = [one for one in scopes if one.starts == periods.starts(one.period, now=now)]
    return max((one.overrun for one in current), default=0)


def _share(budget: Budget, wish: BudgetWish) -> None:
    """Only what is the same person's."""
    if budget.kind != BudgetKind.NAMED:
        return
    budget.watches.set(one for one in wish.watches if one.user_id == budget.user_id)
    budget.tags.set(one for one in wish.tags if one.user_id == budget.user_id)


def is_used(budget: Budget) -> bool:
    """Whether anything refers to it."""
    booked = LedgerEntry.objects.filter(scope__budget=budget).exists()
    return booked or budget.watches.exists() or budget.tags.exists()


@transaction.atomic
def remove_budget(*, budget: Budget, now: datetime) -> None:
    """Forget a budget that guards nothing. Raises :class:`InUse`."""
    Budget.objects.select_for_update().get(pk=budget.pk)
    if is_used(budget):
        raise InUse
    _record("remove", budget, said_of(budget), {}, now)
    budget.delete()


def said_of(budget: Budget) -> dict[str, Any]:
    """What a budget says, for the record of its changes."""
    names: dict[str, Any] = {"watches": budget.watches, "tags": budget.tags}
    shared = {key: sorted(rows.values_list("name", flat=True)) for key, rows in names.items()}
    return {name: getattr(budget, name) for name in ("name", *Limits.__dataclass_fields__)} | shared


def _record(act: str, budget: Budget, before: dict[str, Any], after: dict[str, Any], now: datetime) -> None:
    on = auditing.Thing(kind="budget", id=budget.pk, words=budget.name)
    change: dict[str, Any] = {"before": before, "after": after, "now": now}
    auditing.write(kind=AuditKind.MONEY, act=act, user_id=budget.user_id, on=on, **change)

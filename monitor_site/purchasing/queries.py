"""What pages ask of orders and budgets. Nothing here writes, so that looking at a page changes nothing."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet, Sum
from django.db.models.functions import Coalesce

from monitor_site.contract import Capability
from monitor_site.marketplaces.catalog import catalog
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.watches.models import Watch

from .ledger import COUNTERS, budgets_of
from .models import FOUND_LATE, Budget, BuyRule, Entry, LedgerEntry, Measure, Order, OrderStep, Period, Scope, Switch
from .periods import TOKYO, starts
from .transitions import BOUGHT, HELD, State

WEEK = timedelta(days=7)


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """One counter of a budget today: without a limit there is no ``free``. ``period`` is empty for a single thing."""

    period: str
    measure: str
    limit: int | None
    held: int = 0
    spent: int = 0

    @property
    def free(self) -> int | None:
        """What may still be held; never below nothing."""
        return None if self.limit is None else max(0, self.limit - self.held - self.spent)

    def after(self, amount: int) -> int | None:
        """What would be free afterwards; below nothing is what is missing."""
        return None if self.limit is None else self.limit - self.held - self.spent - amount


def rooms_of(budget: Budget, *, now: datetime) -> list[Room]:
    """Every counter of today, also of what nothing was ever spent from."""
    found = {(one.period, one.measure, one.starts): one for one in Scope.objects.filter(budget=budget)}
    rooms = []
    for period, measure, limit in COUNTERS:
        scope = found.get((period.value, measure.value, starts(period, now=now)))
        held, spent = (scope.held, scope.spent) if scope else (0, 0)
        counted = {"held": held, "spent": spent}
        rooms.append(Room(period=period, measure=measure, limit=getattr(budget, limit), **counted))
    return rooms


@dataclass(frozen=True, slots=True, kw_only=True)
class Cover:
    """What a counter of a budget has for an order: before, after, and what is missing."""

    budget: Budget
    room: Room
    amount: int

    @property
    def missing(self) -> int:
        """How much more the budget would have to allow."""
        after = self.room.after(self.amount)
        return 0 if after is None else max(0, -after)

    @property
    def after(self) -> int:
        """What is free once this is held."""
        return max(0, self.room.after(self.amount) or 0)


def covers_of(order: Order, *, now: datetime) -> list[Cover]:
    """Each limit of each budget an order counts in; empty budgets limit nothing, and say so by their absence."""
    found = []
    for budget in budgets_of(order):
        item = Room(period="", measure=Measure.MONEY, limit=budget.per_item)
        limited = [room for room in (item, *rooms_of(budget, now=now)) if room.limit is not None]
        found += [Cover(budget=budget, room=room, amount=_amount(room, order.price_max)) for room in limited]
    return found


def _amount(room: Room, money: int) -> int:
    return 1 if room.measure == Measure.UNITS else money


def asking_watches(watch_ids: Collection[int]) -> set[int]:
    """Those of these watches whose rule proposes something."""
    rules = BuyRule.objects.filter(watch__in=watch_ids, price_max__isnull=False)
    return set(rules.values_list("watch_id", flat=True))


def accounts_that_order(watch: Watch) -> list[MarketplaceAccount]:
    """The person's accounts that could order what the watch finds, whether or not they may spend yet."""
    plugins = catalog().plugins
    able = [name for name in watch.marketplaces if name in plugins and can_order(name)]
    mine = MarketplaceAccount.objects.filter(user=watch.user_id, marketplace__in=able)
    return list(mine.order_by("marketplace", "pk"))


def can_order(marketplace: str) -> bool:
    """Whether this site can order there itself, in the name of an account."""
    return Capability.BUY in catalog().get(marketplace).manifest.capabilities


def is_guarded(watch: Watch) -> bool:
    """Whether any budget guards the money that a rule of this watch may spend."""
    return bool(budgets_of(Order(user_id=watch.user_id, watch_id=watch.pk, currency=watch.currency)))


def resets_at(period: str, *, now: datetime) -> datetime | None:
    """When a counter begins anew, by the clock of Tokyo; what counts for ever never does."""
    first = starts(period, now=now)
    following = {
        Period.DAY: first + timedelta(days=1),
        Period.WEEK: first + WEEK,
        Period.MONTH: (first.replace(day=1) + timedelta(days=32)).replace(day=1),
    }
    day = following.get(Period(period))
    return None if day is None else midnight(day)


def midnight(day: date) -> datetime:
    """The beginning of a day in Tokyo."""
    return datetime(day.year, day.month, day.day, tzinfo=TOKYO)


def entries_of(budget: Budget) -> QuerySet[LedgerEntry]:
    """The movements of a budget's money, newest first, each once though it counts in every period."""
    of_all = LedgerEntry.objects.filter(scope__budget=budget, scope__period=Period.TOTAL, scope__measure=Measure.MONEY)
    return of_all.select_related("order__listing").order_by("-pk")


def entries_of_order(order: Order) -> QuerySet[LedgerEntry]:
    """What an order moved in each budget, oldest first."""
    of_it = LedgerEntry.objects.filter(order=order, scope__period=Period.TOTAL, scope__measure=Measure.MONEY)
    return of_it.select_related("scope__budget").order_by("pk")


def budgets_by_order(order_ids: Collection[int]) -> dict[int, list[Budget]]:
    """The budgets each of these orders has moved money in, by age; one query."""
    of_them = LedgerEntry.objects.filter(order__in=order_ids, scope__period=Period.TOTAL, scope__measure=Measure.MONEY)
    held = of_them.filter(kind__in=[Entry.HOLD, Entry.BOOK]).select_related("scope__budget")
    found: dict[int, list[Budget]] = {}
    for entry in held.order_by("scope__budget", "pk"):
        budgets = found.setdefault(entry.order_id, [])
        if entry.scope.budget not in budgets:
            budgets.append(entry.scope.budget)
    return found


def waiting(user: Any, *, now: datetime) -> QuerySet[Order]:
    """Proposals that wait for the person's answer, the one with the least time first."""
    found = Order.objects.of(user).filter(state=State.AWAITING_APPROVAL, expires_at__gt=now)
    return found.select_related("listing", "match", "watch__buy_rule").order_by("expires_at", "pk")


def answers(user: Any, *, since: datetime) -> QuerySet[OrderStep]:
    """What became of proposals that had asked, newest first."""
    found = OrderStep.objects.filter(order__user=user, before=State.AWAITING_APPROVAL, at__gte=since)
    return found.select_related("order__listing", "order__watch__buy_rule", "order__user").order_by("-at", "-pk")


def too_late(user: Any, *, now: datetime) -> QuerySet[Order]:
    """Proposals that nobody answered in time within the past day, and that nothing has followed."""
    followed = Order.objects.of(user).filter(listing=OuterRef("listing"), pk__gt=OuterRef("pk"))
    expired = Q(history__before=State.AWAITING_APPROVAL, history__after=State.EXPIRED, state=State.EXPIRED)
    about_to = Q(state=State.AWAITING_APPROVAL)
    found = Order.objects.of(user).filter(expires_at__gt=now - timedelta(days=1), expires_at__lte=now)
    still = found.filter(expired | about_to).filter(
        ~Exists(followed), listing__status="on_sale", watch__buy_rule__isnull=False
    )
    return still.select_related("listing").distinct().order_by("-stood_since", "-pk")


def months_of(user: Any) -> QuerySet[Scope]:
    """What was spent and is held of each budget in each month, the last ones first."""
    counted = Scope.objects.filter(budget__user=user, period=Period.MONTH, measure=Measure.MONEY)
    return counted.exclude(spent=0, held=0).select_related("budget").order_by("-starts", "budget__name")[:36]


@dataclass(frozen=True, slots=True, kw_only=True)
class Today:
    """What is held now and was spent since midnight in Tokyo, each order once whatever it counts in."""

    held: int
    spent: int


def today_of(user: Any, *, now: datetime) -> Today:
    """Over all budgets of a person, in yen."""
    begun = midnight(starts(Period.DAY, now=now))
    mine = Order.objects.of(user).filter(currency="JPY")
    held = mine.filter(state__in=HELD).aggregate(all=Sum("price_max"))["all"]
    paid = Coalesce("paid", "price_max")
    bought = mine.filter(state__in=BOUGHT, entries__kind__in=[Entry.SPEND, Entry.BOOK], entries__at__gte=begun)
    spent = mine.filter(pk__in=bought.values("pk")).aggregate(all=Sum(paid))["all"]
    return Today(held=held or 0, spent=spent or 0)


def holders_of(budget: Budget) -> QuerySet[Order]:
    """The orders that money of a budget is held for."""
    entries = LedgerEntry.objects.filter(order=OuterRef("pk"), scope__budget=budget, scope__measure=Measure.MONEY)
    held, settled = entries.filter(kind=Entry.HOLD), entries.filter(kind__in=[Entry.RELEASE, Entry.SPEND])
    return Order.objects.filter(Exists(held), ~Exists(settled)).select_related("listing").order_by("pk")


def order_of_listing(user: Any, listing_id: int) -> Order | None:
    """The order of a person for a listing: the live one, else the last."""
    found = Order.objects.of(user).filter(listing=listing_id).select_related("listing", "watch")
    return found.live().first() or found.order_by("-pk").first()


def holding_back(account_id: int | None) -> QuerySet[Order]:
    """The orders that keep an account from ordering anything else: those under way, those whose outcome nobody knows
    yet, and those that were found too late and that nobody has looked at.
    """
    unsettled = Q(state__in=[State.SUBMITTING, State.UNKNOWN, State.NEEDS_HUMAN]) | Q(reason=FOUND_LATE)
    return Order.objects.filter(unsettled, account__isnull=False, account=account_id)


def account_waits(*, account_id: int | None) -> bool:
    """Whether nothing new may be submitted with an account for now."""
    return holding_back(account_id).exists()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stop:
    """Who has stopped spending, since when and why; ``own``: the person can take it back."""

    own: bool
    since: datetime | None = None
    reason: str = ""


def stops_of(user: Any) -> list[Stop]:
    """Everything that stops a person's spending; empty when nothing does."""
    by_setting = [Stop(own=False)] if settings.SPENDING_STOPPED else []
    thrown = Switch.objects.filter(Q(user=None) | Q(user=user), stopped_at__isnull=False).order_by("pk")
    return by_setting + [Stop(own=bool(one.user_id), since=one.stopped_at, reason=one.reason) for one in thrown]

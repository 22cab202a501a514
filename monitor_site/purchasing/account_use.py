"""What hangs on a person's account at a marketplace, and taking it away."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from monitor_site.marketplaces import services
from monitor_site.marketplaces.models import MarketplaceAccount

from . import queries
from .models import Budget, BuyPolicy, BuyRule, LedgerEntry, Order, Submission, SubmissionOutcome, Way
from .periods import TOKYO
from .transitions import ASKING, BOUGHT, HELD, State

UNSURE = frozenset({State.SUBMITTING, State.UNKNOWN, State.NEEDS_HUMAN})


class InUse(Exception):
    """Orders with the account are under way."""


class OutcomeOpen(Exception):
    """What became of an order with the account is not known yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Use:
    """What depends on an account: rules that order with it, orders under way, and things bought that still come."""

    rules: list[BuyRule]
    under_way: list[Order]
    bought: list[Order]


def use_of(account: MarketplaceAccount) -> Use:
    """What depends on it."""
    orders = Order.objects.of(account.user_id).filter(account=account).select_related("listing").order_by("-pk")
    return Use(
        rules=list(BuyRule.objects.filter(account=account).select_related("watch").order_by("pk")),
        under_way=list(orders.filter(state__in=ASKING | HELD)),
        bought=list(orders.filter(state__in=BOUGHT - {State.RECEIVED})),
    )


def last_answer(account: MarketplaceAccount) -> datetime | None:
    """When the marketplace last answered it: to a test, or to an order."""
    told = (SubmissionOutcome.PLACED, SubmissionOutcome.REFUSED)
    answered = Submission.objects.filter(order__account=account, outcome__in=told, answered_at__isnull=False)
    moments = [account.worked_at, *answered.order_by("-answered_at").values_list("answered_at", flat=True)[:1]]
    return max((one for one in moments if one), default=None)


@transaction.atomic
def remove_account(*, account: MarketplaceAccount, now: datetime) -> None:
    """Take it away with its secrets; its rules propose for the person's own hand from now on. Raises :class:`InUse`.

    Where something was ever ordered with it, an empty row stays for those orders.
    """
    MarketplaceAccount.objects.select_for_update().get(pk=account.pk)
    if use_of(account).under_way:
        raise InUse
    by_hand = {"account": None, "way": Way.ASSISTED, "policy": BuyPolicy.ASK, "until": None, "confirmed_at": None}
    BuyRule.objects.filter(account=account).update(**by_hand)
    if Order.objects.filter(account=account).exists() or LedgerEntry.objects.filter(scope__budget__account=account):
        services.empty_account(account=account, now=now)
        return
    Budget.objects.filter(account=account).delete()
    services.remove_account(account=account, now=now)


def resume_account(*, account: MarketplaceAccount, now: datetime) -> None:
    """End its pause. Raises :class:`OutcomeOpen`: until that is known, nothing more may be ordered with it."""
    if Order.objects.filter(account=account, state__in=UNSURE).exists():
        raise OutcomeOpen
    services.resume_account(account=account, now=now)


def spent_today(account: MarketplaceAccount, *, now: datetime) -> int:
    """What was spent with it since midnight in Tokyo, at the highest price where the paid one is not told."""
    begun = queries.midnight(now.astimezone(TOKYO).date())
    bought = Order.objects.filter(account=account, state__in=BOUGHT, submissions__answered_at__gte=begun).distinct()
    return sum(order.price_max if order.paid is None else order.paid for order in bought)

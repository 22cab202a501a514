"""Every purchase of an account is tied to an order, or shown as not ours. The net under everything else."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet

from monitor_site.contract import Purchase, PurchaseStage
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.outbox import services as outbox

from . import cancelling, reconciling
from .asking import CLOCKS_DIFFER, Answer, Census
from .evidence import Seen
from .following import next_step
from .knowledge import known_of
from .models import FOUND_LATE, Mode, Order, Stray, Submission, Sweep
from .moving import Because, Overtaken, move
from .transitions import BOUGHT, State, Verb

TOPIC = "account"
SWEEPER = "sweep"
HOURLY, DAILY = timedelta(hours=1), timedelta(days=1)
SELDOM = timedelta(days=30)
HOURLY_FOR, DAILY_FOR = timedelta(hours=48), timedelta(days=30)
CLAIM = timedelta(minutes=5)
MOST = 50
GIVEN_UP = frozenset({State.NOT_PLACED, State.EXPIRED, State.CANCELLED, State.SOLD_TO_OTHER})
ASKED = frozenset({State.UNKNOWN, State.NEEDS_HUMAN})
# The reason of orders that an older copy of the database knew as not sent: nobody knows whether they were.
RESTORED = "restored"


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """A sweep of one account: what is known, and the listings that are followed one by one."""

    account_id: int
    marketplace: str
    known: Collection[str]
    followed: Collection[str]


@transaction.atomic
def wake(*, now: datetime) -> int:
    """Have the accounts swept that are due; returns how many."""
    cancelling.wake(now=now)
    _plan_new(now)
    ids = list(_due(now).order_by("due_at").values_list("account_id", flat=True)[:MOST])
    outbox.write(topic=TOPIC, object_ids=ids, now=now)
    return len(ids)


def _due(now: datetime) -> QuerySet[Sweep]:
    """By plan, or since the clock was set back."""
    return Sweep.objects.filter(Q(due_at__lte=now) | Q(swept_at__gt=now, due_at__gt=now + CLAIM))


def _plan_new(now: datetime) -> None:
    """Accounts that may spend, or have, and were never swept. What they bought before is not news."""
    used = Q(spends_since__isnull=False) | Q(pk__in=Submission.objects.values("order__account"))
    new = MarketplaceAccount.objects.filter(used, user__isnull=False, sweep=None)
    rows = [Sweep(account=account, due_at=now, shows_since=now) for account in new]
    Sweep.objects.bulk_create(rows, ignore_conflicts=True)


def rounds(*, account_ids: Collection[int], now: datetime) -> list[Round]:
    """Take those of these accounts that are due; whoever takes one first sweeps it."""
    due = _due(now).filter(account__in=account_ids).select_related("account")
    return [round_of(sweep) for sweep in due if _claim(sweep, now)]


def _claim(sweep: Sweep, now: datetime) -> bool:
    return bool(Sweep.objects.filter(pk=sweep.pk, due_at=sweep.due_at).update(due_at=now + CLAIM))


def round_of(sweep: Sweep) -> Round:
    """What is known before an account is swept."""
    followed = _orders_of(sweep.account).filter(_under_way())
    return Round(
        account_id=sweep.account_id,
        marketplace=sweep.account.marketplace,
        known=known_of(sweep.account_id),
        followed=frozenset(followed.values_list("listing__external_id", flat=True)),
    )


def _under_way() -> Q:
    """What may still change at the marketplace, or come to light."""
    bought = Q(state__in=(BOUGHT - {State.RECEIVED}))
    return bought | Q(state__in=ASKED) | Q(state=State.NOT_PLACED)


def _orders_of(account: MarketplaceAccount) -> QuerySet[Order]:
    """What was ordered with an account, and what its person ordered at its marketplace by hand for us."""
    by_hand = Q(account=None, user=account.user_id, listing__marketplace=account.marketplace)
    return Order.objects.filter(Q(account=account) | by_hand).exclude(mode=Mode.DRY_RUN).select_related("listing")


def record(*, account_id: int, census: Census, now: datetime) -> int:
    """Tie each purchase to its order, or note it as not ours; plan the next sweep. Returns how many orders moved."""
    moved = sum(_tie(account_id, purchase, now) for purchase in census.purchases)
    _plan_next(account_id, census, now)
    return moved


@transaction.atomic
def _tie(account_id: int, purchase: Purchase, now: datetime) -> bool:
    account = MarketplaceAccount.objects.get(pk=account_id)
    order = _order_of(account, purchase)
    if order is None:
        _note_stray(account, purchase, now)
        return False
    Stray.objects.filter(account=account, number=purchase.transaction_id[:80]).delete()
    cancelling.hear(order=order, purchase=purchase, now=now)
    try:
        return _move(order, purchase, now)
    except Overtaken:
        return False


def _order_of(account: MarketplaceAccount, purchase: Purchase) -> Order | None:
    """By the marketplace's number, by our own name for it, by the exact listing; never by price or time."""
    orders = _orders_of(account).filter(listing__external_id=purchase.external_id)
    by_number = Q(reference=purchase.transaction_id[:80])
    by_name = Q(public_id=purchase.reference) if purchase.reference else Q(pk=None)
    return orders.filter(by_number | by_name).first() or _by_listing(account, orders.filter(reference=""), purchase)


def _by_listing(account: MarketplaceAccount, orders: QuerySet[Order], purchase: Purchase) -> Order | None:
    """The latest order of the listing that may have led to it; not one that came after the purchase was seen here.

    By what a clock says of it nothing is left out: booked by mistake is looked at by its person, and lost is lost.
    """
    stray = Stray.objects.filter(account=account, number=purchase.transaction_id[:80]).first()
    found = orders.filter(_awaits()).distinct().order_by("-pk")
    if stray is not None:
        found = found.filter(created_at__lte=stray.first_seen_at)
    return found.first()


def _awaits() -> Q:
    """Orders that a purchase may belong to although nobody has said so. What never came near a marketplace does not."""
    by_hand = Q(state__in=[State.HANDED_OVER, *GIVEN_UP], history__after=State.HANDED_OVER)
    forgotten = Q(state=State.CANCELLED, reason=RESTORED)
    nameless = Q(state__in=BOUGHT)  # somebody said so, without a number
    return Q(state__in=[State.SUBMITTING, *ASKED, State.NOT_PLACED]) | by_hand | forgotten | nameless


def _move(order: Order, purchase: Purchase, now: datetime) -> bool:
    state = State(order.state)
    if state in ASKED:
        answer = Answer(seen=Seen.FOUND, purchase=purchase, doubtful=_is_older(order, purchase))
        reconciling.settle(order_id=order.pk, answer=answer, now=now)
        order.refresh_from_db()
    elif state == State.HANDED_OVER:
        _step(order, Verb.PLACE, purchase, now)
    elif state in GIVEN_UP:
        find_late(order=order, purchase=purchase, now=now)
    elif state in BOUGHT and not order.reference:
        Order.objects.filter(pk=order.pk, reference="").update(reference=purchase.transaction_id[:80])
    return follow(order=order, stage=purchase.stage, purchase=purchase, now=now) or order.state != state


def _is_older(order: Order, purchase: Purchase) -> bool:
    begun_at = reconciling.submission_of(order).begun_at
    return purchase.at is not None and purchase.at < begun_at - CLOCKS_DIFFER


def find_late(*, order: Order, purchase: Purchase, now: datetime) -> None:
    """It was bought after all: booked, above a limit if need be, and its account orders nothing until a person looks.

    It stays the only one of its listing that is ordered, as far as nothing else has been sent.
    """
    for other in Order.objects.filter(user=order.user_id, listing=order.listing_id, state__in=_STOPPABLE):
        because = Because(actor=SWEEPER, fields={"reason": "bought"}, evidence={"by": order.public_id})
        move(order=other, verb=Verb.CANCEL, because=because, now=now)
    reconciling.note(order=order, answer=Answer(seen=Seen.FOUND, purchase=purchase), now=now)
    _step(order, Verb.FIND_LATE, purchase, now, reason=FOUND_LATE)


_STOPPABLE = [State.PROPOSED, State.AWAITING_APPROVAL, State.READY]


def _step(order: Order, verb: Verb, purchase: Purchase, now: datetime, *, reason: str = "") -> None:
    paid = reconciling.paid_of(order, purchase)
    fields: dict[str, Any] = {"reference": purchase.transaction_id[:80], "paid": paid, "reason": reason, "ask_at": None}
    evidence = {"number": purchase.transaction_id[:80], "stage": purchase.stage}
    because = Because(actor=SWEEPER, fields=fields, evidence=evidence, paid=paid)
    move(order=order, verb=verb, because=because, now=now)


def follow(*, order: Order, stage: PurchaseStage, purchase: Purchase, now: datetime) -> bool:
    """Bring a bought order to where the marketplace says it stands; a cancellation pays back all that was booked."""
    moved = False
    while verb := next_step(State(order.state), stage):
        evidence = {"number": purchase.transaction_id[:80], "stage": stage, "tracking": (purchase.tracking or "")[:80]}
        move(order=order, verb=verb, because=Because(actor=SWEEPER, evidence=evidence), now=now)
        moved = True
    return moved


def _note_stray(account: MarketplaceAccount, purchase: Purchase, now: datetime) -> None:
    """Noted once, whatever finds it again. What was bought before anybody looked is known from here on, and silent."""
    since = Sweep.objects.filter(account=account).values_list("shows_since", flat=True).first() or now
    first = not Sweep.objects.filter(account=account, swept_at__isnull=False).exists()
    is_old = purchase.at < since if purchase.at is not None else first
    paid = purchase.paid
    Stray.objects.get_or_create(
        account=account,
        number=purchase.transaction_id[:80],
        defaults={
            "external_id": purchase.external_id[:64],
            "paid": paid.amount or None if paid else None,
            "currency": paid.currency[:3] if paid else "",
            "bought_at": purchase.at,
            "first_seen_at": now,
            "noted_at": now if is_old else None,
        },
    )


def _plan_next(account_id: int, census: Census, now: datetime) -> None:
    """Hourly for two days after the last submission, then daily for a month; what failed is tried again in an hour."""
    last = Submission.objects.filter(order__account=account_id).aggregate(last=Max("begun_at"))["last"]
    after = HOURLY if census.error else _interval(last, now)
    sooner = cancelling.next_look_at(account_id, now=now) or now + after
    planned: dict[str, Any] = {"due_at": min(now + after, sooner), "error": census.error[:40]}
    if census.whole:
        planned["swept_at"] = now
    Sweep.objects.filter(account=account_id).update(**planned)


def _interval(last: datetime | None, now: datetime) -> timedelta:
    since = now - last if last else HOURLY_FOR
    return HOURLY if since < HOURLY_FOR else DAILY if since < DAILY_FOR else SELDOM


def strays_of(user: Any) -> QuerySet[Stray]:
    """Purchases of a person's accounts that belong to no order, and that they have not noted yet."""
    found = Stray.objects.filter(account__user=user, noted_at=None).select_related("account")
    return found.order_by("-first_seen_at", "-pk")


def stuck_of(user: Any, *, now: datetime) -> QuerySet[Sweep]:
    """The accounts of a person that could not be swept, or not for an hour, with orders that may change meanwhile."""
    moving = Order.objects.filter(account=OuterRef("account"), state__in=(BOUGHT - {State.RECEIVED}) | ASKED)
    late = ~Q(error="") | Q(due_at__lt=now - HOURLY)
    found = Sweep.objects.filter(late, Exists(moving), account__user=user, account__removed_at=None)
    return found.select_related("account").order_by("account")


@transaction.atomic
def note_seen(*, stray: Stray, now: datetime) -> None:
    """Its person knows of it."""
    Stray.objects.filter(pk=stray.pk, noted_at=None).update(noted_at=now)

"""The assisted way: the person orders at the marketplace, and we hold the money and watch what becomes of it."""

from collections.abc import Collection
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from monitor_site.outbox import services as outbox
from monitor_site.watches import follow
from monitor_site.watches.facts import OVER

from .ledger import NoBudget, OverBudget
from .models import FOUND_LATE, Mode, Order, Way
from .moving import TOPIC, Because, Overtaken, move
from .switching import is_stopped
from .transitions import State, Verb

# So long a person may take at the marketplace before the money is free again.
TIME_TO_ORDER = timedelta(hours=24)
# What is younger is under way.
PATIENCE = timedelta(seconds=5)
MOST = 200
WORKER, PERSON = "worker", "person"


def advance(*, order_ids: Collection[int], now: datetime) -> None:
    """Take the next step of orders that wait for nobody but us; whatever runs twice changes nothing twice."""
    orders = Order.objects.filter(pk__in=order_ids).select_related("listing")
    for order in orders.order_by("pk"):
        make_ready(order=order, now=now)
        hand_over(order=order, now=now)


@transaction.atomic
def take_up(*, now: datetime) -> int:
    """Have orders go on that wait for nobody any more, such as after a kill switch; returns how many."""
    waits = Q(state=State.READY) | Q(state=State.PROPOSED, mode__in=[Mode.AUTOMATIC, Mode.DRY_RUN])
    resting = Q(state=State.READY, account__paused_until__gt=now)
    found = Order.objects.filter(waits, stood_since__lt=now - PATIENCE).exclude(resting)
    rows = found.order_by("stood_since", "pk").values_list("pk", "user_id")[:MOST]
    free = {user: not is_stopped(user_id=user, now=now) for user in {user for _pk, user in rows}}
    ids = [pk for pk, user in rows if free[user]]
    outbox.write(topic=TOPIC, object_ids=ids, now=now)
    return len(ids)


def make_ready(*, order: Order, now: datetime) -> None:
    """An automatic proposal becomes ready, or is ended because no budget covers it."""
    if order.state != State.PROPOSED or order.mode != Mode.AUTOMATIC:
        return
    try:
        move(order=order, verb=Verb.MAKE_READY, because=Because(actor=WORKER), now=now)
    except (OverBudget, NoBudget) as error:
        because = Because(actor=WORKER, fields={"reason": "budget"}, evidence={"error": str(error)})
        move(order=order, verb=Verb.CANCEL, because=because, now=now)
    except Overtaken:
        return


def hand_over(*, order: Order, now: datetime) -> None:
    """Give a ready order to its person, and look at the listing at once and often, to see whether it is sold."""
    if order.state != State.READY or order.way != Way.ASSISTED:
        return
    if order.listing.status in OVER:
        because = Because(actor=WORKER, fields={"reason": "gone"})
        move(order=order, verb=Verb.CANCEL, because=because, now=now)
        return
    try:
        because = Because(actor=WORKER, fields={"expires_at": now + TIME_TO_ORDER})
        move(order=order, verb=Verb.HAND_OVER, because=because, now=now)
    except Overtaken:
        return
    if follow.can_look(order.listing.marketplace):
        follow.look_now(listing=order.listing, now=now)


def can_say_bought(order: Order) -> bool:
    """Whether its person is asked for the outcome, or may still say that they bought it after all."""
    return order.state in {State.HANDED_OVER, State.NEEDS_HUMAN} or can_say_late(order)


def can_say_late(order: Order) -> bool:
    """Whether it is over as far as we know, and its person may know better: what was theirs to order by hand."""
    over = order.state in {State.EXPIRED, State.CANCELLED, State.SOLD_TO_OTHER}
    return over and order.way == Way.ASSISTED and order.mode != Mode.DRY_RUN


@transaction.atomic
def say_bought(*, order: Order, paid: int, reference: str, actor: str, now: datetime) -> None:
    """The person says that it was them, and what they paid. Raises what :func:`moving.move` raises.

    While the marketplace is being asked nobody else says what became of an order.
    """
    if not can_say_bought(order):
        raise Overtaken(f"{order} asks nobody")
    verb = Verb.FIND_LATE if can_say_late(order) else Verb.PLACE
    fields = {"paid": paid, "reference": reference[:80], "reason": "", "ask_at": None}
    move(order=order, verb=verb, because=Because(actor=actor, fields=fields, paid=paid), now=now)


@transaction.atomic
def say_not_bought(*, order: Order, actor: str, now: datetime) -> None:
    """The person says that it was not them: it is somebody else's, or they do not want it any more."""
    verb = Verb.SELL_TO_OTHER if order.listing.status in OVER else Verb.CANCEL
    if order.state == State.NEEDS_HUMAN:
        verb = Verb.RULE_OUT
    move(order=order, verb=verb, because=Because(actor=actor), now=now)


@transaction.atomic
def let_order_again(*, order: Order) -> bool:
    """Its person has looked at what was found late: the account may order again."""
    rows = Order.objects.filter(pk=order.pk, reason=FOUND_LATE, steps=order.steps)
    return bool(rows.update(reason=""))


def ask_whose(*, listing_ids: Collection[int], now: datetime) -> list[int]:
    """A listing that was handed over is sold: its person is to be asked whether it was them; returns the orders."""
    handed = Order.objects.filter(listing__in=listing_ids, state=State.HANDED_OVER, ask_at=None)
    ids = list(handed.filter(listing__status__in=OVER).values_list("pk", flat=True))
    return [pk for pk in ids if Order.objects.filter(pk=pk, ask_at=None).update(ask_at=now)]

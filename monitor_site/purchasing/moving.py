"""One step of an order: a conditional update, its money, its history and its outbox row, together or not at all."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet

from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.outbox import services as outbox

from . import ledger, queries
from .models import Mode, Order, OrderStep
from .switching import is_stopped
from .transitions import Edge, Money, State, Verb, edge

TOPIC = "order"


class Overtaken(Exception):
    """Somebody else moved the order meanwhile, or something that must hold does not; nothing was changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Because:
    """Who moves an order, what is written into its row, and on what evidence."""

    actor: str
    fields: Mapping[str, Any] = field(default_factory=dict)
    evidence: Mapping[str, Any] = field(default_factory=dict)
    paid: int | None = None
    refunded: int | None = None


def move(*, order: Order, verb: Verb, because: Because, now: datetime, among: QuerySet[Order] | None = None) -> None:
    """Take a step from the state that ``order`` was read in; ``order`` shows where it stands afterwards, also when it
    was refused. ``among``: only if it is one of these at that moment.

    Raises :class:`Overtaken`, :class:`transitions.NoSuchStep`, :class:`ledger.OverBudget`, :class:`ledger.NoBudget`.
    """
    try:
        _step(order, verb, because, now, among)
    except (Overtaken, ledger.OverBudget, ledger.NoBudget):
        order.refresh_from_db()
        raise


@transaction.atomic
def _step(order: Order, verb: Verb, because: Because, now: datetime, among: QuerySet[Order] | None) -> None:
    before = State(order.state)
    way = edge(before, verb)
    changes = dict(because.fields) | {"state": way.to, "stood_since": now}
    if verb == Verb.FIND_LATE:
        changes["found_late_at"] = now
    standing = _standing(order, verb, now)
    if among is not None:
        standing = standing.filter(pk__in=among.values("pk"))
    if not standing.update(steps=F("steps") + 1, **changes):
        raise Overtaken(f"{order} was to {verb}")
    order.refresh_from_db()
    _pay(order, way, because, now)
    OrderStep.objects.create(
        order=order,
        number=order.steps,
        verb=verb,
        before=before,
        after=way.to,
        actor=because.actor[:40],
        evidence=dict(because.evidence),
        at=now,
    )
    outbox.write(topic=TOPIC, object_ids=[order.pk], now=now)


def _standing(order: Order, verb: Verb, now: datetime) -> Any:
    """The order as it was read. What can spend needs more: no dry run, no switch or pause that stops it, and an account
    without an outcome that nobody knows.
    """
    rows = Order.objects.filter(pk=order.pk, state=order.state, steps=order.steps, epoch=order.epoch)
    if verb not in {Verb.SUBMIT, Verb.HAND_OVER}:
        return rows
    paused = Order.objects.filter(pk=order.pk, account__paused_until__gt=now)
    if is_stopped(user_id=order.user_id, now=now):
        return rows.none()
    if verb == Verb.SUBMIT and _account_waits(order):
        return rows.none()
    return rows.exclude(mode=Mode.DRY_RUN).exclude(pk__in=paused)


def _account_waits(order: Order) -> bool:
    """Held by its row where the database has row locks, so that two orders of an account cannot both begin."""
    if order.account_id is None:
        return False
    MarketplaceAccount.objects.select_for_update().filter(pk=order.account_id).first()
    return queries.account_waits(account_id=order.account_id)


def _pay(order: Order, way: Edge, because: Because, now: datetime) -> None:
    posting = ledger.Posting(order, order.steps, now)
    if way.money == Money.HOLD:
        ledger.hold(posting)
    elif way.money == Money.RELEASE:
        ledger.release(posting)
    elif way.money == Money.SPEND:
        ledger.spend(posting, paid=_paid(order, because))
    elif way.money == Money.BOOK:
        ledger.book(posting, paid=_paid(order, because))
    elif way.money == Money.REFUND:
        ledger.refund(posting, amount=because.refunded)


def _paid(order: Order, because: Because) -> int:
    """What the marketplace took; as long as nobody knows, all that could have been."""
    return order.price_max if because.paid is None else because.paid

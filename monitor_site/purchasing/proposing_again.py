"""What came to nothing is proposed once more, as an order of its own that a person has to approve."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction

from .models import BuyRule, Mode, Order
from .moving import Because, Overtaken, move
from .proposing import RULE, expire_one, shown
from .suitability import Objection, Offer, offer_of
from .transitions import State, Verb

AGAIN = frozenset({State.NOT_PLACED, State.EXPIRED, State.DECLINED})
NO_RULE = "no_rule"


@dataclass(frozen=True)
class Unsuitable(Exception):
    """Nothing is proposed; ``reason`` is an :class:`Objection`, or :data:`NO_RULE`."""

    reason: str


def rule_of(order: Order) -> BuyRule | None:
    """The rule that an order was proposed by, as it is now."""
    return BuyRule.objects.select_related("watch", "account").filter(watch=order.watch_id).first()


def offer_again(order: Order) -> Offer:
    """What it would cost now. Raises :class:`Unsuitable`."""
    rule = rule_of(order)
    if order.state not in AGAIN or rule is None:
        raise Unsuitable(NO_RULE)
    offer = offer_of(order.listing, rule)
    if isinstance(offer, Objection):
        raise Unsuitable(offer)
    return offer


def propose_again(*, order: Order, actor: str, now: datetime) -> Order:
    """A new proposal in the place of one that came to nothing. Raises :class:`Unsuitable`, :class:`Overtaken`."""
    expire_one(order=order, now=now)
    offer, rule = offer_again(order), rule_of(order)
    if rule is None:
        raise Unsuitable(NO_RULE)
    try:
        with transaction.atomic():
            return _open(_next(order, rule, offer, now), actor, now)
    except IntegrityError as error:
        raise Overtaken("it is being ordered already") from error


def _next(order: Order, rule: BuyRule, offer: Offer, now: datetime) -> Order:
    same = ("user_id", "listing", "watch_id", "match_id", "account_id", "kind", "way", "currency", "trace")
    money = {"price": offer.price, "shipping": offer.shipping, "price_max": offer.total}
    moments = {"expires_at": now + timedelta(minutes=rule.approval_minutes), "stood_since": now, "created_at": now}
    following = Order(supersedes=order, mode=Mode.APPROVAL, **{name: getattr(order, name) for name in same})
    for name, value in (money | moments).items():
        setattr(following, name, value)
    following.shown = shown(following)
    return following


def _open(order: Order, actor: str, now: datetime) -> Order:
    order.save(force_insert=True)
    evidence = {"supersedes": order.supersedes_id}
    move(order=order, verb=Verb.ASK, because=Because(actor=actor or RULE, evidence=evidence), now=now)
    return order

"""From matches to proposals, and from what a person has seen to what may be sent."""

import copy
import hashlib
import json
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef

from monitor_site.outbox import services as outbox
from monitor_site.watches.models import Listing, Match
from monitor_site.watches.wants import wanted

from .learning import NOTHING, Lesson, learn
from .models import BuyPolicy, BuyRule, Mode, Order, OrderStep, Way
from .moving import TOPIC, Because, Overtaken, move
from .periods import TOKYO
from .suitability import Offer, offer_of
from .transitions import NoSuchStep, State, Verb

RULE = "rule"
UNANSWERED = (State.AWAITING_APPROVAL, State.HANDED_OVER)


class Changed(Exception):
    """What was approved is not what stands there now."""


class NotLower(Exception):
    """What is to be allowed at most is nothing, or more than was shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """Whose press it was, on what device, as the browser calls itself, and the key of the form that was pressed."""

    name: str = ""
    agent: str = ""
    key: str = ""

    def told(self) -> dict[str, str]:
        """What is written down of it."""
        said = {"by": self.name[:150], "agent": self.agent[:200], "key": self.key[:24]}
        return {name: value.replace("\x00", "") for name, value in said.items() if value}


NOBODY = Hand()


def shown(order: Order) -> str:
    """The digest of exactly what a person decides on: the thing, the money, the way, and for whom."""
    told = {
        "order": order.public_id,
        "user": order.user_id,
        "listing": order.listing_id,
        "watch": order.watch_id,
        "kind": order.kind,
        "way": order.way,
        "account": order.account_id,
        "price": order.price,
        "shipping": order.shipping,
        "price_max": order.price_max,
        "currency": order.currency,
    }
    return hashlib.sha256(json.dumps(told, sort_keys=True).encode()).hexdigest()


def way_of(rule: BuyRule, listing: Listing) -> Way:
    """How a listing is ordered. An account orders at its own marketplace only; elsewhere people order themselves."""
    theirs = rule.account is not None and rule.account.user_id == rule.user_id
    if rule.account is None or not theirs or rule.account.marketplace != listing.marketplace:
        return Way.ASSISTED
    return Way(rule.way)


def mode_of(rule: BuyRule, *, now: datetime, way: str = "") -> Mode:
    """Who decides; ``way`` is how it is ordered where that is not as the rule says.

    What we would order ourselves is a dry run until an operator has allowed the account to spend;
    automatic needs an end that has not come, and a confirmation.
    """
    if (way or rule.way) == Way.PARTNER_API and not is_live(rule):
        return Mode.DRY_RUN
    if rule.policy == BuyPolicy.ASK:
        return Mode.APPROVAL
    ends = rule.until is not None and rule.until >= now.astimezone(TOKYO).date()
    return Mode.AUTOMATIC if ends and rule.confirmed_at is not None else Mode.APPROVAL


def is_live(rule: BuyRule) -> bool:
    """Whether an operator has turned real spending on for the rule's account."""
    return rule.account is not None and rule.account.spends_since is not None


def propose(*, match_ids: Collection[int], now: datetime) -> list[Order]:
    """Make proposals of those of these matches that a rule wants and that may be bought; each listing once."""
    matches = list(wanted().filter(pk__in=match_ids).select_related("listing").order_by("pk"))
    rows = BuyRule.objects.filter(watch__in={match.watch_id for match in matches}).select_related("watch", "account")
    rules = {rule.watch_id: rule for rule in rows}
    asked = [(match, rules[match.watch_id]) for match in matches if match.watch_id in rules]
    return [order for match, rule in asked if (order := propose_one(match=match, rule=rule, now=now)) is not None]


def bought_unasked(match_ids: Collection[int]) -> set[int]:
    """Those of these matches that may become orders without a person: every second counts for them."""
    ruled = BuyRule.objects.filter(watch=OuterRef("watch"), policy=BuyPolicy.BUY)
    return set(Match.objects.filter(Exists(ruled), pk__in=match_ids).values_list("pk", flat=True))


def propose_one(*, match: Match, rule: BuyRule, now: datetime, instead_of: Order | None = None) -> Order | None:
    """A proposal for one match; ``None`` when something speaks against it, or the listing is being ordered already.

    ``instead_of`` is an order that was ended without having been sent.
    """
    offer = offer_of(match.listing, rule)
    if not isinstance(offer, Offer):
        return None
    try:
        with transaction.atomic():
            order = _order(match, rule, offer, now)
            order.supersedes = instead_of
            return _open(order, rule, now)
    except IntegrityError:
        return None


def _order(match: Match, rule: BuyRule, offer: Offer, now: datetime) -> Order:
    way = way_of(rule, match.listing)
    order = Order(
        user_id=match.user_id,
        listing=match.listing,
        watch=rule.watch,
        match=match,
        account=rule.account if way == Way.PARTNER_API else None,
        mode=mode_of(rule, now=now, way=way),
        way=way,
        currency=match.listing.currency,
        price=offer.price,
        shipping=offer.shipping,
        price_max=offer.total,
        trace=match.trace,
        expires_at=now + timedelta(minutes=rule.approval_minutes),
        stood_since=now,
        created_at=now,
    )
    order.shown = shown(order)
    return order


def ruled_out(*, user_id: int, listing_id: int) -> Order | None:
    """The last order of a listing whose outcome was unknown, and that was then found not to be bought."""
    found = Order.objects.filter(user=user_id, listing=listing_id, state=State.NOT_PLACED)
    return found.order_by("-pk").first()


def _open(order: Order, rule: BuyRule, now: datetime) -> Order:
    """A dry run stays a proposal; what needs an answer asks for it; what is automatic goes on in a step of its own."""
    if earlier := ruled_out(user_id=order.user_id, listing_id=order.listing_id):
        order.supersedes = order.supersedes or earlier
        # Nobody but a person orders a thing again whose first order was lost from sight.
        order.mode = Mode.APPROVAL if order.mode == Mode.AUTOMATIC else order.mode
    order.save(force_insert=True)
    if order.mode == Mode.APPROVAL:
        move(order=order, verb=Verb.ASK, because=Because(actor=RULE, evidence={"rule": rule.pk}), now=now)
    outbox.write(topic=TOPIC, object_ids=[order.pk], now=now)
    return order


def approve(  # noqa: PLR0913  all of them by name
    *, order: Order, seen: str, actor: str, now: datetime, at_most: int | None = None, hand: Hand = NOBODY
) -> None:
    """Allow exactly what was shown, or ``at_most`` that much of it, once; the same form once more changes nothing.

    Raises :class:`Changed`, :class:`NotLower`, :class:`Overtaken` when it is too late or done already, and what
    :func:`moving.move` raises when no budget covers it.
    """

    def allow() -> None:
        _demand_unchanged(order, seen)
        if order.expires_at is not None and order.expires_at <= now:
            raise Overtaken("the proposal has expired")
        fields = _lower(order, at_most) if at_most is not None else {}
        evidence = {"shown": fields.get("shown", seen)} | ({"seen": seen} if fields else {}) | hand.told()
        move(order=order, verb=Verb.APPROVE, because=Because(actor=actor, fields=fields, evidence=evidence), now=now)

    _once(order, Verb.APPROVE, hand, allow)


def _once(order: Order, verb: Verb, hand: Hand, act: Callable[[], None]) -> None:
    """Whoever comes second with the key of a form that has done it finds it done."""
    try:
        with transaction.atomic():
            act()
    except (Changed, Overtaken, NoSuchStep):
        if not _has_done(order, verb, hand):
            raise
        order.refresh_from_db()


def _has_done(order: Order, verb: Verb, hand: Hand) -> bool:
    step = answer_to(order) if hand.told().get("key") else None
    return step is not None and step.verb == verb and step.evidence.get("key") == hand.told().get("key")


def answer_to(order: Order) -> OrderStep | None:
    """The step that ended the waiting for an answer."""
    return order.history.filter(before=State.AWAITING_APPROVAL).order_by("-number").first()


def _demand_unchanged(order: Order, seen: str) -> None:
    listing = order.listing
    if seen != order.shown or shown(order) != order.shown:
        raise Changed("the proposal is not the one that was shown")
    if listing.price != order.price or listing.status != "on_sale":
        raise Changed("the listing is not what was shown any more")


def _lower(order: Order, at_most: int) -> dict[str, Any]:
    """The lower limit, and the digest that authorises it; the digest of the higher one authorises nothing any more."""
    if not 0 < at_most <= order.price_max:
        raise NotLower(f"{at_most} is not within {order.price_max}")
    lower = copy.copy(order)
    lower.price_max = at_most
    return {"price_max": at_most, "shown": shown(lower)} if at_most < order.price_max else {}


def decline(  # noqa: PLR0913  all of them by name
    *, order: Order, reason: str, actor: str, now: datetime, lesson: Lesson = NOTHING, hand: Hand = NOBODY
) -> None:
    """Say no, once, and learn from it; the same form once more changes nothing. Raises :class:`Overtaken`, and
    ``ValidationError`` where the lesson makes no sense: nothing is done then.
    """

    def refuse() -> None:
        if order.state != State.AWAITING_APPROVAL:
            raise Overtaken("nothing is asked any more")
        learned = learn(order=order, lesson=lesson, now=now)
        evidence = hand.told() | ({"learned": learned} if learned else {})
        because = Because(actor=actor, fields={"reason": reason[:40]}, evidence=evidence)
        move(order=order, verb=Verb.DECLINE, because=because, now=now)

    _once(order, Verb.DECLINE, hand, refuse)


@transaction.atomic
def extend(*, order: Order, minutes: int, now: datetime) -> bool:
    """Wait longer for an answer, once; whether it was possible."""
    rows = Order.objects.filter(pk=order.pk, state=State.AWAITING_APPROVAL, expires_at__gt=now, reason="")
    return bool(rows.update(expires_at=now + timedelta(minutes=minutes), reason="extended"))


def expire(*, now: datetime) -> int:
    """End the proposals that nobody answered, and the orders handed over that nobody placed; returns how many."""
    late = Order.objects.filter(state__in=UNANSWERED, expires_at__lte=now)
    return sum(expire_one(order=order, now=now) for order in late.order_by("expires_at")[:500])


def expire_one(*, order: Order, now: datetime) -> bool:
    """End this one, if its time is over; whether it was."""
    if order.state not in UNANSWERED or order.expires_at is None or order.expires_at > now:
        return False
    try:
        move(order=order, verb=Verb.EXPIRE, because=Because(actor="clock"), now=now)
    except Overtaken:
        return False
    return True


def expectations(*, rule: BuyRule, since: datetime) -> dict[str, Any]:
    """What the rule would have proposed since then, at the prices of the time: how many things, for how much."""
    matches = Match.objects.filter(watch=rule.watch, matched_at__gte=since, silent=False).select_related("listing")
    offers = [offer for match in matches if isinstance(offer := _offer_then(match, rule), Offer)]
    return {"count": len(offers), "total": sum(offer.total for offer in offers), "of": len(matches)}


def _offer_then(match: Match, rule: BuyRule) -> Any:
    """At the price it matched at, as if it were still on sale."""
    then = match.listing
    then.price, then.status = match.price, "on_sale"
    return offer_of(then, rule)

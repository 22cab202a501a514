"""Orders in words: where one stands, who did what, and why something was refused."""

from datetime import datetime

from django.utils.translation import gettext, pgettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from monitor_site import order_reasons, second_currency, wording
from monitor_site.purchasing.ledger import NoBudget, OverBudget
from monitor_site.purchasing.models import Measure, Order, OrderStep
from monitor_site.purchasing.proposing import NotLower, answer_to
from monitor_site.purchasing.queries import Room
from monitor_site.purchasing.transitions import BOUGHT, HELD, State

from .security import device_of
from .standing import standing_of

PERSON = "person"
STATES = {
    State.PROPOSED: pgettext_lazy("order", "proposed"),
    State.AWAITING_APPROVAL: pgettext_lazy("order", "waits for your answer"),
    State.READY: pgettext_lazy("order", "approved"),
    State.SUBMITTING: pgettext_lazy("order", "being ordered"),
    State.HANDED_OVER: pgettext_lazy("order", "yours to order"),
    State.UNKNOWN: pgettext_lazy("order", "outcome unknown, checking"),
    State.NEEDS_HUMAN: pgettext_lazy("order", "needs your look"),
    State.PLACED: pgettext_lazy("order", "bought"),
    State.LEADING: pgettext_lazy("order", "highest bidder"),
    State.OUTBID: pgettext_lazy("order", "outbid"),
    State.WON: pgettext_lazy("order", "won"),
    State.LATE_PLACED: pgettext_lazy("order", "bought, found out late"),
    State.PAID: pgettext_lazy("order", "paid"),
    State.SHIPPED: pgettext_lazy("order", "on the way"),
    State.RECEIVED: pgettext_lazy("order", "received"),
    State.MARKET_CANCELLED: pgettext_lazy("order", "cancelled by the marketplace"),
    State.CANCELLED: pgettext_lazy("order", "cancelled"),
    State.DECLINED: pgettext_lazy("order", "declined"),
    State.EXPIRED: pgettext_lazy("order", "expired"),
    State.REFUSED: pgettext_lazy("order", "refused by the marketplace"),
    State.NOT_PLACED: pgettext_lazy("order", "not bought"),
    State.SOLD_TO_OTHER: pgettext_lazy("order", "sold to someone else"),
    State.LOST: pgettext_lazy("order", "lost"),
}
TONES = {"ok": BOUGHT, "warn": HELD | {State.AWAITING_APPROVAL}}
DECLINE_REASONS = {
    "expensive": _("too expensive"),
    "wrong": _("not what I look for"),
    "seller": _("the seller"),
    "condition": _("the condition"),
}
REASONS = DECLINE_REASONS | {
    "bought": _("it was bought already"),
    "closed": _("the account was closed"),
    "restored": _("an older copy of the database was restored"),
}
ACTORS = {
    PERSON: pgettext_lazy("actor", "you"),
    "rule": pgettext_lazy("actor", "the rule"),
    "worker": pgettext_lazy("actor", "this site"),
    "clock": pgettext_lazy("actor", "time ran out"),
    "sender": pgettext_lazy("actor", "sent by this site"),
    "reconciler": pgettext_lazy("actor", "asked at the marketplace"),
    "sweep": pgettext_lazy("actor", "seen among the purchases"),
    "restore": pgettext_lazy("actor", "a backup was restored"),
}
PERIODS = {
    "": _("for one thing"),
    "day": _("a day"),
    "week": _("a week"),
    "month": _("a month"),
    "total": _("in all"),
}


def state_words(state: str) -> str:
    """Where an order stands."""
    return str(STATES[State(state)])


def tone_of(state: str) -> str:
    """The colour of a state's badge; none for what has ended."""
    return next((tone for tone, states in TONES.items() if state in states), "")


def step_words(step: OrderStep) -> str:
    """What a step led to, and who took it."""
    actor = ACTORS.get(step.actor, "")
    return f"{state_words(step.after)} · {actor}" if actor else state_words(step.after)


def reason_words(order: Order) -> str:
    """Why it was declined or ended; empty when nobody said."""
    return str(REASONS.get(order.reason) or order_reasons.reason_words(order.reason))


def room_words(room: Room) -> str:
    """What a limit is about."""
    if room.measure == Measure.UNITS:
        return gettext("things at most")
    return str(PERIODS[room.period])


def amount_words(room: Room, amount: int | None) -> str:
    """Money, or a number of things."""
    return f"{amount}" if room.measure == Measure.UNITS else second_currency.both(amount)


def is_decided(order: Order) -> bool:
    """Whether somebody approved it, whatever came after."""
    return order.state in HELD | BOUGHT


def refusal_words(order: Order, error: Exception, *, now: datetime) -> str:
    """Why nothing was done, by what stands there now."""
    order.refresh_from_db()
    order.listing.refresh_from_db()
    if order.state != State.AWAITING_APPROVAL:
        return ended_words(order, now=now)
    if isinstance(error, OverBudget):
        return _short_words(error)
    if isinstance(error, NoBudget):
        return gettext("No budget guards your money yet, so nothing can be approved. Make a budget first.")
    if isinstance(error, NotLower):
        return gettext("Only less than what was shown can be allowed, and more than nothing.")
    if order.expires_at is not None and order.expires_at <= now:
        return gettext("The time to answer is over; nothing was ordered.")
    return changed_words(order, now=now) or gettext("What you saw is not what stands here now. Please look again.")


def ended_words(order: Order, *, now: datetime) -> str:
    """What became of a proposal that waits no more, and who said so when, on what."""
    told = _told_words(order, now)
    if is_decided(order):
        return " ".join([gettext("You have approved this already."), *told])
    words = {
        State.DECLINED: " ".join([gettext("You have declined this already."), *told]),
        State.EXPIRED: gettext("The time to answer is over; nothing was ordered."),
    }
    return words.get(State(order.state)) or gettext("This is over already: %(state)s.") % {
        "state": state_words(order.state)
    }


def _told_words(order: Order, now: datetime) -> list[str]:
    step = answer_to(order)
    if step is None or not step.evidence.get("agent"):
        return []
    facts = {"name": step.evidence.get("by", ""), "device": device_of(step.evidence["agent"])}
    facts["when"] = wording.ago(step.at, now=now)
    return [gettext("(%(name)s, %(device)s, %(when)s)") % facts]


def _short_words(error: OverBudget) -> str:
    facts = {"name": budget_name(error.budget), "missing": wording.money(error.missing)}
    if error.scope is not None and error.scope.measure == Measure.UNITS:
        return gettext("The budget “%(name)s” allows no further thing.") % facts
    if error.scope is None:
        return gettext("The budget “%(name)s” allows %(missing)s less for one thing.") % facts
    return gettext("The budget “%(name)s” is %(missing)s short.") % facts


def budget_name(budget: object) -> str:
    """What a budget is called; the one of everything has a name of ours."""
    return getattr(budget, "name", "") or gettext("All my spending")


def changed_words(order: Order, *, now: datetime) -> str:
    """What differs from what was proposed; empty when nothing does."""
    thing = order.listing
    if thing.status != "on_sale":
        return standing_of(thing, now=now).word or pgettext("status", "State unknown")
    if thing.price is None:
        return gettext("Its price is not known any more.")
    if thing.price == order.price:
        return ""
    prices = {"new": wording.money(thing.price, thing.currency), "old": wording.money(order.price, order.currency)}
    return gettext("The price changed: it is %(new)s now, it was %(old)s.") % prices

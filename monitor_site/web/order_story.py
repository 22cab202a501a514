"""The way of an order as a story: what happened, by whom and on what evidence, and what would come next."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext, pgettext

from monitor_site import order_reasons, wording
from monitor_site.marketplaces.named import ERRORS
from monitor_site.purchasing.models import Mode, Order, OrderStep, Way
from monitor_site.purchasing.transitions import ENDED, State, Verb

from .order_words import reason_words, state_words, step_words

# Whoever acts of themselves took so long; what a person or a deadline took is no measure.
TIMED = frozenset({"rule", "worker", "sender", "reconciler"})
BY_HAND = {State.READY: State.HANDED_OVER, State.HANDED_OVER: State.PLACED}
BY_US = {State.READY: State.SUBMITTING, State.SUBMITTING: State.PLACED}
USUALLY = {
    State.PROPOSED: State.READY,
    State.AWAITING_APPROVAL: State.READY,
    State.LEADING: State.WON,
    State.OUTBID: State.LEADING,
    State.PLACED: State.PAID,
    State.LATE_PLACED: State.PAID,
    State.WON: State.PAID,
    State.PAID: State.SHIPPED,
    State.SHIPPED: State.RECEIVED,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Moment:
    """One step. ``sort`` is ``done``, ``now``, ``over`` (a dead end) or ``coming``, which has no time."""

    words: str
    sort: str
    at: datetime | None = None
    took: str = ""
    why: str = ""
    evidence: tuple[str, ...] = ()
    raw: str = ""


def story_of(order: Order, steps: Sequence[OrderStep]) -> list[Moment]:
    """From the proposal to where it stands, then what would usually follow."""
    began = Moment(words=state_words(State.PROPOSED), sort="done" if steps else "now", at=order.created_at)
    return [began, *_past(order, steps), *_future(order)]


def _past(order: Order, steps: Sequence[OrderStep]) -> Iterator[Moment]:
    before = order.created_at
    for step in steps:
        last = step is steps[-1]
        yield Moment(
            words=_words(step),
            sort=_sort(step) if last else "done",
            at=step.at,
            took=_took(step, before),
            why=reason_words(order) if last else "",
            evidence=tuple(evidence_words(step.evidence)),
            raw=str(step.evidence or ""),
        )
        before = step.at


def _words(step: OrderStep) -> str:
    """A step back to where it was says what became of the try."""
    if step.verb == Verb.SEND_NOTHING:
        return pgettext("order", "could not be sent")
    return step_words(step)


def _sort(step: OrderStep) -> str:
    return "over" if step.after in ENDED else "now"


def _took(step: OrderStep, before: datetime) -> str:
    milliseconds = round((step.at - before).total_seconds() * 1000)
    return wording.milliseconds(milliseconds) if step.actor in TIMED and milliseconds >= 0 else ""


def evidence_words(evidence: Mapping[str, Any]) -> Iterator[str]:
    """What a step was taken on, as far as it says something to a person."""
    if number := evidence.get("number") or evidence.get("transaction_id"):
        yield gettext("order number %(number)s") % {"number": str(number)[:80]}
    if tracking := evidence.get("tracking"):
        yield gettext("tracking number %(number)s") % {"number": str(tracking)[:80]}
    if error := ERRORS.get(str(evidence.get("error") or "")):
        yield str(error)
    if reason := order_reasons.reason_words(str(evidence.get("reason") or "")):
        yield reason


def _future(order: Order) -> Iterator[Moment]:
    """Nothing where nobody knows the outcome, where it is over, and of a dry run."""
    state = State(order.state)
    if order.mode == Mode.DRY_RUN:
        return
    ways = USUALLY | (BY_HAND if order.way == Way.ASSISTED else BY_US)
    while following := ways.get(state):
        yield Moment(words=state_words(following), sort="coming")
        state = following


def tracking_of(steps: Sequence[OrderStep]) -> str:
    """The last tracking number that the marketplace told; empty where it told none."""
    told = [str(step.evidence.get("tracking") or "") for step in steps]
    return next((number for number in reversed(told) if number), "")[:80]

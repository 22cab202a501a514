"""What must hold of orders and money whatever happened: the database beside what a marketplace really sold."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from monitor_site.purchasing.ledger import recount
from monitor_site.purchasing.models import (
    Cancellation,
    Entry,
    LedgerEntry,
    Measure,
    Mode,
    Order,
    Scope,
    Submission,
    Way,
)
from monitor_site.purchasing.transitions import BOUGHT, HELD, LIVE, State, Verb

# A purchase may be there, and somebody asks or has asked.
UNSURE = frozenset({State.SUBMITTING, State.UNKNOWN, State.NEEDS_HUMAN})


@dataclass(frozen=True, slots=True, kw_only=True)
class Sold:
    """One line of a truth log: what was sold for our order ``reference``, and what was taken for it."""

    reference: str
    listing: str
    paid: int


def all_hold(truth: Iterable[Sold]) -> None:
    """Everything below."""
    sold = list(truth)
    orders = list(Order.objects.select_related("listing", "account").order_by("pk"))
    nothing_is_bought_twice(sold, orders)
    each_state_is_true(sold, orders)
    no_thing_has_two_orders(orders)
    money_is_where_the_states_say(orders)
    no_more_things_than_wanted(sold, orders)
    nothing_is_sent_without_leave(orders)
    no_outcome_is_lost(orders)
    no_cancelling_is_sent_twice_or_lost()


def nothing_is_bought_twice(sold: list[Sold], orders: list[Order]) -> None:
    """At most one purchase and one try that may have reached the marketplace for each order; none without an order."""
    times = Counter(one.reference for one in sold)
    assert set(times.values()) <= {1}, f"bought twice: {times}"
    assert set(times) <= {order.public_id for order in orders}, "sold, and nobody ordered it"
    may_have_come = Counter(Submission.objects.exclude(outcome="not_sent").values_list("order", flat=True))
    assert set(may_have_come.values()) <= {1}, f"may have been sent twice: {may_have_come}"


def each_state_is_true(sold: list[Sold], orders: list[Order]) -> None:
    """What was sold is bought or being asked for; what we sent and call bought was sold, at the price booked."""
    known = {one.reference: one for one in sold}
    for order in orders:
        bought = known.get(order.public_id)
        if bought is not None:
            assert order.state in UNSURE | BOUGHT | {State.MARKET_CANCELLED}, f"{order} is {order.state}, and was sold"
            assert bought.listing == order.listing.external_id
        elif order.way == Way.PARTNER_API:
            assert order.state not in BOUGHT, f"{order} is {order.state}, and was not sold"
        if bought is not None and order.state in BOUGHT and order.paid is not None:
            assert order.paid == bought.paid


def no_thing_has_two_orders(orders: list[Order]) -> None:
    """One live order of a person for a listing."""
    live = Counter((order.user_id, order.listing_id) for order in orders if order.state in LIVE)
    assert set(live.values()) <= {1}


def money_is_where_the_states_say(orders: list[Order]) -> None:
    """Held exactly where a purchase may come, spent exactly where there is one, within limits, and entries agree."""
    for scope in Scope.objects.all():
        assert scope.limit is None or scope.held + scope.spent <= scope.limit + scope.overrun, scope
    assert recount(Scope.objects.all()) == []
    for order in orders:
        for scope, held, spent in _movements(order):
            units = scope.measure == "units"
            cost = order.price_max if order.paid is None else order.paid
            assert held == (order.state in HELD) * (1 if units else order.price_max), f"{order}, {scope}: held {held}"
            if order.state != State.MARKET_CANCELLED:
                assert spent == (order.state in BOUGHT) * (1 if units else cost), f"{order}, {scope}: spent {spent}"


def no_more_things_than_wanted(sold: list[Sold], orders: list[Order]) -> None:
    """Of what a budget wants so many of, no more are bought or may come, under whatever ids they are sold.

    ``overrun`` is what was found late, or wanted no more when it was held already.
    """
    references = {one.reference for one in sold}
    there = {one.pk for one in orders if one.state in HELD | BOUGHT or _is_kept(one, references)}
    for scope in Scope.objects.filter(measure=Measure.UNITS).exclude(limit=None):
        counted = set(LedgerEntry.objects.filter(scope=scope).values_list("order", flat=True))
        most = (scope.limit or 0) + scope.overrun
        assert len(counted & there) <= most, f"{scope}: {len(counted & there)} things where {most} are wanted"


def _is_kept(order: Order, references: set[str]) -> bool:
    return order.public_id in references and order.state != State.MARKET_CANCELLED


def _movements(order: Order) -> list[tuple[Scope, int, int]]:
    """Of each counter that an order touched: what it holds and what it has spent there."""
    sums: dict[Scope, Counter[str]] = {}
    for entry in LedgerEntry.objects.filter(order=order).select_related("scope"):
        sums.setdefault(entry.scope, Counter())[entry.kind] += entry.amount
    return [
        (
            scope,
            by[Entry.HOLD] - by[Entry.RELEASE] - by[Entry.SPEND],
            by[Entry.SPEND] + by[Entry.BOOK] - by[Entry.REFUND],
        )
        for scope, by in sums.items()
    ]


def nothing_is_sent_without_leave(orders: list[Order]) -> None:
    """Each try had its money held, its price is the one that was decided on, and a person's approval was of what was
    shown; a dry run has none.
    """
    for order in orders:
        tries = list(order.submissions.all())
        if not tries:
            continue
        assert order.mode != Mode.DRY_RUN, f"{order} is a dry run"
        assert LedgerEntry.objects.filter(order=order, kind=Entry.HOLD).exists(), f"{order} was sent on no money"
        assert all(_fits(one, order) for one in tries), f"{order} was sent for more than was allowed"
        decided = [step for step in order.history.all() if step.verb in {Verb.APPROVE, Verb.MAKE_READY}]
        assert len(decided) == 1, f"{order} was decided on {len(decided)} times"
        shown = decided[0].evidence.get("shown", order.shown)
        assert decided[0].verb == Verb.MAKE_READY or shown == order.shown, f"{order} is not what was approved"


def _fits(one: Submission, order: Order) -> bool:
    seen: Any = one.evidence.get("seen", {}).get("price")
    reached = one.committing_at is not None and isinstance(seen, int)
    return one.price_cap <= order.price_max and (not reached or seen <= one.price_cap)


def no_outcome_is_lost(orders: list[Order]) -> None:
    """Whatever may have been sent and is not known has its one open question, and a time at which it is asked."""
    for order in orders:
        if order.state in {State.SUBMITTING, State.UNKNOWN}:
            assert order.ask_at is not None, f"nobody will ask for {order}"
            assert order.submissions.filter(epoch=order.epoch).exists(), f"nothing is known of {order}"


def no_cancelling_is_sent_twice_or_lost() -> None:
    """At most one request that may have come for an order, none before it was bought, and one under way has its end."""
    may_have_come = Counter(Cancellation.objects.exclude(outcome="not_sent").values_list("order", flat=True))
    assert set(may_have_come.values()) <= {1}, f"may have been asked to be cancelled twice: {may_have_come}"
    for one in Cancellation.objects.select_related("order"):
        assert one.order.state in BOUGHT | {State.MARKET_CANCELLED}, f"{one.order} was to be cancelled, and not bought"
        begun = one.send_deadline is not None and one.begun_at is not None
        assert begun or one.outcome in {"asked", "not_sent"}, f"nobody knows when {one} was sent"

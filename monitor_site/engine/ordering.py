"""Orders and those who hear of them: purchasing decides, alerts tells, and neither knows the other."""

from collections.abc import Collection, Iterable
from datetime import datetime

from monitor_site.alerts.models import AlertKind
from monitor_site.alerts.telling import SPEED_TROUBLE, Draft, publish
from monitor_site.connections import redis_client
from monitor_site.outbox import stream
from monitor_site.purchasing import (
    cancelling,
    handing,
    proposing,
    reconciling,
    renewing,
    speeding,
    submitting,
    sweeping,
)
from monitor_site.purchasing.models import FOUND_LATE, Mode, Order
from monitor_site.purchasing.transitions import State

# What its person must do, or should know: nothing else about an order is worth a message.
NOT_CANCELLED = "not_cancelled"
TOLD = frozenset(
    {
        State.AWAITING_APPROVAL,
        State.HANDED_OVER,
        State.EXPIRED,
        State.CANCELLED,
        State.SOLD_TO_OTHER,
        State.NEEDS_HUMAN,
        State.NOT_PLACED,
        State.LATE_PLACED,
        State.MARKET_CANCELLED,
        State.PLACED,
        State.REFUSED,
        State.UNKNOWN,
        NOT_CANCELLED,
    }
)
OURSELVES = frozenset(
    {proposing.RULE, handing.WORKER, submitting.SENDER, reconciling.RECONCILER, sweeping.SWEEPER, "restore", "clock"}
)


def propose(*, match_ids: Collection[int], now: datetime) -> set[int]:
    """Make proposals of matches; returns the matches that are told of as proposals. A dry run is none to anybody."""
    orders = proposing.propose(match_ids=match_ids, now=now)
    return {order.match_id for order in orders if order.match_id and order.mode != Mode.DRY_RUN}


def advance(*, order_ids: Collection[int], now: datetime) -> list[int]:
    """Take the next steps of orders; returns those that a sender takes on, which should hear of it before anybody."""
    handing.advance(order_ids=order_ids, now=now)
    orders = Order.objects.filter(pk__in=order_ids).order_by("pk")
    return [order.pk for order in orders if submitting.is_for_sender(order) or cancelling.is_for_sender(order)]


def follow_up(*, order_ids: Collection[int], now: datetime) -> None:
    """Tell the people of orders where they stand, and have what is to be looked at again, or proposed anew."""
    orders = list(Order.objects.filter(pk__in=order_ids).order_by("pk"))
    tell(orders, now=now)
    for order in orders:
        renewing.look_again(order=order, now=now)
    renewing.renew(listing_ids={order.listing_id for order in orders}, now=now)


def renew(*, listing_ids: Collection[int], now: datetime) -> None:
    """Propose again, as it stands now, what changed between the decision and the sending."""
    renewing.renew(listing_ids=listing_ids, now=now)


def tell_of_speed(order: Order, *, now: datetime) -> None:
    """Tell a person that their spending was stopped because their orders came too fast; once for each stop."""
    since = speeding.stopped_at(order.user_id)
    key = f"speed:{order.user_id}:{since:%Y%m%dT%H%M%S}"
    publish([Draft(user_id=order.user_id, kind=AlertKind.TROUBLE, key=key, facts={"trouble": SPEED_TROUBLE})], now=now)


def ask_whose(*, listing_ids: Collection[int], now: datetime) -> None:
    """Ask the people of sold listings that were handed over to them whether it was them."""
    asked = handing.ask_whose(listing_ids=listing_ids, now=now)
    orders = list(Order.objects.filter(pk__in=asked))
    publish([_draft(order, "whose") for order in orders], now=now)
    _show(orders)


def tell(orders: Iterable[Order], *, now: datetime) -> None:
    """Tell of where these orders stand, once for each state."""
    rows = list(orders)
    said = [(order, _said(order)) for order in rows if order.mode != Mode.DRY_RUN and not _is_own_doing(order)]
    publish([_draft(order, state) for order, state in said if state in TOLD], now=now)
    _show(rows)


def _said(order: Order) -> str:
    """A late find is told as such, wherever the marketplace says that it stands by now; so is what is not cancelled."""
    if cancelling.failed(order):
        return NOT_CANCELLED
    return State.LATE_PLACED if order.reason == FOUND_LATE else order.state


def _is_own_doing(order: Order) -> bool:
    """Nobody is told of what they have done themselves a moment ago."""
    last = order.history.order_by("-number").first()
    if cancelling.failed(order):
        return False
    return last is not None and last.actor not in OURSELVES


def _draft(order: Order, said: str) -> Draft:
    return Draft(
        user_id=order.user_id,
        kind=AlertKind.ORDER,
        key=f"order:{order.pk}:{said}",
        listing_id=order.listing_id,
        matches={order.match_id: order.watch_id} if order.match_id and order.watch_id else {},
        facts={"order": said, "reason": order.reason, "price": order.price_max if order.paid is None else order.paid},
        trace=order.trace,
    )


def _show(orders: Iterable[Order]) -> None:
    """Open pages hear of it as of any change of the match."""
    for order in orders:
        data = {"listing": order.listing_id}
        stream.append(redis_client(), user_id=order.user_id, event="listing", data=data)

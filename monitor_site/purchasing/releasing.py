"""What is held for orders that cannot have been placed yet is given back when its person says so, such as below a limit
that was lowered.
"""

from collections.abc import Collection
from datetime import datetime

from . import budgeting, queries
from .models import Budget, Order
from .moving import Because, Overtaken, move
from .transitions import NoSuchStep, State, Verb

# Nothing of ours is under way for these: either nobody has sent anything, or the person orders by hand.
FREE_TO_END = frozenset({State.READY, State.HANDED_OVER})
RELEASED = "released"


def can_release(order: Order) -> bool:
    """Whether its person can end it, and free what is held for it."""
    return order.state in FREE_TO_END


def could_fit(budget: Budget, *, now: datetime) -> bool:
    """Whether more is held or spent than its limits allow, and ending orders would change that."""
    return bool(budgeting.overrun_of(budget, now=now)) and any(map(can_release, queries.holders_of(budget)))


def release(*, orders: Collection[Order], actor: str, now: datetime) -> list[Order]:
    """End these; returns those that were. What went out meanwhile, or is over, stays as it is."""
    return [order for order in orders if can_release(order) and _ended(order, actor, now)]


def _ended(order: Order, actor: str, now: datetime) -> bool:
    try:
        move(order=order, verb=Verb.CANCEL, because=Because(actor=actor, fields={"reason": RELEASED}), now=now)
    except (Overtaken, NoSuchStep):
        return False
    return True

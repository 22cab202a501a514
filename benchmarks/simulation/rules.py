"""What must hold after every act of a story, and at its end. The letters are those of the design's invariants."""

from collections import Counter
from datetime import timedelta
from typing import TYPE_CHECKING

from monitor_site.purchasing.transitions import BOUGHT, HELD, State

from .market import MOST_LAG

if TYPE_CHECKING:
    from .story import Story

UNIT = 1000


class Broken(AssertionError):
    """An invariant does not hold."""


def demand(holds: bool, what: str) -> None:
    """Raise :class:`Broken` unless it holds."""
    if not holds:
        raise Broken(what)


def is_bought(story: "Story", name: str) -> bool:
    """Whether the marketplace has a purchase that an order of ours caused."""
    return any(one.order == name for rows in story.market.sold.values() for one in rows)


def _is_hidden(story: "Story", name: str) -> bool:
    """Whether its purchase is shown later than its plugin says that it may be."""
    return any(one.order == name and one.lag > MOST_LAG for rows in story.market.sold.values() for one in rows)


def always(story: "Story") -> None:
    """After every act."""
    picture = story.book.picture()
    orders = {name: (State(state), reference, late) for name, (state, reference, late) in picture["orders"].items()}
    _sent_once(story)
    _one_live_order(story, orders)
    _money(story, orders, picture["money"])
    _things(story, orders, picture["things"])
    _nothing_released(story, orders)
    demand(not any(stopped for _name, stopped in story.begun), "M9: submitted after the kill switch")


def _sent_once(story: "Story") -> None:
    sent = Counter[str]()
    for (name, _epoch), count in story.sent.items():
        sent[name] += count
    demand(max(sent.values(), default=0) <= 1, "M1: sent more than once")
    caused = Counter(one.order for rows in story.market.sold.values() for one in rows if one.order)
    demand(max(caused.values(), default=0) <= 1, "M1: bought more than once")


def _one_live_order(story: "Story", orders: dict) -> None:
    live = Counter(story.homes[name][0] for name, (state, _r, late) in orders.items() if _is_live(state) and not late)
    demand(max(live.values(), default=0) <= 1, "M2: two live orders of one listing")


def _is_live(state: State) -> bool:
    return state in HELD | BOUGHT | {State.PROPOSED, State.AWAITING_APPROVAL}


def _money(story: "Story", orders: dict, money: tuple[int, int, int]) -> None:
    held, spent, overrun = money
    demand(held + spent <= story.book.limit + overrun, "M4: more held and spent than there is")
    demand(held == UNIT * sum(state in HELD for state, _r, _l in orders.values()), "M5: held is not what is under way")
    bought = sum(state in BOUGHT for state, _r, _l in orders.values())
    demand(spent == UNIT * bought, "M5: spent is not what was bought")
    late = any(late for _s, _r, late in orders.values())
    demand(not overrun or late, "M4: above the limit without a late find")


def _things(story: "Story", orders: dict, things: tuple[int, int, int]) -> None:
    """M3: every listing of a story is the same thing under another id, and so many of it are wanted."""
    held, got, overrun = things
    late = sum(late for _s, _r, late in orders.values())
    demand(held + got <= story.book.units + overrun, "M3: more things held and bought than are wanted")
    demand(overrun <= late, "M3: a thing too many that nobody found late")
    counted = (sum(s in HELD for s, _r, _l in orders.values()), sum(s in BOUGHT for s, _r, _l in orders.values()))
    demand((held, got) == counted, "M5: things are not what the orders say")
    free = {State.MARKET_CANCELLED, State.NOT_PLACED}
    owned = [name for name, (state, _r, _l) in orders.items() if state not in free and is_bought(story, name)]
    demand(len(owned) <= story.book.units + late, f"M3: {len(owned)} bought of {story.book.units} wanted")


def _nothing_released(story: "Story", orders: dict) -> None:
    """M6: whatever was bought is held or spent; nothing says that it was bought which was not."""
    ended = {State.MARKET_CANCELLED}
    for name, (state, _reference, _late) in orders.items():
        if is_bought(story, name):
            waits = {State.NOT_PLACED} if _is_hidden(story, name) else set()
            demand(state in HELD | BOUGHT | ended | waits, f"M6: {name} was bought, and its money is free: {state}")
        else:
            demand(state not in BOUGHT | ended, f"{name} was not bought, and counts as {state}")


def at_the_end(story: "Story") -> None:
    """After a day and a half of peace."""
    picture = story.book.picture()
    states = {state for state, _r, _l in picture["orders"].values()}
    demand(not states & {State.SUBMITTING, State.UNKNOWN, State.NEEDS_HUMAN}, f"M11: never ended: {states}")
    tied = {reference for _s, reference, _l in picture["orders"].values() if reference}
    seen = tied | picture["strays"] if story.market.lists else None
    old = story.real - timedelta(hours=1)
    for name, (state, _r, _l) in picture["orders"].items():
        demand(not (state == State.NOT_PLACED and is_bought(story, name)), f"Q6: {name} was bought, and never found")
    for rows in story.market.sold.values():
        for one in rows:
            if seen is not None and one.visible_at < old:
                demand(one.purchase.transaction_id in seen, f"M13: {one.purchase.transaction_id} is nobody's")
            demand(one.order is None or one.purchase.transaction_id not in picture["strays"], "M13: ours, and a stray")

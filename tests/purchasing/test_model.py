"""Every story of one order, by exhaustive search over the real table: crashes, stalls, lost and late replies.

The marketplace sells without end and knows no key, so whatever is sent twice is bought twice. The kernel ends whoever
sends at the deadline; the purchase list may lag behind for a while.
"""

from collections import deque
from typing import NamedTuple

import pytest

from monitor_site.purchasing.transitions import BOUGHT, EDGES, HELD, Edge, Money, State, Verb

TRIES = 3


class World(NamedTuple):
    """The order, the requests on their way, what was bought and what is held, and how much time has passed."""

    state: State = State.READY
    epoch: int = 0
    on_its_way: int = 0
    bought: int = 0
    listed: int = 0
    held: int = 1
    spent: int = 0
    fenced: bool = False


def step(world, verb, edges):
    """The same world after a step of the order."""
    way = edges[world.state, verb]
    held = world.held + {Money.RELEASE: -1, Money.SPEND: -1}.get(way.money, 0)
    spent = world.spent + {Money.SPEND: 1, Money.BOOK: 1}.get(way.money, 0)
    return world._replace(state=way.to, held=held, spent=spent)


def the_marketplace(world):
    """A request arrives, or is lost for ever; a purchase shows in the list sooner or later."""
    if world.on_its_way:
        yield world._replace(on_its_way=world.on_its_way - 1, bought=world.bought + 1)
        yield world._replace(on_its_way=world.on_its_way - 1)
    if world.listed < world.bought:
        yield world._replace(listed=world.listed + 1)


def time(world, lag):
    """The deadline passes: whoever was about to send is dead. The list has caught up by then, unless it lags longer."""
    if not world.fenced:
        yield world._replace(fenced=True, on_its_way=0, listed=world.listed if lag else world.bought)


def policy(world, edges):
    """What our own code may do, as far as the table lets it."""
    for verb, may, after in chances(world):
        if may and (world.state, verb) in edges:
            yield step(world, verb, edges)._replace(**after)


def chances(world):
    """Verb, when our code takes it, and what else changes."""
    lost, asked = world.state == State.SUBMITTING, world.state in {State.UNKNOWN, State.NEEDS_HUMAN}
    sending = {"epoch": world.epoch + 1, "on_its_way": world.on_its_way + 1, "fenced": False}
    yield Verb.SUBMIT, world.epoch < TRIES, sending
    yield Verb.LOSE_SIGHT, True, {}
    yield Verb.PLACE, (lost and world.bought) or (asked and world.listed), {}
    # Nothing had left when the sender gave up; or a table that lets an unknown outcome be sent again.
    yield Verb.SEND_NOTHING, lost and world.on_its_way, {"on_its_way": world.on_its_way - 1}
    yield Verb.SEND_NOTHING, not lost, {}
    yield Verb.RULE_OUT, not world.listed and world.fenced, {}
    yield Verb.GIVE_TO_PERSON, True, {}
    yield Verb.FIND_LATE, world.listed, {}


def wrong(world):
    """What must never be."""
    if world.bought > 1:
        return "bought twice"
    if world.bought > world.held + world.spent and world.state != State.NOT_PLACED:
        return "bought without money"
    if world.held + world.spent > 1:
        return "more held and spent than there is"
    if world.state in BOUGHT and not world.bought:
        return "says it was bought"
    return ""


def explore(edges, *, lag):
    """Every world there can be, and what is wrong in any of them."""
    seen, open_ones, faults = {World()}, deque([World()]), set()
    while open_ones:
        world = open_ones.popleft()
        faults |= {wrong(world)} - {""}
        following = [*the_marketplace(world), *time(world, lag), *policy(world, edges)]
        if not following and world.bought and world.state not in BOUGHT:
            faults.add("ends without its purchase")
        for after in following:
            if after not in seen:
                seen.add(after)
                open_ones.append(after)
    return seen, faults


@pytest.mark.parametrize("lag", [False, True])
def test_no_story_buys_twice_spends_without_money_or_loses_a_purchase(lag):
    seen, faults = explore(EDGES, lag=lag)
    assert len(seen) > 40
    assert faults == set()


def test_a_table_that_sends_again_after_an_unknown_outcome_is_caught():
    _seen, faults = explore(dict(EDGES) | {(State.UNKNOWN, Verb.SEND_NOTHING): Edge(State.READY)}, lag=False)
    assert "bought twice" in faults


def test_a_table_that_releases_while_a_purchase_may_come_is_caught():
    broken = dict(EDGES) | {(State.SUBMITTING, Verb.LOSE_SIGHT): Edge(State.UNKNOWN, Money.RELEASE)}
    _seen, faults = explore(broken, lag=False)
    assert "bought without money" in faults


def test_a_table_without_the_sweep_is_caught():
    broken = {key: way for key, way in EDGES.items() if key[1] != Verb.FIND_LATE}
    _seen, faults = explore(broken, lag=True)
    assert "ends without its purchase" in faults


def test_money_is_held_in_every_state_that_a_purchase_may_come_to():
    seen, _faults = explore(EDGES, lag=True)
    assert all(world.held for world in seen if world.state in HELD)

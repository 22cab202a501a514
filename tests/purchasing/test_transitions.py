"""The table of states holds what is promised about money, whatever path an order takes."""

from itertools import pairwise

import pytest

from monitor_site.purchasing.transitions import (
    ASKING,
    BOUGHT,
    EDGES,
    ENDED,
    HELD,
    LIVE,
    Edge,
    Money,
    NoSuchStep,
    State,
    Verb,
    edge,
)  # fmt: skip


def paths(edges, *, longest=14):
    """Every path from a proposal that visits no step twice."""
    found, open_ones = [], [((State.PROPOSED,), ())]
    while open_ones:
        states, steps = open_ones.pop()
        found.append((states, steps))
        for (before, verb), way in edges.items():
            if before == states[-1] and (before, verb) not in steps and len(steps) < longest:
                open_ones.append(((*states, way.to), (*steps, (before, verb))))
    return found


def balance(states, steps, edges):
    """What a path leaves held and spent."""
    held = spent = 0
    for (before, verb), _after in zip(steps, states[1:], strict=True):
        money = edges[before, verb].money
        held += {Money.HOLD: 1, Money.RELEASE: -1, Money.SPEND: -1}.get(money, 0)
        spent += {Money.SPEND: 1, Money.BOOK: 1, Money.REFUND: -1}.get(money, 0)
    return held, spent


def test_every_state_can_be_reached_and_every_verb_is_used():
    reached = {way.to for way in EDGES.values()} | {State.PROPOSED}
    assert reached == set(State)
    assert {verb for _state, verb in EDGES} == set(Verb)


def test_states_are_of_one_sort():
    assert set(State) == ASKING | HELD | BOUGHT | ENDED
    assert LIVE.isdisjoint(ENDED)


def test_money_is_held_exactly_where_a_purchase_may_come_and_spent_exactly_where_one_is():
    for states, steps in paths(EDGES):
        held, spent = balance(states, steps, EDGES)
        assert held == (states[-1] in HELD), states
        assert spent == (states[-1] in BOUGHT), states


def test_nothing_leads_back_to_where_it_could_be_sent_again():
    after_sending = {State.UNKNOWN, State.NEEDS_HUMAN, State.NOT_PLACED, State.LATE_PLACED} | BOUGHT
    for states, _steps in paths(EDGES):
        sent = False
        for before, after in pairwise(states):
            sent |= before in after_sending
            assert not (sent and after in {State.READY, State.SUBMITTING, State.HANDED_OVER}), states


def test_unknown_money_is_released_only_by_ruling_a_purchase_out():
    releases = {verb for (state, verb), way in EDGES.items() if state == State.UNKNOWN and way.money == Money.RELEASE}
    assert releases == {Verb.RULE_OUT}


def test_a_verb_that_leads_nowhere_is_refused():
    with pytest.raises(NoSuchStep):
        edge(State.UNKNOWN, Verb.SUBMIT)


def test_the_checks_notice_an_edge_that_sends_again():
    broken = dict(EDGES) | {(State.UNKNOWN, Verb.SEND_NOTHING): Edge(State.READY)}
    assert any(
        State.UNKNOWN in states and State.READY in states[states.index(State.UNKNOWN) :] for states, _ in paths(broken)
    )

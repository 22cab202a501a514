"""Stories of orders told by chance: what must hold holds after every act, and a broken build is caught."""

import os

import pytest
from django.db import transaction

from benchmarks.simulation.memory import Memory
from benchmarks.simulation.rows import Rows
from benchmarks.simulation.run import story_of, tell_many, wants_of
from benchmarks.simulation.story import START, Story
from monitor_site.purchasing.transitions import EDGES, Edge, Money, State, Verb

STORIES = 10_000 if os.environ.get("SLOW") else 2_000
BROKEN = {
    "a way from unknown back to ready": {
        "edges": dict(EDGES) | {(State.UNKNOWN, Verb.SEND_NOTHING): Edge(State.READY)}
    },
    "money released when sight is lost": {
        "edges": dict(EDGES) | {(State.SUBMITTING, Verb.LOSE_SIGHT): Edge(State.UNKNOWN, Money.RELEASE)}
    },
    "a lost answer taken for a refusal": {"careless": frozenset({"release"})},
    "silence taken for a no": {"careless": frozenset({"silence"})},
    "a switch that nobody looks at": {"careless": frozenset({"switch"})},
    "no sweep": {"careless": frozenset({"sweep"})},
    "a request sent again": {"resends": True},
    "things that nobody counts": {"careless": frozenset({"things"})},
}


def test_whatever_happens_in_whatever_order_the_invariants_hold():
    broken, acts, ends = tell_many(range(STORIES), acts=60)
    assert broken == {}
    assert acts > 80 * STORIES
    assert {"placed", "not_placed", "late_placed", "market_cancelled", "refused", "received", "paid"} <= set(ends)


@pytest.mark.parametrize("what", sorted(BROKEN))
def test_a_build_that_is_broken_on_purpose_is_caught(what):
    broken, _acts, _ends = tell_many(range(400), acts=60, **BROKEN[what])
    assert broken


def test_a_story_is_the_same_whenever_its_seed_is_told_again():
    told = [story_of(17), story_of(17)]
    for story in told:
        story.tell(acts=60)
    assert told[0].told == told[1].told
    assert told[0].book.picture() == told[1].book.picture()


@pytest.mark.django_db
@pytest.mark.usefixtures("redis")
@pytest.mark.parametrize("seed", range(200) if os.environ.get("SLOW") else range(6))
def test_the_services_with_their_rows_take_the_same_steps_as_the_orders_in_memory(alice, seed):
    pictures, told = [], []
    for book in (Memory(**wants_of(seed)), Rows(alice, START, **wants_of(seed))):
        with transaction.atomic():
            seen = []
            story = Story(seed=seed, book=book)
            story.tell(acts=60, watch=lambda one, seen=seen: seen.append(one.book.picture()))
            pictures.append(seen)
            told.append(story.told)
    assert told[0] == told[1]
    for act, (memory, rows) in enumerate(zip(*pictures, strict=True)):
        assert memory == rows, f"seed {seed}, act {act}: {told[0][act]}"

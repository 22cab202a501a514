"""What crosses: from what was remembered and what is seen to what is told, as a table and as laws."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor_site.watches.triggers import Memory, State, Triggers, begin, evaluate, from_plain, to_plain
from tests.watches.moments import NOON

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)
EVERY = Triggers(
    fall_percent=10, fall_amount=3_000, limit=42_000, lowest_days=30, rise_percent=20, rise_amount=9_000, back=True,
    ends_within=HOUR,
)  # fmt: skip


def state(price: int | None = 48_000, **changes: Any) -> State:
    return replace(State(at=NOON, price=price, on_sale=True), **changes)


def crossed(triggers: Triggers, *states: State) -> list[tuple[str, ...]]:
    """What every look after the first one told."""
    memory, told = begin(triggers, states[0]).memory, []
    for one in states[1:]:
        found = evaluate(triggers, from_plain(to_plain(memory)), one)
        memory = found.memory
        told.append(found.crossed)
    return told


def prices(triggers: Triggers, *seen: int | None) -> list[tuple[str, ...]]:
    return crossed(triggers, *(state(price) for price in seen))


@pytest.mark.parametrize(
    ("triggers", "seen", "told"),
    [
        ({"fall_percent": 10}, [48_000, 43_201], [()]),
        ({"fall_percent": 10}, [48_000, 43_200], [("fall_percent",)]),
        ({"fall_percent": 10}, [48_000, 43_000, 43_000, 43_000], [("fall_percent",), (), ()]),
        ({"fall_percent": 10}, [48_000, 46_000, 44_000, 43_000], [(), (), ("fall_percent",)]),
        ({"fall_percent": 10}, [48_000, 43_000, 38_000], [("fall_percent",), ("fall_percent",)]),
        ({"fall_percent": 10}, [48_000, 43_000, 39_000], [("fall_percent",), ()]),
        ({"fall_percent": 10}, [48_000, 43_000, 48_000, 43_000], [("fall_percent",), (), ()]),
        ({"fall_amount": 3_000}, [48_000, 45_001, 45_000], [(), ("fall_amount",)]),
        ({"fall_amount": 50_000}, [48_000, 1], [()]),
        ({"limit": 42_000}, [48_000, 42_001, 42_000, 41_000], [(), ("limit",), ()]),
        ({"limit": 42_000}, [48_000, 41_000, 43_000, 42_000], [("limit",), (), ("limit",)]),
        ({"limit": 42_000}, [41_000, 40_000], [()]),
        ({"rise_percent": 20}, [48_000, 57_599, 57_600], [(), ("rise_percent",)]),
        ({"rise_amount": 1_000}, [48_000, 49_000, 49_000, 50_000], [("rise_amount",), (), ("rise_amount",)]),
        ({"fall_percent": 10, "rise_percent": 10}, [48_000, 43_000, 48_000], [("fall_percent",), ("rise_percent",)]),
        ({"fall_percent": 10}, [48_000, None, 43_000], [(), ("fall_percent",)]),
        ({"fall_percent": 10}, [None, 48_000, 43_000], [(), ("fall_percent",)]),
        ({"limit": 42_000}, [48_000, 41_000, None, 41_000], [("limit",), (), ()]),
        ({"fall_percent": 0, "limit": 0, "rise_amount": None}, [48_000, 1, 99_000], [(), ()]),
        ({}, [48_000, 1], [()]),
    ],
)
def test_a_price_crosses_once_on_its_way(triggers: Any, seen: Any, told: Any) -> None:
    assert prices(Triggers(**triggers), *seen) == told


def test_what_crosses_together_is_named_by_its_most_telling_kind() -> None:
    memory = begin(EVERY, state(low=48_000)).memory
    found = evaluate(EVERY, memory, state(41_000, low=44_000))
    assert found.crossed == ("fall_percent", "fall_amount", "limit", "lowest")
    assert found.kinds == ["fall", "limit", "lowest"]
    first, *others = found.verdicts
    assert (first["rule"], first["saw"], first["wanted"], first["words"]) == (
        "fall_percent", "41000", "10", ["48000", "began"]
    )  # fmt: skip
    assert {one["rule"]: one["verdict"] for one in others} == {
        "fall_amount": "pass", "limit": "pass", "lowest": "pass", "rise_percent": "fail", "rise_amount": "fail",
        "back": "pass", "ending": "unknown",
    }  # fmt: skip


def test_the_next_fall_is_measured_from_the_one_that_was_told() -> None:
    triggers = Triggers(fall_percent=10)
    memory = evaluate(triggers, begin(triggers, state()).memory, state(43_000)).memory
    assert (memory.began, memory.base, memory.holding) == (48_000, 43_000, frozenset())
    assert evaluate(triggers, memory, state(38_000)).verdicts[0]["words"] == ["43000", "told"]


def test_the_lowest_price_is_said_only_where_enough_days_are_known() -> None:
    triggers = Triggers(lowest_days=30)
    known = [state(), state(47_000, low=48_000), state(47_000, low=48_000), state(46_000, low=47_000)]
    assert crossed(triggers, *known) == [("lowest",), (), ("lowest",)]
    assert crossed(triggers, state(), state(47_000, low=None)) == [()]
    assert evaluate(triggers, begin(triggers, state()).memory, state(47_000)).verdicts[0]["verdict"] == "unknown"


def test_a_price_that_stays_is_not_told_when_a_lower_one_leaves_the_days() -> None:
    assert crossed(Triggers(lowest_days=30), state(47_000, low=44_000), state(47_000, low=48_000)) == [()]


def test_back_on_sale_is_told_on_the_way_back_alone() -> None:
    gone, unknown = state(on_sale=False), state(on_sale=None)
    assert crossed(Triggers(back=True), state(), gone, unknown, state(), state()) == [(), (), ("back",), ()]
    assert crossed(Triggers(back=True), state(), unknown, state()) == [(), ()]
    assert crossed(Triggers(), state(), gone, state()) == [(), ()]


def test_the_price_of_what_is_not_to_be_had_tells_nothing() -> None:
    sold = state(20_000, on_sale=False)
    assert crossed(EVERY, state(), sold, state()) == [(), ("back",)]


def test_an_end_comes_near_once_and_again_when_it_moved_away() -> None:
    end = NOON + 2 * HOUR
    looks = [state(at=NOON + minutes * MINUTE, ends_at=end) for minutes in (0, 59, 60, 90, 119, 120, 121)]
    assert crossed(Triggers(ends_within=HOUR), *looks) == [(), ("ending",), (), (), (), ()]
    moved = [*looks[:3], state(at=NOON + 61 * MINUTE, ends_at=end + HOUR), state(at=NOON + 3 * HOUR - MINUTE,
             ends_at=end + HOUR)]  # fmt: skip
    assert crossed(Triggers(ends_within=HOUR), *moved) == [(), ("ending",), (), ("ending",)]
    assert crossed(Triggers(ends_within=HOUR), state(), state()) == [()]


def test_the_first_look_says_what_is_so_already_and_remembers_it() -> None:
    found = begin(EVERY, state(40_000, ends_at=NOON + MINUTE))
    assert found.crossed == ("limit", "ending")
    assert crossed(EVERY, state(40_000), state(40_000)) == [()]
    assert begin(EVERY, state(40_000, on_sale=False)).crossed == ()
    assert begin(EVERY, state(None)).crossed == ()


PRICES = st.lists(st.none() | st.integers(1, 200_000), min_size=2, max_size=12)
TRIGGERS = st.builds(
    Triggers,
    fall_percent=st.none() | st.integers(1, 99),
    fall_amount=st.none() | st.integers(1, 100_000),
    limit=st.none() | st.integers(1, 200_000),
    rise_percent=st.none() | st.integers(1, 300),
    rise_amount=st.none() | st.integers(1, 100_000),
)


@given(TRIGGERS, PRICES)
def test_nothing_is_told_twice_in_a_row_nor_of_an_unknown_price(triggers: Triggers, seen: list[int | None]) -> None:
    doubled = [price for price in seen for _ in range(2)]
    told = prices(triggers, *doubled)
    assert not any(told[0::2])
    assert not any(rules for rules, price in zip(told, doubled[1:], strict=True) if price is None)


@given(TRIGGERS, PRICES)
def test_an_unknown_price_in_between_changes_nothing(triggers: Triggers, seen: list[int | None]) -> None:
    known = [48_000, *(price for price in seen if price is not None)]
    with_gaps = [48_000, *(price for one in known[1:] for price in (None, one))]
    assert prices(triggers, *known) == prices(triggers, *with_gaps)[1::2]


@given(TRIGGERS, PRICES)
def test_what_is_told_is_true_and_what_is_off_is_never_told(triggers: Triggers, seen: list[int | None]) -> None:
    memory = begin(triggers, state(seen[0])).memory
    for price in seen[1:]:
        found = evaluate(triggers, memory, state(price))
        for rule in found.crossed:
            base, wish = memory.base, getattr(triggers, rule)
            assert price is not None
            assert wish
            if rule == "limit":
                assert price <= wish
            else:
                assert base is not None
                assert (price < base) is rule.startswith("fall")
        memory = found.memory
    assert memory == from_plain(to_plain(memory))
    assert from_plain({}) == Memory()

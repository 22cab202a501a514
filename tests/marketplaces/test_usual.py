"""An answer is compared with what was usual of its question: doubted rightly, and never wrongly."""

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from monitor_site.contract import (
    Condition,
    Kind,
    LayoutChanged,
    Money,
    SearchPage,
    Seller,
    Shipping,
    Sighting,
    SuspectStale,
)
from monitor_site.marketplaces.gateway import History, remembered
from monitor_site.marketplaces.usual import BITS, BUSY, STILL, StaleTop, Usual, compare

from .asking import Ask, pages
from .loopback import sighting

TELLS = frozenset({"price", "seller", "images", "created", "condition", "shipping", "ends_at", "bids", "buy_now"})
NOBODY = Usual()


def full(n: int, **changes: Any) -> Sighting:
    """A row that carries all that searches of this marketplace tell."""
    usual = {
        "price": Money(amount=1000 + n, currency="JPY"),
        "seller": Seller(id=f"s{n}"),
        "images": ("https://pictures.bazaar.example/1.jpg",),
        "created": datetime(2026, 5, 1, tzinfo=UTC),
        "condition": Condition.GOOD,
        "shipping": Shipping.INCLUDED,
    }
    return sighting(f"b{n}", **(usual | changes))


def rows(count: int, **changes: Any) -> SearchPage:
    return SearchPage(sightings=tuple(full(n, **changes) for n in range(count)))


def auctions(count: int, **changes: Any) -> SearchPage:
    ends = {"kind": Kind.AUCTION, "ends_at": datetime(2026, 5, 2, tzinfo=UTC), "bids": 0}
    return rows(count, **(ends | changes))


# -- a field that is gone -----------------------------------------------------------------------------------------

GONE: dict[str, Any] = {
    "seller": None,
    "images": (),
    "created": None,
    "condition": Condition.UNKNOWN,
    "shipping": Shipping.UNKNOWN,
}


@pytest.mark.parametrize("name", GONE)
def test_a_field_that_all_rows_had_and_none_has_is_named(name: str) -> None:
    before = compare(rows(10), NOBODY, tells=TELLS)

    with pytest.raises(LayoutChanged, match=f"{name} gone from all of 12 rows"):
        compare(rows(12, **{name: GONE[name]}), before, tells=TELLS)


@pytest.mark.parametrize("name", ["ends_at", "bids"])
def test_what_only_auctions_have_is_judged_among_auctions(name: str) -> None:
    before = compare(auctions(10), NOBODY, tells=TELLS)

    compare(rows(30), before, tells=TELLS)
    with pytest.raises(LayoutChanged, match=f"{name} gone from all of 10 rows"):
        compare(auctions(10, **{name: None}), before, tells=TELLS)


def test_a_field_that_one_row_still_has_is_not_gone() -> None:
    before = compare(rows(10), NOBODY, tells=TELLS)
    page = rows(10, seller=None)
    compare(replace(page, sightings=(*page.sightings, full(99))), before, tells=TELLS)


def test_a_field_that_too_few_rows_had_is_not_missed() -> None:
    mixed = SearchPage(sightings=(*rows(7).sightings, *rows(3, seller=None).sightings))
    before = compare(mixed, NOBODY, tells=TELLS)

    assert "seller" not in before.told
    compare(rows(10, seller=None), before, tells=TELLS)


def test_a_field_that_the_plugin_no_longer_promises_is_not_missed() -> None:
    before = compare(rows(10), NOBODY, tells=TELLS)
    compare(rows(10, seller=None), before, tells=TELLS - {"seller"})


def test_what_an_honest_row_may_lack_is_never_missed() -> None:
    before = compare(rows(10, buy_now=Money(amount=9, currency="JPY")), NOBODY, tells=TELLS)
    compare(rows(10, buy_now=None), before, tells=TELLS)


# -- one same price -----------------------------------------------------------------------------------------------

SAME = Money(amount=500, currency="JPY")


def test_one_price_everywhere_where_prices_differed_is_refused() -> None:
    before = compare(rows(3), NOBODY, tells=TELLS)

    with pytest.raises(LayoutChanged, match="one same price in all of 10 rows"):
        compare(rows(10, price=SAME), before, tells=TELLS)


def test_one_price_everywhere_is_believed_where_it_was_so_before() -> None:
    before = compare(rows(10, price=SAME), NOBODY, tells=TELLS)
    compare(rows(10, price=SAME), before, tells=TELLS)
    compare(rows(2), before, tells=TELLS)


@pytest.mark.parametrize("page", [rows(9, price=SAME), rows(10, price=None), rows(11)])
def test_few_rows_unknown_prices_and_different_ones_are_believed(page: SearchPage) -> None:
    compare(page, compare(rows(10), NOBODY, tells=TELLS), tells=TELLS)


# -- a top that stands still --------------------------------------------------------------------------------------


def checks(tops: Sequence[int]) -> Iterator[bool]:
    """For each check, whether it was doubted; what was remembered goes through JSON as in the database."""
    stored: Any = {}
    for top in tops:
        page = SearchPage(sightings=(sighting(f"b{top}"),))
        try:
            stored = compare(page, Usual.of(stored), tells=TELLS).stored()
            yield False
        except StaleTop as error:
            stored = error.usual.stored()
            yield True
        stored = json.loads(json.dumps(stored))


BUSY_TIME = list(range(BUSY + 1))


def test_a_busy_search_that_stands_still_is_doubted_from_the_twelfth_check_on() -> None:
    doubted = list(checks([*BUSY_TIME, *[BUSY] * (STILL + 3)]))
    assert doubted == [False] * (BUSY + STILL) + [True] * 4


def test_one_quiet_check_in_the_busy_time_is_enough_for_no_doubt() -> None:
    tops = [*range(15), 14, *range(15, 20), *[19] * 40]
    assert not any(checks(tops))


def test_doubt_ends_with_the_first_new_listing() -> None:
    doubted = list(checks([*BUSY_TIME, *[BUSY] * 15, 99, 99, 100]))
    assert doubted[-4:] == [True, False, False, False]


def test_doubt_ends_by_itself_when_the_search_is_simply_quiet_now() -> None:
    doubted = list(checks([*BUSY_TIME, *[BUSY] * 60]))
    assert sum(doubted) == BUSY
    assert not any(doubted[-(60 - BITS) :])


def test_while_it_is_doubted_what_was_usual_stays() -> None:
    before = replace(compare(rows(10), NOBODY, tells=TELLS), top="b0", changes="1" * BUSY + "0" * (STILL - 1))

    with pytest.raises(StaleTop) as raised:
        compare(rows(2, seller=None), before, tells=TELLS)

    kept = raised.value.usual
    assert (kept.told, kept.varied, kept.top) == (before.told, before.varied, "b0")
    assert (kept.changes, kept.stale) == ("1" * BUSY + "0" * STILL, True)


def test_an_empty_page_and_a_first_one_say_nothing() -> None:
    known = Usual(top="b1", changes="1" * BUSY + "0" * (STILL - 1))
    assert compare(SearchPage(sightings=()), known, tells=TELLS) == known
    assert compare(rows(1), NOBODY, tells=TELLS).changes == ""


# -- never wrongly ------------------------------------------------------------------------------------------------


@given(st.lists(st.booleans(), max_size=120))
def test_doubt_needs_twenty_changes_and_twelve_still_checks_and_nothing_else(moved: list[bool]) -> None:
    tops = [0]
    for move in moved:
        tops.append(tops[-1] + int(move))
    bits = "".join("01"[move] for move in moved)

    for at, doubted in enumerate(checks(tops)):
        history = bits[:at].rstrip("0")
        still = at - len(history)
        assert doubted == (history.endswith("1" * BUSY) and STILL <= still < BITS)


@settings(max_examples=10, deadline=None, derandomize=True)  # chance alone could do it, once in very many
@given(seed=st.integers(), mean=st.floats(0.05, 8))
def test_no_steady_stream_is_ever_doubted(seed: int, mean: float) -> None:
    """New listings come by chance, at any rate: a thousand checks of each."""
    chance = random.Random(seed)
    tops = [0]
    for _ in range(1000):
        tops.append(tops[-1] + int(chance.expovariate(1.0) < mean))
    assert not any(checks(tops))


page_of_few = st.integers(0, 9).map(rows)


@given(page_of_few, st.sets(st.sampled_from(sorted(GONE))), st.booleans())
def test_no_small_page_is_ever_doubted(page: SearchPage, gone: set[str], same: bool) -> None:
    before = compare(rows(40), NOBODY, tells=TELLS)
    changes = {name: GONE[name] for name in gone} | ({"price": SAME} if same else {})
    compare(SearchPage(sightings=tuple(replace(row, **changes) for row in page.sightings)), before, tells=TELLS)


@given(st.builds(rows, st.integers(0, 30)), st.sampled_from(sorted(GONE)))
def test_no_first_answer_is_ever_doubted(page: SearchPage, gone: str) -> None:
    first = SearchPage(sightings=tuple(replace(row, **{gone: GONE[gone], "price": SAME}) for row in page.sightings))
    compare(first, Usual.of({}), tells=TELLS)


@given(
    st.builds(
        Usual,
        told=st.lists(st.sampled_from(sorted(TELLS))).map(tuple),
        varied=st.booleans(),
        top=st.text(max_size=9),
        changes=st.text("01", max_size=BITS),
        stale=st.booleans(),
    )
)
def test_what_is_remembered_survives_the_database(usual: Usual) -> None:
    assert Usual.of(json.loads(json.dumps(usual.stored())) | {"of a later version": 1}) == usual


# -- through the gateway ------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("_practice")
class TestAsking:
    """A search hands out what to remember, and takes it again."""

    async def test_what_was_usual_comes_back_and_is_held_against_the_next_answer(self, ask: Ask) -> None:
        found = await ask(pages(rows(12)))
        assert found.usual["told"] == []
        again = History(known=frozenset({"b0"}), usual=True, empty_streak=0, before=found.usual)

        with pytest.raises(LayoutChanged, match="one same price"):
            await ask(pages(rows(12, price=SAME)), again)

    async def test_a_doubted_top_says_what_to_remember(self, ask: Ask) -> None:
        before = Usual(top="b0", changes="1" * BUSY + "0" * (STILL - 1)).stored()
        again = History(known=frozenset({"b0"}), usual=True, empty_streak=0, before=before)

        with pytest.raises(SuspectStale) as raised:
            await ask(pages(rows(1)), again)

        kept = remembered(raised.value)
        assert kept is not None
        assert (kept["stale"], kept["changes"]) == (True, "1" * BUSY + "0" * STILL)
        assert remembered(LayoutChanged("?")) is None

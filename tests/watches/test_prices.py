"""What many prices come to: figures that no order, no unknown and no single mad price can spoil."""

import itertools
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor_site.watches.prices import (
    ENOUGH,
    bars,
    difference,
    figures_of,
    median_time,
    percentile,
    share_within,
)

PRICES = st.lists(st.integers(1, 10**9), min_size=ENOUGH, max_size=60)


@given(PRICES, st.randoms())
def test_figures_are_in_order_within_the_prices_and_do_not_hang_on_their_order(prices: list[int], chance) -> None:
    found = figures_of(prices)
    assert found is not None
    values = (found.min, found.p5, found.p25, found.median, found.p75, found.p95, found.max)
    assert list(values) == sorted(values)
    assert (found.n, found.min, found.max) == (len(prices), min(prices), max(prices))
    assert all(isinstance(value, int) for value in values)
    mixed = list(prices)
    chance.shuffle(mixed)
    assert figures_of(mixed) == found


@given(PRICES)
def test_the_median_has_as_much_above_as_below(prices: list[int]) -> None:
    found = figures_of(prices)
    assert found is not None
    assert abs(sum(price < found.median for price in prices) - sum(price > found.median for price in prices)) <= max(
        1, prices.count(found.median)
    )


@given(PRICES, st.lists(st.none(), max_size=20))
def test_unknown_prices_count_for_nothing(prices: list[int], unknown: list[None]) -> None:
    assert figures_of([*unknown, *prices]) == figures_of(prices)


@given(st.lists(st.integers(1, 10**6), max_size=ENOUGH - 1))
def test_few_prices_say_nothing(prices: list[int]) -> None:
    assert figures_of(prices) is None
    assert share_within(prices, low=1, high=10) is None
    assert bars(sold=prices, asked=[]) == []


@given(st.integers(1, 10**6), st.integers(ENOUGH, 40))
def test_equal_prices_come_to_that_price(price: int, count: int) -> None:
    found = figures_of([price] * count)
    assert found is not None
    assert {found.min, found.p25, found.median, found.p95, found.max} == {price}


def test_one_mad_price_moves_no_quartile_far_and_is_not_hidden() -> None:
    sane = list(range(1_000, 3_000, 100))
    found, with_mad = figures_of(sane), figures_of([*sane, 999_999_999])
    assert found is not None
    assert with_mad is not None
    assert (with_mad.n, with_mad.max) == (21, 999_999_999)
    assert abs(with_mad.median - found.median) <= 100
    assert abs(with_mad.p75 - found.p75) <= 100


@pytest.mark.parametrize(("percent", "price"), [(0, 10), (25, 20), (50, 30), (60, 34), (100, 50)])
def test_between_two_prices_it_is_in_proportion(percent: int, price: int) -> None:
    assert percentile([10, 20, 30, 40, 50], percent) == price


@given(st.lists(st.integers(1, 10**7), max_size=60), st.lists(st.integers(1, 10**7), max_size=60))
def test_every_price_stands_in_one_bar(sold: list[int], asked: list[int]) -> None:
    found = bars(sold=sold, asked=asked)
    if len(sold) + len(asked) < ENOUGH:
        assert found == []
        return
    assert (sum(bar.sold for bar in found), sum(bar.asked for bar in found)) == (len(sold), len(asked))
    assert len(found) <= 21
    assert all(one.high == two.low for one, two in itertools.pairwise(found))


@pytest.mark.parametrize(
    ("low", "high", "share"), [(None, 400, 50), (500, None, 50), (300, 500, 38), (None, None, None)]
)
def test_the_share_within_the_limits(low: int | None, high: int | None, share: int | None) -> None:
    assert share_within([100, 200, 300, 400, 500, 600, 700, 800], low=low, high=high) == share


def test_the_median_time_to_sell_counts_what_is_known_and_possible() -> None:
    hours = [timedelta(hours=n) for n in range(1, 10)]
    assert median_time([*hours, None, -timedelta(days=3)]) == timedelta(hours=5)
    assert median_time([*hours[:7], None]) is None


@pytest.mark.parametrize(("price", "percent"), [(48_000, -33), (71_500, 0), (80_000, 12), (1, -100)])
def test_how_far_a_price_is_from_the_median(price: int, percent: int) -> None:
    assert difference(price, 71_500) == percent

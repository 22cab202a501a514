"""Charts: what is known stands within the frame, what is not known leaves a gap, and no extreme is lost."""

import re

from hypothesis import given
from hypothesis import strategies as st

from monitor_site.watches.prices import Bar
from monitor_site.web import charts
from monitor_site.web.charts import Frame, Line, frame_of
from monitor_site.web.thinning import MOST, Point, thinned

PRICES = st.integers(min_value=1, max_value=10**12)
SHARES = st.floats(min_value=0, max_value=1, allow_nan=False)
KNOWN = st.tuples(SHARES, PRICES)
ANY = st.tuples(SHARES, st.none() | PRICES)


def in_order(points: list[Point]) -> list[Point]:
    return sorted(points, key=lambda point: point[0])


def paths(html: str, mark: str = "") -> list[str]:
    return re.findall(rf'<path class="{mark}" d="([^"]*)"', html)


def corners(path: str) -> list[tuple[float, float]]:
    """Every place of a path of moves, and of level and upright lines."""
    places, x, y = [], 0.0, 0.0
    for sign, first, second in re.findall(r"([MHV])(-?[\d.]+)(?: (-?[\d.]+))?", path):
        x = float(first) if sign in "MH" else x
        y = float(second) if sign == "M" else float(first) if sign == "V" else y
        places.append((x, y))
    return places


def line_of(points: list[Point]) -> str:
    known = [price for _, price in points if price is not None]
    html = charts.step_line(points, frame=frame_of(known), label="")
    return "".join(paths(html))


@given(st.lists(ANY, min_size=1, max_size=60).filter(lambda points: any(price for _, price in points)))
def test_every_known_price_stands_within_the_frame(points: list[Point]) -> None:
    points = in_order(points)
    known = [price for _, price in points if price is not None]
    frame = frame_of(known)
    html = charts.step_line(points, frame=frame, label="")
    spots = corners("".join(paths(html, "dot")))
    assert len(spots) == len(known)
    for x, y in [*spots, *corners("".join(paths(html)))]:
        assert 8 <= x <= 592
        assert 12 <= y <= 108
    by_price = sorted(zip(known, [y for _, y in spots], strict=True))
    assert [y for _, y in by_price] == sorted((y for _, y in by_price), reverse=True)


@given(st.lists(KNOWN, min_size=2, max_size=60))
def test_the_cheapest_stands_at_the_bottom_and_the_dearest_at_the_top(points: list[Point]) -> None:
    points = in_order(points)
    heights = [y for _, y in corners(line_of(points))]
    prices = {price for _, price in points}
    assert (min(heights), max(heights)) == ((60, 60) if len(prices) == 1 else (12, 108))


@given(st.lists(ANY, min_size=1, max_size=3_000), st.integers(min_value=10, max_value=MOST))
def test_what_is_thinned_keeps_its_ends_its_extremes_and_its_order(points: list[Point], most: int) -> None:
    points = in_order(points)
    kept = thinned(points, most=most)
    assert len(kept) <= most
    assert (kept[0], kept[-1]) == (points[0], points[-1])
    assert [point for point in kept if point not in points] == []
    assert kept == in_order(kept)
    known = [price for _, price in points if price is not None]
    if known:
        drawn = [price for _, price in kept if price is not None]
        assert (min(drawn), max(drawn)) == (min(known), max(known))
    assert any(price is None for _, price in kept) == any(price is None for _, price in points)


def test_a_spike_of_a_moment_among_thousands_is_still_drawn() -> None:
    points: list[Point] = [(at / 5_000, 1_000 + at % 7) for at in range(5_000)]
    points[2_345] = (2_345 / 5_000, 99_000)
    kept = thinned(points)
    assert len(kept) <= MOST
    assert (2_345 / 5_000, 99_000) in kept


def test_thinning_makes_no_gap_longer_than_it_was() -> None:
    points: list[Point] = [(at / 5_000, 1_000 + at % 7) for at in range(5_000)]
    points[2_000:2_010] = [(at / 5_000, None) for at in range(2_000, 2_010)]
    kept = thinned(points)
    gap = next(at for at, (_, price) in enumerate(kept) if price is None)
    after = next(share for share, price in kept[gap:] if price is not None)
    assert (kept[gap][0], after) == (0.4, 0.402)


def test_many_changes_are_a_line_without_dots() -> None:
    points: list[Point] = [(at / 61, 1_000 + at % 7) for at in range(61)]
    assert paths(charts.step_line(points, frame=Frame(low=1_000, high=1_006), label=""), "dot") == []
    assert paths(charts.step_line(points[:60], frame=Frame(low=1_000, high=1_006), label=""), "dot") != []


def test_where_no_price_is_known_the_line_has_a_gap() -> None:
    assert line_of([(0, 10), (0.25, None), (0.75, 20), (1, 20)]) == "M8.0 108.0H154.0M446.0 12.0H592.0V12.0H592"


def test_a_price_that_is_not_known_at_the_end_draws_nothing_on() -> None:
    assert line_of([(0, 10), (0.5, None)]) == "M8.0 60.0H300.0"


def test_a_gap_at_the_beginning_draws_nothing_before_the_first_price() -> None:
    assert line_of([(0, None), (0.5, 10)]) == "M300.0 60.0H592"


def test_a_line_that_lies_near_widens_the_frame_and_one_far_off_is_left_out() -> None:
    near, far = Line(price=60_000, mark="cap"), Line(price=500_000, mark="mid")
    frame = frame_of([45_000, 50_000], [near, far])
    assert (frame.low, frame.high) == (45_000, 60_000)
    html = charts.step_line([(0, 45_000), (0.5, 50_000)], frame=frame, lines=[near, far], label="")
    assert paths(html, "cap") == ["M0 12.0H600"]
    assert paths(html, "mid") == []


@given(st.lists(st.tuples(st.integers(0, 500), st.integers(0, 500)), min_size=1, max_size=21), PRICES)
def test_no_bar_leaves_the_frame_and_each_of_both_kinds_is_there(counts: list[tuple[int, int]], price: int) -> None:
    bars = [Bar(low=at * 10, high=at * 10 + 10, sold=sold, asked=asked) for at, (sold, asked) in enumerate(counts)]
    html = charts.histogram(bars, lines=[Line(price=price, mark="cap")], label="")
    for mark, place in (("bar", 0), ("ask", 1)):
        drawn = re.findall(r"M([\d.]+) 120v-([\d.]+)h([\d.]+)V120z", "".join(paths(html, mark)))
        assert len(drawn) == sum(count[place] > 0 for count in counts)
        for left, height, wide in drawn:
            assert 0 <= float(left) <= float(left) + float(wide) <= 600
            assert float(height) <= 104
    assert len(paths(html, "cap")) == (price <= bars[-1].high)


@given(st.lists(KNOWN, max_size=600), st.lists(KNOWN, max_size=600))
def test_a_scatter_holds_four_hundred_dots_at_most_all_within_the_frame(sold: list[Point], asked: list[Point]) -> None:
    frame = Frame(low=1_000, high=10**9)
    html = charts.scatter(sold=in_order(sold), asked=in_order(asked), frame=frame, lines=[], label="")
    spots = corners("".join(paths(html, "dot")))
    assert len(spots) <= MOST
    assert all(8 <= x <= 592 and 12 <= y <= 108 for x, y in spots)
    assert (
        corners("".join(paths(html, "hole")))
        == spots[: len(spots) - min(len(sold), len(thinned(in_order(sold), most=200)))]
    )


def test_a_label_is_text_whatever_stands_in_it() -> None:
    html = charts.step_line([(0, 7), (1, 7)], frame=frame_of([7]), label='"><script>')
    assert "<script>" not in html
    assert 'aria-label="&quot;&gt;&lt;script&gt;"' in html
    assert paths(html) == ["M8.0 60.0H592.0V60.0H592"]
    assert "style" not in html
    assert "fill=" not in html

"""What many prices come to. Pure: whole units of one currency in, figures out.

Nothing is cut away as an outlier: quartiles hardly feel a price that nobody in their senses pays, and a wrong cut
would be a lie. What is unknown is no price and never counts.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

ENOUGH = 8
BARS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """Percentiles of ``n`` prices, between neighbours in proportion, rounded to whole units."""

    n: int
    min: int
    p5: int
    p25: int
    median: int
    p75: int
    p95: int
    max: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """How many prices lie from ``low`` to below ``high``; the first and the last bar hold what lies beyond as well."""

    low: int
    high: int
    sold: int
    asked: int


def figures_of(prices: Iterable[int | None]) -> Figures | None:
    """The figures; ``None`` with fewer than eight known prices: they would say nothing."""
    known = sorted(price for price in prices if price is not None)
    if len(known) < ENOUGH:
        return None
    p5, p25, median, p75, p95 = (percentile(known, share) for share in (5, 25, 50, 75, 95))
    return Figures(n=len(known), min=known[0], p5=p5, p25=p25, median=median, p75=p75, p95=p95, max=known[-1])


def percentile(ordered: Sequence[int], percent: int) -> int:
    """The price below which so many percent lie.

    >>> percentile([100, 200, 300], 50), percentile([100, 200], 25)
    (200, 125)
    """
    at, rest = divmod(percent * (len(ordered) - 1), 100)
    if not rest:
        return ordered[at]
    return ordered[at] + ((ordered[at + 1] - ordered[at]) * rest + 50) // 100


def difference(price: int, median: int) -> int:
    """By how many percent a price lies above the median; below it is negative.

    >>> difference(48_000, 71_500), difference(80_000, 71_500)
    (-33, 12)
    """
    return round(100 * (price - median) / median)


def share_within(prices: Sequence[int], *, low: int | None, high: int | None) -> int | None:
    """How many percent of the prices lie within a watch's limits; ``None`` without limits or without enough prices."""
    if len(prices) < ENOUGH or (low is None and high is None):
        return None
    inside = sum((low is None or price >= low) and (high is None or price <= high) for price in prices)
    return round(100 * inside / len(prices))


def median_time(times: Iterable[timedelta | None]) -> timedelta | None:
    """The median of the known times; ``None`` with fewer than eight. A sale before its listing is a misreading."""
    known = sorted(int(time.total_seconds()) for time in times if time is not None and time >= timedelta())
    return timedelta(seconds=percentile(known, 50)) if len(known) >= ENOUGH else None


def bars(*, sold: Sequence[int], asked: Sequence[int]) -> list[Bar]:
    """Twenty equal steps at most between the 5th and the 95th percentile of all; none for too few prices."""
    every = figures_of([*sold, *asked])
    if every is None:
        return []
    step = max(1, -((every.p5 - every.p95 - 1) // BARS))
    count = (every.p95 - every.p5) // step + 1
    heights = [_counted(prices, every.p5, step, count) for prices in (sold, asked)]
    return [
        Bar(low=every.p5 + at * step, high=every.p5 + (at + 1) * step, sold=heights[0][at], asked=heights[1][at])
        for at in range(count)
    ]


def _counted(prices: Iterable[int], low: int, step: int, count: int) -> list[int]:
    found = [0] * count
    for price in prices:
        found[max(0, min(count - 1, (price - low) // step))] += 1
    return found

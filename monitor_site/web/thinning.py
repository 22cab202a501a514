"""Fewer points for a drawing without losing what a person looks for in it. Pure.

No chart here holds more than four hundred points: the server draws it as it writes the page, and no library for charts
has to be loaded. What would stand closer than a line is wide is thinned, and the table beside a drawing is not.
"""

from collections.abc import Sequence
from itertools import pairwise

MOST = 400

Point = tuple[float, int | None]
"""A share of the time from 0 to 1 and the price from then on; ``None`` where no price is known."""


def thinned(points: Sequence[Point], *, most: int = MOST) -> list[Point]:
    """At most so many of these points, in their order.

    Of each stretch the lowest and the highest stay, so does a gap with its end; and so do the first and last of all.
    """
    if len(points) <= most:
        return list(points)
    gaps = any(price is None for _, price in points)
    stretches = max(1, (most - 2) // (4 if gaps else 2))
    cuts = [at * len(points) // stretches for at in range(stretches + 1)]
    kept = {0, len(points) - 1}
    for start, end in pairwise(cuts):
        kept |= _telling(points, range(start, end))
    return [points[at] for at in sorted(kept)]


def _telling(points: Sequence[Point], stretch: range) -> set[int]:
    """The places of a stretch that a drawing must not lose."""
    prices = {at: price for at in stretch if (price := points[at][1]) is not None}
    kept = {min(prices, key=prices.__getitem__), max(prices, key=prices.__getitem__)} if prices else set()
    gaps = [(at, _end_of_gap(points, at)) for at in stretch if at not in prices]
    longest = max(gaps, key=lambda gap: points[gap[1]][0] - points[gap[0]][0], default=())
    return kept.union(longest)


def _end_of_gap(points: Sequence[Point], start: int) -> int:
    known = (at for at in range(start + 1, len(points)) if points[at][1] is not None)
    return next(known, len(points) - 1)

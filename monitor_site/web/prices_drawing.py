"""Prices drawn by the server as SVG, without a style attribute. The value always stands in text beside them."""

from collections.abc import Iterable, Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from monitor_site.watches.models import WatchPrices
from monitor_site.watches.prices import Bar

WIDE, RING = 152, 5
BASE, TOP, ACROSS = 112, 8, 600
# What a page draws of many; a table or a figure speaks of the others.
MOST_DOTS = 400


def strip(prices: WatchPrices, price: int) -> SafeString:
    """From the 5th to the 95th percentile, quartiles darker, a tick at the median and a ring at this price."""
    low, high = prices.p5 or 0, prices.p95 or 0

    def at(value: int | None) -> float:
        share = 0.5 if high == low else ((value or 0) - low) / (high - low)
        return RING + (WIDE - 2 * RING) * min(1.0, max(0.0, share))

    left, right, middle = at(prices.p25), at(prices.p75), at(prices.median)
    return format_html(
        '<svg width="152" height="18" viewBox="0 0 152 18" aria-hidden="true">'
        '<rect x="0" y="6" width="152" height="6" rx="3" fill="var(--strip)"/>'
        '<rect x="{}" y="6" width="{}" height="6" fill="var(--strip-core)"/>'
        '<path d="M{} 3v12" stroke="var(--ink-2)" stroke-width="2"/>'
        '<circle cx="{}" cy="9" r="4" fill="var(--surface)" stroke="var(--accent)" stroke-width="2.5"/></svg>',
        f"{left:.1f}", f"{max(1.0, right - left):.1f}", f"{middle:.1f}", f"{at(price):.1f}",
    )  # fmt: skip


def histogram(bars: Sequence[Bar], *, lines: Iterable[tuple[int, str]], label: str) -> SafeString:
    """Sold and asked prices beside each other; ``lines`` are prices with the colour of their upright line."""
    low, high = bars[0].low, bars[-1].high
    most = max(max(bar.sold, bar.asked) for bar in bars)
    rects = [rect for at, bar in enumerate(bars) for rect in _pair(bar, at, ACROSS / len(bars), most)]
    marks = [
        (f"{ACROSS * (price - low) / (high - low):.1f}", colour) for price, colour in lines if low <= price <= high
    ]
    return format_html(
        '<svg class="steps" viewBox="0 0 600 120" preserveAspectRatio="none" role="img" aria-label="{}">{}{}</svg>',
        label,
        format_html_join(
            "", '<rect x="{}" y="{}" width="{}" height="{}" fill="{}" stroke="{}" vector-effect="non-scaling-stroke"/>',
            rects,
        ),
        format_html_join("", _UPRIGHT, marks),
    )  # fmt: skip


_UPRIGHT = (
    '<path d="M{} 0V120" stroke="{}" stroke-width="2" stroke-dasharray="4 3" vector-effect="non-scaling-stroke"/>'
)
_LEVEL = '<path d="M0 {}H600" stroke="{}" stroke-width="2" stroke-dasharray="4 3" vector-effect="non-scaling-stroke"/>'


def _pair(bar: Bar, at: int, wide: float, most: int) -> Iterable[tuple[str, str, str, str, str, str]]:
    half = 0.42 * wide
    for count, left, fill, edge in (
        (bar.sold, at * wide + 0.08 * wide, "var(--accent)", "none"),
        (bar.asked, at * wide + 0.5 * wide, "var(--strip-core)", "var(--line-strong)"),
    ):
        if count:
            height = 104 * count / most
            yield f"{left:.1f}", f"{120 - height:.1f}", f"{half:.1f}", f"{height:.1f}", fill, edge


def dots(
    *,
    sold: Sequence[tuple[float, int]],
    asked: Sequence[tuple[float, int]],
    bounds: tuple[int, int],
    lines: Iterable[tuple[int, str]],
    label: str,
) -> SafeString:
    """Prices over time: (share of the time from 0 to 1, price), sold ones filled, others hollow; at most 400.

    ``bounds`` are the lowest and the highest price drawn in their place: what lies beyond stands at the edge.
    """
    filled = _dots(sold[: MOST_DOTS // 2], bounds)
    hollow = _dots(asked[: MOST_DOTS // 2], bounds)
    marks = [(f"{_height(price, bounds):.1f}", colour) for price, colour in lines if bounds[0] <= price <= bounds[1]]
    return format_html(
        '<svg class="steps" viewBox="0 0 600 120" preserveAspectRatio="none" role="img" aria-label="{}">{}'
        '<path class="steps__dots" d="{}" vector-effect="non-scaling-stroke"/>'
        '<path d="{}" stroke="var(--surface)" stroke-width="4" stroke-linecap="round" '
        'vector-effect="non-scaling-stroke"/><path class="steps__dots" d="{}" vector-effect="non-scaling-stroke"/>'
        "</svg>",
        label, format_html_join("", _LEVEL, marks), hollow, hollow, filled,
    )  # fmt: skip


def _dots(points: Iterable[tuple[float, int]], bounds: tuple[int, int]) -> str:
    return "".join(f"M{TOP + (ACROSS - 2 * TOP) * share:.1f} {_height(price, bounds):.1f}h0" for share, price in points)


def _height(price: int, bounds: tuple[int, int]) -> float:
    low, high = bounds
    share = 0.5 if high == low else (min(high, max(low, price)) - low) / (high - low)
    return BASE - (BASE - TOP) * share

"""The strip that shows one price among many, drawn by the server as SVG. The value stands in text beside it."""

from django.utils.html import format_html
from django.utils.safestring import SafeString

from monitor_site.watches.models import WatchPrices

WIDE, RING = 152, 5


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

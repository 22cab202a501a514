"""Figures of the operations page as SVG, without a style attribute. The value always stands in text beside them."""

from collections.abc import Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

ACROSS, HIGH, LEAST = 600, 112, 4
FAR = 5
FILLS = (("var(--accent)", "none"), ("var(--ink-3)", "none"), ("var(--strip-core)", "var(--line-strong)"))


def bars(columns: Sequence[Sequence[int]], *, limit: int, label: str) -> SafeString:
    """Up to three bars beside each other for each column; a line before column ``limit``. Few are still seen."""
    most = max(1, *(count for column in columns for count in column))
    wide = ACROSS / len(columns)
    rects = [rect for at, column in enumerate(columns) for rect in _column(column, at * wide, wide, most)]
    return format_html(
        '<svg class="steps" viewBox="0 0 600 120" preserveAspectRatio="none" role="img" aria-label="{}">{}'
        '<path d="M{} 0V120" stroke="var(--warn)" stroke-width="2" stroke-dasharray="4 3" '
        'vector-effect="non-scaling-stroke"/></svg>',
        label,
        format_html_join(
            "", '<rect x="{}" y="{}" width="{}" height="{}" fill="{}" stroke="{}" vector-effect="non-scaling-stroke"/>',
            rects,
        ),
        f"{limit * wide:.1f}",
    )  # fmt: skip


def _column(counts: Sequence[int], left: float, wide: float, most: int) -> list[tuple[str, ...]]:
    bar = 0.84 * wide / len(FILLS)
    drawn: list[tuple[str, ...]] = []
    for index, (count, (fill, edge)) in enumerate(zip(counts, FILLS, strict=True)):
        if count:
            height = max(LEAST, HIGH * count / most)
            x = left + 0.08 * wide + index * bar
            drawn.append((f"{x:.1f}", f"{120 - height:.1f}", f"{bar:.1f}", f"{height:.1f}", fill, edge))
    return drawn


def plan(rates: Sequence[float], *, most: float, label: str) -> SafeString:
    """One bar for each stretch of time, and a broken line at the most there may be, unless it lies far above."""
    peak, wide = max([*rates, 1e-9]), ACROSS / max(1, len(rates))
    top = max(peak, most) if most < FAR * peak else 1.2 * peak
    rects = [_planned(at * wide, wide, HIGH * rate / top, over=rate > most) for at, rate in enumerate(rates) if rate]
    return format_html(
        '<svg class="steps" viewBox="0 0 600 120" preserveAspectRatio="none" role="img" aria-label="{}">{}'
        '<path d="M0 {}H600" stroke="var(--warn)" stroke-width="2" stroke-dasharray="4 3" '
        'vector-effect="non-scaling-stroke"/></svg>',
        label,
        format_html_join("", '<rect x="{}" y="{}" width="{}" height="{}" fill="{}"/>', rects),
        f"{max(-9.0, 120 - HIGH * most / top):.1f}",
    )  # fmt: skip


def _planned(left: float, wide: float, height: float, *, over: bool) -> tuple[str, ...]:
    places = (left + 0.08 * wide, 120 - height, 0.84 * wide, height)
    return (*(f"{place:.1f}" for place in places), "var(--warn)" if over else "var(--accent)")


def bar(share: float, *, tone: str = "accent") -> SafeString:
    """How full something is, 0 to 1 and no further; ``tone`` is a colour of the sheet."""
    return format_html(
        '<svg width="64" height="8" viewBox="0 0 64 8" aria-hidden="true">'
        '<rect width="64" height="8" rx="4" fill="var(--strip)"/>'
        '<rect width="{}" height="8" rx="4" fill="var(--{})"/></svg>',
        f"{64 * min(1.0, max(0.0, share)):.1f}", tone,
    )  # fmt: skip

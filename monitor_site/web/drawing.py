"""Small figures drawn by the server as SVG, without a style attribute. The value always stands in text beside them."""

from collections.abc import Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

TICKS = 16
TALL = {"late", "fail"}


def beats(states: Sequence[str]) -> SafeString:
    """The last 16 runs as ticks, oldest first: ``ok``, ``late``, ``fail`` or ``none``; missing ones are ``none``."""
    padded = ["none"] * (TICKS - len(states)) + list(states)[-TICKS:]
    rects = format_html_join("", "{}", ((_tick(position, state),) for position, state in enumerate(padded)))
    return format_html('<svg class="beats" viewBox="0 0 84 14" aria-hidden="true">{}</svg>', rects)


def _tick(position: int, state: str) -> SafeString:
    y, height = (0, 14) if state in TALL else (2, 10)
    return format_html(
        '<rect x="{}" y="{}" width="3.4" height="{}" rx="1.4" class="{}"/>', f"{position * 5.3:.1f}", y, height, state
    )


def ring(share: float, *, state: str = "", due: str = "", every: int = 0) -> SafeString:
    """A ring that shows which share (0 to 1) of the wait is over; a script keeps it going towards ``due`` (ISO)."""
    value = max(0, min(100, round(share * 100)))
    arc = format_html(
        '<circle class="ring__v" cx="14" cy="14" r="11" pathLength="100" stroke-dasharray="{} 100"/>', value
    )
    return format_html(
        '<svg class="ring{}"{} viewBox="0 0 28 28" aria-hidden="true">'
        '<circle class="ring__bg" cx="14" cy="14" r="11"/>{}</svg>',
        f" ring--{state}" if state else "",
        format_html(' data-due="{}" data-every="{}"', due, every) if due else "",
        arc if value or due else "",
    )


def sparkline(values: Sequence[int]) -> SafeString:
    """A line over equal steps of time; its highest value touches the top."""
    points = _points(values)
    line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    first, last = points[0], points[-1]
    return format_html(
        '<svg class="sparkline" viewBox="0 0 96 28" aria-hidden="true">'
        '<polygon class="area" points="{},27 {} {},27"/><polyline class="line" points="{}"/>'
        '<circle class="end" cx="{}" cy="{}" r="2.2"/></svg>',
        f"{first[0]:.1f}", line, f"{last[0]:.1f}", line, f"{last[0]:.1f}", f"{last[1]:.1f}",
    )  # fmt: skip


def _points(values: Sequence[int]) -> list[tuple[float, float]]:
    series = list(values) or [0, 0]
    series = series * 2 if len(series) == 1 else series
    top = max(*series, 1)
    step = 93 / (len(series) - 1)
    return [(1.5 + index * step, 25 - 21 * value / top) for index, value in enumerate(series)]

"""Prices drawn by the server as SVG in a frame of any width; classes say what a line is, never a colour alone.

Lines keep their strength whatever the width, and a dot is a line without length and with round ends. What a drawing
shows stands in its sentence for who cannot see it, and in a table beside it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from monitor_site.watches.prices import Bar

from .thinning import MOST, Point, thinned

WIDE, LEFT, RIGHT, TOP, BASE, FLOOR = 600, 8, 592, 12, 108, 120
TALLEST = FLOOR - 16
# A line that lies farther off would press the prices themselves flat.
NEAR = 1.5
# More dots than that would hide the line.
DOTTED = 60
SHORT_LINE, UPRIGHT, BROKEN, SPOT, BLOCK = "M0 5h16", "M8 0v10", "M0 5h5M11 5h5", "M8 5h0", "M3 1h10v8H3z"
RINGED = "M5 5a3 3 0 1 0 6 0a3 3 0 1 0-6 0"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A price to compare with: ``mark`` is the class of its line."""

    price: int
    mark: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Named(Line):
    """A line that a legend explains."""

    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Key:
    """One entry of a legend: a mark as it is drawn, and what it means. ``path`` is its small picture."""

    mark: str
    words: str
    path: str = SHORT_LINE


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """Where a price stands: ``low`` at the bottom, ``high`` at the top, what lies beyond at the edge."""

    low: int
    high: int

    def x(self, share: float) -> float:
        """Across, for a share of the time."""
        return LEFT + (RIGHT - LEFT) * min(1.0, max(0.0, share))

    def y(self, price: int) -> float:
        """Down; in the middle where all prices are one."""
        whole = self.high - self.low
        share = (min(self.high, max(self.low, price)) - self.low) / whole if whole else 0.5
        return BASE - (BASE - TOP) * share

    def holds(self, price: int) -> bool:
        """Whether a price lies between the ends."""
        return self.low <= price <= self.high


def frame_of(prices: Sequence[int], lines: Iterable[Line] = ()) -> Frame:
    """The frame of known prices, made wide enough for lines that lie near."""
    low, high = min(prices), max(prices)
    near = [line.price for line in lines if low <= line.price * NEAR and line.price <= high * NEAR]
    return Frame(low=min([low, *near]), high=max([high, *near]))


def step_line(
    points: Sequence[Point], *, frame: Frame, lines: Iterable[Line] = (), sold: float | None = None, label: str
) -> SafeString:
    """A price over time: level until the next, a dot where it changed unless there are many, a gap where none is known.

    ``sold`` is the share of the time at which it was sold.
    """
    drawn = thinned(points)
    uprights = [] if sold is None else [("", f"M{frame.x(sold):.1f} 0V{FLOOR}")]
    spots = _spots(drawn, frame) if len(drawn) <= DOTTED else ""
    marks = [*_levels(frame, lines), *uprights, ("", _stairs(drawn, frame)), ("dot", spots)]
    return _drawing(marks, label)


def _stairs(points: Sequence[Point], frame: Frame) -> str:
    path, open_line = "", False
    for share, price in points:
        x = f"{frame.x(share):.1f}"
        if price is None:
            path += f"H{x}" if open_line else ""
        else:
            path += f"H{x}V{frame.y(price):.1f}" if open_line else f"M{x} {frame.y(price):.1f}"
        open_line = price is not None
    return path + f"H{RIGHT}" if open_line else path


def histogram(bars: Sequence[Bar], *, lines: Iterable[Line], label: str) -> SafeString:
    """How often things were sold and asked for at each price: filled and dashed bars side by side."""
    low, high, wide = bars[0].low, bars[-1].high, WIDE / len(bars)
    most = max(max(bar.sold, bar.asked) for bar in bars) or 1
    sold = "".join(_bar(bar.sold / most, (at + 0.08) * wide, 0.4 * wide) for at, bar in enumerate(bars))
    asked = "".join(_bar(bar.asked / most, (at + 0.52) * wide, 0.4 * wide) for at, bar in enumerate(bars))
    inside = [line for line in lines if low <= line.price <= high]
    across = [(line.mark, f"M{WIDE * (line.price - low) / (high - low):.1f} 0V{FLOOR}") for line in inside]
    return _drawing([("bar", sold), ("ask", asked), *across], label)


def _bar(share: float, left: float, wide: float) -> str:
    return f"M{left:.1f} {FLOOR}v{-TALLEST * share:.1f}h{wide:.1f}V{FLOOR}z" if share else ""


def scatter(
    *, sold: Sequence[Point], asked: Sequence[Point], frame: Frame, lines: Iterable[Line], label: str
) -> SafeString:
    """Many prices over time: a filled dot for a sale, a hollow one for what was asked; four hundred at most."""
    hollow, filled = (_spots(thinned(points, most=MOST // 2), frame) for points in (asked, sold))
    return _drawing([*_levels(frame, lines), ("dot", hollow), ("hole", hollow), ("dot", filled)], label)


def _spots(points: Iterable[Point], frame: Frame) -> str:
    return "".join(f"M{frame.x(share):.1f} {frame.y(price):.1f}h0" for share, price in points if price is not None)


def _levels(frame: Frame, lines: Iterable[Line]) -> list[tuple[str, str]]:
    return [(line.mark, f"M0 {frame.y(line.price):.1f}H{WIDE}") for line in lines if frame.holds(line.price)]


def _drawing(marks: Iterable[tuple[str, str]], label: str) -> SafeString:
    paths = [(mark, path) for mark, path in marks if path]
    return format_html(
        '<svg class="plot steps" viewBox="0 0 600 120" preserveAspectRatio="none" role="img" aria-label="{}">{}</svg>',
        label,
        format_html_join("", '<path class="{}" d="{}"/>', paths),
    )

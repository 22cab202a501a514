"""Drawing in a square of 100 by 100 units with named colours."""

import math
from dataclasses import dataclass
from random import Random

from PIL import ImageDraw

Colour = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class Brush:
    """A canvas ``side`` pixels wide; coordinates are in hundredths of it, colours are names of the palette."""

    canvas: ImageDraw.ImageDraw
    side: int
    colours: dict[str, Colour]
    rng: Random

    def _px(self, value: float) -> float:
        return value * self.side / 100

    def rect(self, x: float, y: float, w: float, h: float, colour: str, *, round_by: float = 0) -> None:  # noqa: PLR0913 - a place takes numbers
        """A rectangle, with rounded corners if wanted."""
        corners = (self._px(x), self._px(y), self._px(x + w), self._px(y + h))
        self.canvas.rounded_rectangle(corners, radius=self._px(round_by), fill=self.colours[colour])

    def disc(self, x: float, y: float, r: float, colour: str, *, flat: float = 1.0) -> None:
        """A filled circle around a point; ``flat`` below 1 squeezes its height."""
        corners = (self._px(x - r), self._px(y - r * flat), self._px(x + r), self._px(y + r * flat))
        self.canvas.ellipse(corners, fill=self.colours[colour])

    def ring(self, x: float, y: float, r: float, colour: str, *, width: float = 1.0) -> None:
        """A circle line."""
        corners = (self._px(x - r), self._px(y - r), self._px(x + r), self._px(y + r))
        self.canvas.ellipse(corners, outline=self.colours[colour], width=round(self._px(width)))

    def arc(self, x: float, y: float, r: float, colour: str, *, start: float, end: float, width: float) -> None:  # noqa: PLR0913 - as above
        """Part of a circle line, degrees clockwise from the right."""
        corners = (self._px(x - r), self._px(y - r), self._px(x + r), self._px(y + r))
        self.canvas.arc(corners, start, end, fill=self.colours[colour], width=round(self._px(width)))

    def poly(self, points: list[tuple[float, float]], colour: str) -> None:
        """A filled polygon."""
        self.canvas.polygon([(self._px(x), self._px(y)) for x, y in points], fill=self.colours[colour])

    def line(self, points: list[tuple[float, float]], colour: str, *, width: float = 1.0) -> None:
        """A line through points."""
        pixels = [(self._px(x), self._px(y)) for x, y in points]
        self.canvas.line(pixels, fill=self.colours[colour], width=round(self._px(width)), joint="curve")

    def hand(self, x: float, y: float, length: float, degrees: float, colour: str, *, width: float) -> None:  # noqa: PLR0913 - as above
        """A line from a point, clockwise from twelve."""
        turn = math.radians(degrees - 90)
        self.line([(x, y), (x + length * math.cos(turn), y + length * math.sin(turn))], colour, width=width)

"""Pictures of the invented goods: a lit backdrop and a few simple shapes. The same name always gives the same."""

import colorsys
import io

from PIL import Image, ImageDraw, ImageOps

from monitor_site.contract.practice import random_for

SIZE = 400
Colour = tuple[int, int, int]

# Each shape: kind, corners in hundredths of the side, name of its colour.
_SHAPES: dict[str, tuple[tuple[str, tuple[int, int, int, int], str], ...]] = {
    "camera": (
        ("box", (15, 34, 85, 74), "body"),
        ("disc", (33, 36, 71, 74), "dark"),
        ("disc", (43, 46, 61, 64), "accent"),
    ),
    "record": (
        ("disc", (30, 20, 90, 80), "dark"),
        ("box", (10, 18, 62, 82), "body"),
        ("disc", (22, 34, 50, 62), "accent"),
    ),
    "watch": (
        ("box", (40, 8, 60, 92), "dark"),
        ("disc", (25, 25, 75, 75), "body"),
        ("disc", (31, 31, 69, 69), "light"),
    ),
    "game": (
        ("box", (22, 14, 78, 88), "body"),
        ("box", (30, 22, 70, 52), "dark"),
        ("disc", (56, 62, 70, 76), "accent"),
    ),
    "card": (
        ("box", (28, 12, 72, 88), "light"),
        ("box", (33, 18, 67, 52), "accent"),
        ("box", (33, 58, 67, 82), "body"),
    ),
    "figure": (
        ("disc", (38, 12, 62, 36), "light"),
        ("box", (36, 36, 64, 66), "accent"),
        ("box", (40, 66, 60, 88), "dark"),
    ),
    "bowl": (
        ("disc", (16, 30, 84, 84), "body"),
        ("disc", (18, 28, 82, 52), "dark"),
        ("box", (40, 80, 60, 88), "dark"),
    ),
    "guitar": (
        ("box", (46, 6, 54, 60), "dark"),
        ("disc", (30, 50, 70, 94), "body"),
        ("disc", (43, 62, 57, 76), "dark"),
    ),
}


def draw(name: str) -> bytes:
    """The picture for ``<art>/<listing id>.webp``, as WebP."""
    out = io.BytesIO()
    _paint(name).save(out, "WEBP", quality=80, method=1)
    return out.getvalue()


def _paint(name: str) -> Image.Image:
    rng = random_for("picture", name)
    hue = rng.random()
    light = Image.linear_gradient("L").resize((SIZE, SIZE))
    scene = ImageOps.colorize(light, _rgb(hue, 0.08, 0.97), _rgb(hue, 0.28, 0.78))
    pen = ImageDraw.Draw(scene)
    colours = _palette(hue + rng.uniform(0.35, 0.6))
    for kind, corners, colour in _SHAPES.get(name.partition("/")[0], _SHAPES["card"]):
        box = tuple(corner * SIZE // 100 for corner in corners)
        draw = pen.ellipse if kind == "disc" else pen.rectangle
        draw(box, fill=colours[colour])
    return scene


def _palette(hue: float) -> dict[str, Colour]:
    return {
        "body": _rgb(hue, 0.5, 0.5),
        "light": _rgb(hue, 0.2, 0.92),
        "dark": _rgb(hue, 0.3, 0.18),
        "accent": _rgb(hue + 0.45, 0.6, 0.9),
    }


def _rgb(hue: float, saturation: float, value: float) -> Colour:
    red, green, blue = colorsys.hsv_to_rgb(hue % 1, saturation, value)
    return int(red * 255), int(green * 255), int(blue * 255)

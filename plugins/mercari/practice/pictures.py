"""Pictures of the invented goods: a soft backdrop, a shadow, a simple object. The same name always gives the same."""

import colorsys
import io
from collections.abc import Callable
from random import Random

from PIL import Image, ImageChops, ImageDraw, ImageFilter, ImageOps

from monitor_site.contract.practice import random_for

from .brush import Brush, Colour
from .shapes import SHAPES, box

SIZE = 480
SCALE = 1.5


def draw(name: str) -> bytes:
    """The picture for ``<art>/<listing id>_<n>.webp``, as WebP."""
    return encode(paint(random_for("picture", name), SHAPES.get(name.partition("/")[0], box)))


def encode(image: Image.Image) -> bytes:
    """WebP bytes of an image."""
    out = io.BytesIO()
    image.save(out, "WEBP", quality=82, method=2)
    return out.getvalue()


def paint(rng: Random, shape: Callable[[Brush], None]) -> Image.Image:
    """A finished picture of ``SIZE`` pixels a side."""
    hue = rng.random()
    side = int(SIZE * SCALE)
    object_layer = Image.new("RGBA", (side, side), (0, 0, 0, 0))
    shape(Brush(ImageDraw.Draw(object_layer), side, palette(rng, hue), rng))
    turned = object_layer.rotate(rng.uniform(-7, 7), resample=Image.Resampling.BICUBIC)
    scene = backdrop(rng, hue, SIZE)
    small = turned.resize((SIZE, SIZE), Image.Resampling.LANCZOS)
    scene.paste(Image.new("RGB", scene.size, (30, 26, 34)), mask=shadow(small))
    scene.paste(small, mask=small.getchannel("A"))
    return scene


def backdrop(rng: Random, hue: float, side: int) -> Image.Image:
    """A wall with light from above and a table whose edge is in the lower third."""
    light = Image.linear_gradient("L")
    wall = ImageOps.colorize(light, rgb(hue, 0.10, 0.97), rgb(hue + 0.06, 0.26, 0.82)).resize((side, side))
    table = ImageOps.colorize(light, rgb(hue + 0.09, 0.16, 0.90), rgb(hue + 0.09, 0.26, 0.70))
    edge = int(side * rng.uniform(0.62, 0.72))
    wall.paste(table.resize((side, side - edge)), (0, edge))
    return wall


def shadow(picture: Image.Image) -> Image.Image:
    """A soft shadow under and right of the object; made small, since it is soft anyway."""
    small = picture.getchannel("A").resize((SIZE // 4, SIZE // 4))
    fallen = ImageChops.offset(small, 2, 4).filter(ImageFilter.GaussianBlur(3.2))
    return fallen.point([value * 45 // 100 for value in range(256)]).resize(picture.size, Image.Resampling.BILINEAR)


def palette(rng: Random, hue: float) -> dict[str, Colour]:
    """Colours that stand out from a backdrop of ``hue``: body, light, dark, accent, paper."""
    main = hue + rng.choice((0.42, 0.5, 0.58, 0.33))
    calm = rng.random() < 0.35
    return {
        "body": rgb(main, 0.12 if calm else 0.52, rng.uniform(0.30, 0.62)),
        "light": rgb(main, 0.10 if calm else 0.32, 0.86),
        "dark": rgb(main, 0.30, 0.17),
        "accent": rgb(main + 0.45, 0.62, 0.90),
        "paper": rgb(0.12, 0.06, 0.97),
    }


def rgb(hue: float, saturation: float, value: float) -> Colour:
    """An RGB triple from hue, saturation and value, each 0 to 1."""
    red, green, blue = colorsys.hsv_to_rgb(hue % 1, saturation, value)
    return int(red * 255), int(green * 255), int(blue * 255)

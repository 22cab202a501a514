"""Pictures of listings for our own pages: fetched from the marketplaces' picture hosts only, drawn anew and small.

What is shown never is what was sent: pixels pass, metadata, scripts and odd formats do not.
"""

import io
import threading
from collections.abc import Iterator
from dataclasses import replace

import httpx
from django.conf import settings
from PIL import Image, ImageOps

from monitor_site.contract import LayoutChanged, Plugin

from .catalog import Catalog
from .clients import proxy_of
from .exchange import Exchange
from .hosts import Reach
from .transport import Limits, open_client

BUDGETS = {160: 6 * 1024, 480: 28 * 1024}
QUALITIES = (80, 70, 60, 50, 40, 30, 20, 10, 1)
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "AVIF")
MOST_PIXELS = 12_000_000
REDUCIBLE = {"L", "LA", "RGB", "RGBA", "CMYK"}
LIMITS = Limits(raw_bytes=10 * 1024 * 1024, decoded_bytes=10 * 1024 * 1024)

# A decoded picture takes a hundred megabytes at worst; many at once would take them all.
decoding = threading.BoundedSemaphore(1)
"""Held while a picture is decoded: one at a time in a process."""


class UnreadablePicture(Exception):
    """No picture can be made of it: a foreign address, too large, no picture at all."""


async def fetch_picture(url: str, *, catalog: Catalog, limits: Limits = LIMITS, deadline: float = 15.0) -> bytes:
    """The bytes of a listing's picture, all of them within ``deadline`` seconds.

    Raises :class:`UnreadablePicture` (asking again will not help) and :class:`contract.Unavailable` (it may).
    """
    address = _address(url)
    (name, reach), limits = _reach(address, catalog), replace(limits, deadline_seconds=deadline)
    proxy = proxy_of(name, reach)
    async with open_client(guarded=not reach.practice, limits=limits, proxy=proxy) as client:
        exchange = Exchange(client=client, limits=limits, count=lambda _: None, proxy=proxy)
        try:
            answer = await exchange.ask("GET", address, headers={"accept": "image/*"})
        except LayoutChanged as error:
            raise UnreadablePicture(error.detail) from error
    kind = answer.media_type
    if answer.status != httpx.codes.OK or not kind.startswith("image/") or kind.startswith("image/svg"):
        raise UnreadablePicture(f"status {answer.status}, {kind or 'no media type'}")
    return answer.body


def thumbnail(data: bytes, *, size: int) -> bytes:
    """A square WebP of ``size`` pixels (160 or 480) that covers the square, without metadata, within its budget.

    At most twelve megapixels are decoded, and one picture at a time. Raises :class:`UnreadablePicture`.
    """
    square = _square(data, size)
    for attempt in _attempts(square):
        if len(attempt) <= BUDGETS[size]:
            return attempt
    raise UnreadablePicture("it does not fit its budget")


def photo(data: bytes, *, size: int = 480) -> bytes:
    """The same as a JPEG, for whoever does not know WebP. Raises :class:`UnreadablePicture`."""
    target = io.BytesIO()
    _square(data, size).save(target, "JPEG", quality=80)
    return target.getvalue()


def _address(url: str) -> httpx.URL:
    try:
        return httpx.URL(url)
    except httpx.InvalidURL as error:
        raise UnreadablePicture(f"no address: {error}") from error


def _reach(address: httpx.URL, catalog: Catalog) -> tuple[str, Reach]:
    """The marketplace whose picture this is, and what may be asked of it."""
    for name, plugin in catalog.plugins.items():
        practice = catalog.practice_address(name)
        reach = Reach.practising(practice) if practice else Reach.live(_picture_hosts(plugin))
        if reach.allows(address):
            return name, reach
    raise UnreadablePicture(f"{address.host} is no marketplace's picture host")


def _picture_hosts(plugin: Plugin) -> tuple[str, ...]:
    """An installation that only practises asks no real host."""
    return plugin.manifest.picture_hosts if settings.LIVE else ()


def _square(data: bytes, size: int) -> Image.Image:
    """The first frame, upright, on white, cut to a square. Whatever a decoder raises on hostile bytes: no picture."""
    try:
        with decoding, Image.open(io.BytesIO(data), formats=FORMATS) as image:
            _refuse_huge(image)
            image.draft("RGB", (size * 2, size * 2))
            upright = ImageOps.exif_transpose(_smaller(image, size))
            return _on_white(ImageOps.fit(upright.convert("RGBA"), (size, size), Image.Resampling.LANCZOS))
    except UnreadablePicture:
        raise
    except Exception as error:
        raise UnreadablePicture(f"{type(error).__name__}: {error}"[:200]) from error


def _refuse_huge(image: Image.Image) -> None:
    if image.width * image.height > MOST_PIXELS:
        raise UnreadablePicture(f"{image.width} x {image.height} pixels")


def _smaller(image: Image.Image, size: int) -> Image.Image:
    """What is far larger than needed shrinks before anything makes whole copies of it; how it is held stays known."""
    factor = min(image.size) // (size * 2)
    if factor < 2 or image.mode not in REDUCIBLE:
        return image
    small = image.reduce(factor)
    small.getexif().update(image.getexif())
    return small


def _on_white(image: Image.Image) -> Image.Image:
    """A fresh canvas also leaves every trace of metadata behind."""
    canvas = Image.new("RGB", image.size, "white")
    canvas.paste(image, mask=image.getchannel("A"))
    return canvas


def _attempts(square: Image.Image) -> Iterator[bytes]:
    """Lower the quality until it fits; what is pure noise is blurred by halving first."""
    coarse = square.reduce(4).resize(square.size, Image.Resampling.BICUBIC)
    for image in (square, coarse):
        for quality in QUALITIES:
            target = io.BytesIO()
            image.save(target, "WEBP", quality=quality, method=4)
            yield target.getvalue()

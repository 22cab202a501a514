"""Pictures are fetched from picture hosts only, and drawn anew, small and bare."""

import asyncio
import io
import os
import random
import struct
import zlib
from typing import Any

import pytest
from PIL import Image, ImageDraw

from monitor_site.contract import Unavailable
from monitor_site.marketplaces.pictures import BUDGETS, UnreadablePicture, decoding, fetch_picture, thumbnail
from monitor_site.marketplaces.transport import Limits
from tests.nowhere import closed_port

from .loopback import Loopback, plugin, shelf

SIZES = sorted(BUDGETS)
RED, BLUE = (220, 20, 20), (20, 20, 220)


@pytest.fixture(autouse=True)
def _practice(settings: Any, loopback: Loopback) -> None:
    settings.PRACTICE_MARKETS = {"bazaar": loopback.base}


async def test_a_picture_comes_from_the_practice_market(loopback: Loopback) -> None:
    loopback.answer("/1.png", body := png(painted(30, 30)), content_type="image/png")

    assert await fetch_picture(f"{loopback.base}/1.png", catalog=shelf(plugin())) == body


@pytest.mark.parametrize(
    "url",
    [
        "https://elsewhere.example/1.png",
        "http://127.0.0.1:1/1.png",
        "http://169.254.169.254/latest/meta-data",
        "https://pictures.bazaar.example@elsewhere.example/1.png",
        "https://pictures.bazaar.example/1.png",
        "file:///etc/passwd",
        "http://[broken",
        "",
    ],
)
async def test_a_picture_from_anywhere_else_is_refused(loopback: Loopback, url: str) -> None:
    with pytest.raises(UnreadablePicture):
        await fetch_picture(url, catalog=shelf(plugin()))

    assert not loopback.connections


async def test_a_live_picture_host_on_a_private_address_is_not_asked(loopback: Loopback, settings: Any) -> None:
    settings.PRACTICE_MARKETS = {}
    settings.LIVE = True

    with pytest.raises(Unavailable, match="public"):
        await fetch_picture(
            f"https://localhost:{loopback.port}/1.png", catalog=shelf(plugin(picture_hosts=("localhost",)))
        )

    assert not loopback.connections


async def test_an_installation_that_practises_asks_no_real_picture_host(settings: Any) -> None:
    settings.PRACTICE_MARKETS = {}
    settings.LIVE = False

    with pytest.raises(UnreadablePicture, match="picture host"):
        await fetch_picture("https://pictures.bazaar.example/1.png", catalog=shelf(plugin()))


@pytest.mark.parametrize(
    ("status", "media_type"),
    [(404, "image/png"), (302, "image/png"), (200, "text/html"), (200, "image/svg+xml"), (200, "Image/SVG+xml; a=b")],
)
async def test_what_is_not_a_picture_by_its_own_word_is_refused(
    loopback: Loopback, status: int, media_type: str
) -> None:
    loopback.answer("/1", b"<svg/>", status=status, content_type=media_type, location="/2")

    with pytest.raises(UnreadablePicture):
        await fetch_picture(f"{loopback.base}/1", catalog=shelf(plugin()))

    assert len(loopback.asked) == 1


async def test_a_picture_that_is_too_heavy_is_refused(loopback: Loopback) -> None:
    loopback.answer("/1.png", bytes(2000), content_type="image/png")

    with pytest.raises(UnreadablePicture, match="2000"):
        await fetch_picture(f"{loopback.base}/1.png", catalog=shelf(plugin()), limits=Limits(raw_bytes=1999))


async def test_a_picture_host_that_is_down_is_unavailable(settings: Any) -> None:
    settings.PRACTICE_MARKETS = {"bazaar": (nowhere := f"http://127.0.0.1:{closed_port()}")}

    with pytest.raises(Unavailable):
        await fetch_picture(f"{nowhere}/1.png", catalog=shelf(plugin()))


async def test_a_picture_that_does_not_come_is_not_waited_for(loopback: Loopback) -> None:
    async def hold(writer: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    loopback.routes["/1.png"] = hold

    with pytest.raises(Unavailable, match=r"in 0\.1 s"):
        await fetch_picture(f"{loopback.base}/1.png", catalog=shelf(plugin()), deadline=0.1)


async def test_one_picture_is_decoded_at_a_time() -> None:
    data = png(painted(30, 30))

    with decoding:
        second = asyncio.create_task(asyncio.to_thread(thumbnail, data, size=160))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.shield(second), timeout=0.05)

    assert await second


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
def test_a_picture_of_twelve_megapixels_is_drawn_upright(form: str) -> None:
    sideways = Image.new("RGB", (4000, 3000), RED)
    ImageDraw.Draw(sideways).rectangle((0, 0, 1999, 2999), fill=BLUE)
    exif = Image.Exif()
    exif[0x0112] = 6
    target = io.BytesIO()
    sideways.save(target, form, exif=exif)

    made = opened(thumbnail(target.getvalue(), size=160))

    assert near(made.getpixel((80, 10)), BLUE)
    assert near(made.getpixel((80, 150)), RED)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP", "GIF"])
def test_every_usual_picture_becomes_a_square_webp(size: int, form: str) -> None:
    target = io.BytesIO()
    painted(640, 480).save(target, form)

    with Image.open(io.BytesIO(thumbnail(target.getvalue(), size=size))) as made:
        assert (made.format, made.size, made.mode) == ("WEBP", (size, size), "RGB")


@pytest.mark.parametrize("size", SIZES)
def test_even_noise_fits_its_budget(size: int) -> None:
    noise = Image.frombytes("RGB", (size, size), random.Random(7).randbytes(size * size * 3))

    assert len(thumbnail(png(noise), size=size)) <= BUDGETS[size]


def test_the_middle_of_a_wide_picture_is_shown() -> None:
    wide = Image.new("RGB", (900, 300), RED)
    ImageDraw.Draw(wide).rectangle((300, 0, 599, 299), fill=BLUE)

    made = opened(thumbnail(png(wide), size=160))

    assert all(near(made.getpixel(spot), BLUE) for spot in ((5, 5), (80, 80), (154, 154)))


def test_a_small_picture_is_enlarged_to_cover() -> None:
    assert opened(thumbnail(png(Image.new("RGB", (1, 1), RED)), size=160)).size == (160, 160)


def test_the_camera_was_held_sideways_and_the_picture_stands_upright() -> None:
    sideways = Image.new("RGB", (300, 300), RED)
    ImageDraw.Draw(sideways).rectangle((0, 0, 149, 299), fill=BLUE)
    exif = Image.Exif()
    exif[0x0112] = 6
    target = io.BytesIO()
    sideways.save(target, "JPEG", exif=exif, quality=95)

    made = opened(thumbnail(target.getvalue(), size=160))

    assert near(made.getpixel((80, 10)), BLUE)
    assert near(made.getpixel((80, 150)), RED)


def test_where_and_by_whom_it_was_taken_is_left_out() -> None:
    exif = Image.Exif()
    exif[0x010F] = "alice's camera"
    exif.get_ifd(0x8825)[1] = "N"
    target = io.BytesIO()
    painted(200, 200).save(target, "JPEG", exif=exif, comment=b"alice's comment", icc_profile=b"alice's profile" * 9)

    data = thumbnail(target.getvalue(), size=160)

    assert b"alice" not in data
    assert not {"exif", "icc_profile", "xmp", "comment"} & set(opened(data).info)


def test_of_a_moving_picture_the_first_frame_is_shown() -> None:
    target = io.BytesIO()
    frames = [Image.new("RGB", (200, 200), colour) for colour in (BLUE, RED)]
    frames[0].save(target, "GIF", save_all=True, append_images=frames[1:], duration=50)

    made = opened(thumbnail(target.getvalue(), size=160))

    assert near(made.getpixel((80, 80)), BLUE)
    assert getattr(made, "n_frames", 1) == 1


def test_what_is_transparent_becomes_white() -> None:
    assert near(opened(thumbnail(png(Image.new("RGBA", (50, 50))), size=160)).getpixel((80, 80)), (255, 255, 255))


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "I;16", "CMYK"])
def test_odd_colour_modes_are_read(mode: str) -> None:
    target = io.BytesIO()
    Image.new(mode, (50, 50)).save(target, "JPEG" if mode == "CMYK" else "PNG")

    assert opened(thumbnail(target.getvalue(), size=160)).mode == "RGB"


@pytest.mark.parametrize("side", [3_500, 6_400, 20_000])
def test_a_picture_of_too_many_pixels_is_never_unpacked(side: int) -> None:
    start = struct.pack(">2I5B", side, side, 8, 6, 0, 0, 0)
    pixels = zlib.compress(bytes(1000))

    with pytest.raises(UnreadablePicture, match=r"pixels|Bomb"):
        thumbnail(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", start) + chunk(b"IDAT", pixels), size=160)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script></svg>",
        b"<html></html>",
        os.urandom(2000),
        b"\x89PNG\r\n\x1a\n" + bytes(100),
        b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 10 10\n",
    ],
)
def test_bytes_that_are_no_picture_are_unreadable(data: bytes) -> None:
    with pytest.raises(UnreadablePicture):
        thumbnail(data, size=160)


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
def test_half_a_picture_is_unreadable(form: str) -> None:
    target = io.BytesIO()
    painted(640, 480).save(target, form)

    with pytest.raises(UnreadablePicture):
        thumbnail(target.getvalue()[: len(target.getvalue()) // 2], size=160)


def painted(width: int, height: int) -> Image.Image:
    """A picture with some life in it."""
    image = Image.new("RGB", (width, height), RED)
    pen, dice = ImageDraw.Draw(image), random.Random(3)
    for _ in range(40):
        x, y = dice.randrange(width), dice.randrange(height)
        pen.ellipse((x, y, x + 40, y + 30), fill=(dice.randrange(256), dice.randrange(256), 90))
    return image


def png(image: Image.Image) -> bytes:
    target = io.BytesIO()
    image.save(target, "PNG")
    return target.getvalue()


def chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def opened(data: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(data))
    image.load()
    return image


def near(found: Any, wanted: tuple[int, int, int]) -> bool:
    return all(abs(ours - theirs) < 30 for ours, theirs in zip(found, wanted, strict=True))

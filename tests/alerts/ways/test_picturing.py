"""The picture of a message: ours, small, and nothing a message waits for long."""

import io
from typing import Any

import pytest
from PIL import Image

from monitor_site.alerts import picturing
from tests.marketplaces.loopback import Loopback
from tests.waiting import PATIENCE_SECONDS

from .asking import hangs


@pytest.fixture
async def market(sink: Loopback, settings: Any, monkeypatch: pytest.MonkeyPatch) -> Loopback:
    monkeypatch.setattr(picturing, "SECONDS", float(PATIENCE_SECONDS))
    settings.PRACTICE_MARKETS = {"mercari": sink.base}
    return sink


def photograph() -> bytes:
    target = io.BytesIO()
    Image.new("RGB", (640, 480), "teal").save(target, "PNG")
    return target.getvalue()


async def test_it_is_drawn_anew_as_a_small_jpeg(market: Loopback) -> None:
    market.answer("/1.png", photograph(), content_type="image/png")
    found = await picturing.picture(f"{market.base}/1.png")
    assert found is not None
    with Image.open(io.BytesIO(found.data)) as drawn:
        assert (drawn.format, drawn.size, found.media_type) == ("JPEG", (480, 480), "image/jpeg")


async def test_one_that_does_not_come_in_time_is_left_out(market: Loopback, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(picturing, "SECONDS", 0.2)
    market.routes["/1.png"] = hangs
    assert await picturing.picture(f"{market.base}/1.png") is None


@pytest.mark.parametrize("content", [b"<svg/>", b"", b"no picture at all"])
async def test_what_is_no_picture_is_left_out(market: Loopback, content: bytes) -> None:
    market.answer("/1.png", content, content_type="image/png")
    assert await picturing.picture(f"{market.base}/1.png") is None


async def test_a_foreign_address_is_never_asked(market: Loopback) -> None:
    assert await picturing.picture("http://127.0.0.1:9/1.png") is None

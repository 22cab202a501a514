import asyncio
import io
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import AsyncClient, Client
from PIL import Image

from monitor_site.accounts.models import User
from monitor_site.web import pictures
from tests.waiting import PATIENCE_SECONDS


def jpeg(width: int = 900, height: int = 600) -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (width, height), "teal").save(buffer, "JPEG")
    return buffer.getvalue()


class Shop:
    """A practice market's picture server that counts what it is asked."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        shop = self

        class Answers(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                shop.asked.append(self.path)
                broken = "broken" in self.path
                self.send_response(404 if broken else 200)
                self.send_header("Content-Type", "text/html" if broken else "image/jpeg")
                self.end_headers()
                self.wfile.write(b"<html>" if broken else jpeg())

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
        self.base = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def shop(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Shop]:
    one = Shop()
    thread = threading.Thread(target=one.server.serve_forever, daemon=True)
    thread.start()
    monkeypatch.setattr(settings, "PRACTICE_MARKETS", {"mercari": one.base})
    monkeypatch.setattr(settings, "MEDIA_ROOT", tmp_path)
    monkeypatch.setattr(pictures, "DEADLINE_SECONDS", PATIENCE_SECONDS)
    yield one
    one.server.shutdown()
    thread.join()
    one.server.server_close()


@pytest.fixture
def page(client: Client, alice: User) -> Client:
    client.force_login(alice)
    return client


@pytest.mark.parametrize("size", pictures.SIZES)
def test_a_picture_comes_small_from_our_own_address_and_is_kept_long(page: Client, shop: Shop, size: int) -> None:
    answer = page.get(pictures.address(f"{shop.base}/a.jpg", size=size))
    assert answer["Content-Type"] == "image/webp"
    assert answer["Cache-Control"] == "private, max-age=31536000, immutable"
    with Image.open(io.BytesIO(answer.content)) as picture:
        assert picture.format == "WEBP"
        assert max(picture.size) == size


def test_a_picture_is_downloaded_once_for_all_sizes_and_times(page: Client, shop: Shop) -> None:
    for size in pictures.SIZES * 2:
        page.get(pictures.address(f"{shop.base}/a.jpg", size=size))
    assert shop.asked == ["/a.jpg"]


@pytest.mark.django_db(transaction=True)
async def test_a_picture_asked_for_many_times_at_once_is_downloaded_once(alice: User, shop: Shop) -> None:
    client = AsyncClient()
    await client.aforce_login(alice)
    address = pictures.address(f"{shop.base}/a.jpg", size=160)
    answers = await asyncio.gather(*(client.get(address) for _ in range(8)))
    assert {answer["Content-Type"] for answer in answers} == {"image/webp"}
    assert shop.asked == ["/a.jpg"]


def test_a_broken_picture_is_a_quiet_one_for_a_short_time(page: Client, shop: Shop) -> None:
    answer = page.get(pictures.address(f"{shop.base}/broken.jpg", size=160))
    assert answer.status_code == 200
    assert answer["Content-Type"] == "image/svg+xml"
    assert answer["Cache-Control"] == "private, max-age=300"


def test_a_picture_of_a_foreign_host_is_never_fetched(page: Client, shop: Shop) -> None:
    answer = page.get(pictures.address("https://elsewhere.example/a.jpg", size=160))
    assert answer["Content-Type"] == "image/svg+xml"


def test_only_addresses_that_we_signed_and_sizes_that_exist_are_served(page: Client, shop: Shop) -> None:
    good = pictures.address(f"{shop.base}/a.jpg", size=160)
    assert page.get(good.replace("/160.", "/161.")).status_code == 404
    assert page.get(good.replace("/thumb/", "/thumb/x")).status_code == 404
    assert shop.asked == []


def test_a_broken_picture_is_not_asked_for_again_at_once(page: Client, shop: Shop) -> None:
    address = pictures.address(f"{shop.base}/broken.jpg", size=160)
    for _ in range(3):
        page.get(address)
    assert shop.asked == ["/broken.jpg"]
    mark = pictures._broken_mark(f"{shop.base}/broken.jpg")
    old = mark.stat().st_mtime - pictures.BROKEN_SECONDS - 1
    os.utime(mark, (old, old))
    page.get(address)
    assert shop.asked == ["/broken.jpg"] * 2


async def test_no_more_than_two_pictures_are_downloaded_at_once(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    real, now, most = pictures.fetch_picture, [], []

    async def counted(url: str, **words: Any) -> bytes:
        now.append(url)
        most.append(len(now))
        try:
            return await real(url, **words)
        finally:
            now.remove(url)

    monkeypatch.setattr(pictures, "fetch_picture", counted)
    await asyncio.gather(*(pictures._fetched_once(f"{shop.base}/{number}.jpg") for number in range(6)))
    assert len(most) == 6
    assert max(most) == 2


@pytest.mark.django_db(transaction=True)
async def test_a_picture_that_does_not_come_in_time_is_a_quiet_one(
    alice: User, shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def never(*_: Any, **__: Any) -> bytes:
        await asyncio.Event().wait()
        return b""

    monkeypatch.setattr(pictures, "fetch_picture", never)
    monkeypatch.setattr(pictures, "DEADLINE_SECONDS", 0.01)
    client = AsyncClient()
    await client.aforce_login(alice)
    answer = await client.get(pictures.address(f"{shop.base}/a.jpg", size=160))
    assert answer["Content-Type"] == "image/svg+xml"

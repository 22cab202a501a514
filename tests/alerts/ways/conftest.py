"""A sink that plays providers on loopback, which the operator of a test allows, and messages to send there."""

import asyncio
import warnings
from collections.abc import AsyncIterator, Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from apprise.manager_plugins import NotificationManager

from monitor_site.alerts.ways import apprise_process
from monitor_site.alerts.ways.send import Way
from monitor_site.alerts.ways.values import Message, Picture
from tests.marketplaces.loopback import Loopback
from tests.waiting import PATIENCE_SECONDS

from .asking import NEAR


@pytest.fixture
async def sink() -> AsyncIterator[Loopback]:
    """A server on loopback whose routes the test writes."""
    server = Loopback()
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        tasks.add(task := asyncio.ensure_future(server.serve(reader, writer)))
        await asyncio.gather(task, return_exceptions=True)

    listener = await asyncio.start_server(serve, "127.0.0.1", 0, limit=2**20)
    server.port = listener.sockets[0].getsockname()[1]
    yield server
    listener.close()
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


@pytest.fixture(scope="session")
def apprise_loaded() -> NotificationManager:
    """All of Apprise's services, as the process that sends has them; some are written for older Pythons."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        known = NotificationManager()
        known.load_modules()
    return known


@pytest.fixture
def near(settings: Any) -> None:
    """The operator allows loopback."""
    settings.ALERT_NETWORKS = [NEAR]


@pytest.fixture
def _slow_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """The process for Apprise may take its time on a busy machine."""
    monkeypatch.setattr(apprise_process, "START_SECONDS", float(PATIENCE_SECONDS))


@pytest.fixture
async def way(near: None, _slow_start: None) -> AsyncIterator[Way]:
    """A way that may go to loopback, with the patience of a test: a deadline is another story."""
    async with Way(deadline_seconds=PATIENCE_SECONDS) as opened:
        yield opened


@pytest.fixture
async def strict_way(_slow_start: None) -> AsyncIterator[Way]:
    """A way as it is where the operator allowed nothing."""
    async with Way(deadline_seconds=PATIENCE_SECONDS) as opened:
        yield opened


@pytest.fixture
def message() -> Callable[..., Message]:
    """A message as it should be, with changes."""

    def made(**changes: Any) -> Message:
        return Message(
            **{
                "id": "event-7",
                "at": datetime(2026, 5, 1, 3, 0, tzinfo=UTC),
                "subject": "カメラ <LUMINA> 12,000円",
                "text": "A camera\nhttps://monitor.example/m/7/",
                "html": 'A camera<br><a href="https://monitor.example/m/7/">open</a>',
                "markdown": "A camera\n[open](https://monitor.example/m/7/)",
                "mail_html": "<!doctype html><p>A camera</p>",
                "url": "https://monitor.example/m/7/",
                "picture": None,
                "payload": {"type": "match", "title": "カメラ"},
                "urgent": False,
            }
            | changes
        )

    return made


@pytest.fixture
def picture() -> Picture:
    """A picture of a few bytes."""
    return Picture(name="camera.jpg", media_type="image/jpeg", data=b"\xff\xd8\xff\xe0picture")

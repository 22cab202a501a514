"""Who looks at the pages, and what they have."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
import time_machine
from django.test import Client
from django.utils import timezone
from redis import Redis

from monitor_site.accounts.models import User
from monitor_site.watches import asking
from monitor_site.watches.models import Watch
from tests import practice
from tests.plugins.standins import Market
from tests.web.rows import watch_of


@pytest.fixture
def standing() -> Iterator[datetime]:
    """Noon in Japan in the middle of this month; time stands still: no midnight and no second falls into a story."""
    noon = timezone.now().replace(day=15, hour=3, minute=0, second=0, microsecond=0)
    with time_machine.travel(noon, tick=False):
        yield noon


@pytest.fixture
def hers(client: Client, alice: User, redis: Redis) -> Client:
    """The browser of alice, signed in."""
    client.force_login(alice)
    return client


@pytest.fixture
def page(hers: Client, alice: User) -> Client:
    """The same, in English."""
    alice.language = "en"
    alice.save()
    return hers


@pytest.fixture
def theirs(client: Client, bob: User, redis: Redis) -> Client:
    """A stranger's."""
    client.force_login(bob)
    return client


@pytest.fixture
def watch(alice: User, now: datetime) -> Watch:
    """Alice's, for ルミナ."""
    return watch_of(alice, now=now)


@pytest.fixture(scope="module")
def markets(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Market]]:
    """Both practice markets, with nothing in them that no test has put there."""
    with practice.both(tmp_path_factory.mktemp("practice")) as found:
        yield found


@pytest.fixture
def played(
    markets: dict[str, Market], redis: Redis, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[dict[str, Market]]:
    """The marketplaces are the practice markets; what was asked and answered is not forgotten while a test goes on."""
    for name in ("ASKED_SECONDS", "FOUND_SECONDS"):
        monkeypatch.setattr(asking, name, asking.WANTED_SECONDS)
    settings.PRACTICE_MARKETS = {name: market.base for name, market in markets.items()}
    yield markets
    for market in markets.values():
        market.do("faults/clear")

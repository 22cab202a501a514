"""A busy search that stands still, from the marketplace to the row of its target and back."""

from collections.abc import AsyncIterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from monitor_site.connections import async_redis_client
from monitor_site.contract import (
    Blocked,
    LayoutChanged,
    MarketplaceError,
    SearchCriteria,
    SearchPage,
    Session,
    Sighting,
    SignInNeeded,
    Unavailable,
)
from monitor_site.engine import checking
from monitor_site.engine.checking import Checker
from monitor_site.engine.schedule import Lease
from monitor_site.marketplaces.catalog import Catalog
from monitor_site.marketplaces.gateway import Gateway
from monitor_site.watches.models import Check, Match, Target
from monitor_site.watches.record import record
from monitor_site.watches.results import Result
from plugins.mercari import plugin as mercari
from tests.watches.makers import sighting, watch_of

pytestmark = pytest.mark.django_db(transaction=True)


class Scripted:
    """A marketplace that shows what the test puts up, or fails as it says."""

    def __init__(self) -> None:
        self.shown: Sequence[Sighting] = ()
        self.error: MarketplaceError | None = None

    async def search(self, criteria: SearchCriteria, *, page_token: str | None = None) -> SearchPage:
        if self.error:
            raise self.error
        return SearchPage(sightings=tuple(self.shown))


class Story:
    """Checks of one target, one after the other, each recorded before the next."""

    def __init__(self, checker: Checker, market: Scripted, target: Target, now: datetime) -> None:
        self._checker, self.market, self._target, self._at = checker, market, target, now

    async def result(self) -> Result:
        """How a check ends now, unrecorded."""
        lease = Lease(marketplace="mercari", id=str(self._target.pk), due_ms=0, fence=1, alone=False)
        return await self._checker.check(lease, await Target.objects.aget(pk=self._target.pk))

    async def check(self, *shown: Sighting) -> Target:
        self.market.shown = shown
        self._at += timedelta(seconds=30)
        fence = round(self._at.timestamp() * 1_000_000)
        lease = Lease(marketplace="mercari", id=str(self._target.pk), due_ms=fence // 1000, fence=fence, alone=False)
        result = await self._checker.check(lease, await Target.objects.aget(pk=self._target.pk))
        await sync_to_async(record)([replace(result, finished_at=self._at)], now=self._at)
        return await Target.objects.aget(pk=self._target.pk)


@pytest.fixture
async def story(alice: Any, redis: Any, settings: Any, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Story]:
    settings.PRACTICE_MARKETS = {"mercari": "http://127.0.0.1:9"}
    now, market = datetime.now(UTC), Scripted()

    def connect(_: Session) -> Scripted:
        return market

    shelf = Catalog(plugins={"mercari": replace(mercari, connect=connect)}, broken={})
    monkeypatch.setattr(checking, "catalog", lambda: shelf)
    await sync_to_async(watch_of)(alice, now)
    client = async_redis_client()
    gateway = Gateway(redis=client, catalog=shelf)
    checker = Checker(gateway=gateway, worker="checks-1", server_now=lambda: datetime.now(UTC).timestamp())
    yield Story(checker, market, await Target.objects.aget(), now)
    await gateway.close()
    await client.aclose()


async def test_a_search_that_stands_still_is_doubted_keeps_its_state_and_heals(story: Story) -> None:
    for n in range(1, 22):
        busy = await story.check(sighting(n))
    assert (busy.failures, busy.usual["changes"]) == (0, "1" * 20)
    for _ in range(11):
        still = await story.check(sighting(21))
    assert still.failures == 0

    doubted = await story.check(sighting(21, price=1))
    again = await story.check(sighting(21, price=1))

    assert (doubted.last_error, again.failures, again.empty_streak) == ("suspect_stale", 2, 0)
    assert (again.recent, again.succeeded_at) == (still.recent, still.succeeded_at)
    assert again.usual["changes"].endswith("0" * 13)
    assert await Check.objects.filter(error="suspect_stale").acount() == 2
    assert not await Match.objects.filter(price=1).aexists()

    healed = await story.check(sighting(22), sighting(21, price=1))

    assert (healed.failures, healed.last_error, healed.usual["stale"]) == (0, "", False)


async def test_an_answer_without_its_usual_fields_fails_and_changes_nothing(story: Story) -> None:
    full = await story.check(*(sighting(n, price=5_000 + n) for n in range(12)))
    assert "seller" in full.usual["told"]

    failed = await story.check(*(sighting(n, price=5_000 + n, seller=None) for n in range(12)))

    assert (failed.last_error, failed.usual, failed.recent) == ("layout_changed", full.usual, full.recent)
    well = await story.check(*(sighting(n, price=5_000 + n) for n in range(12)))
    assert well.failures == 0


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (Unavailable("503", retry_after=120), 120),
        (Unavailable("cut off"), None),
        (LayoutChanged("?", retry_after=5), 5),
        (Blocked("403"), None),
        (SignInNeeded("401"), None),
    ],
)
async def test_a_question_waits_by_itself_only_where_nothing_greater_waits(
    story: Story, error: MarketplaceError, seconds: float | None
) -> None:
    story.market.error = error

    result = await story.result()

    assert (result.error, result.wait_seconds) == (error.code, seconds)

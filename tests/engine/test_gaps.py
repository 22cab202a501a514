"""500 listings arrive between two checks: all are found by turning pages, or the gap is shown."""

from datetime import UTC, datetime, timedelta

import pytest
from asgiref.sync import sync_to_async
from django.test import Client

from monitor_site.accounts.models import User
from monitor_site.engine import recording
from monitor_site.engine.checking import Checker
from monitor_site.engine.flight import Landed
from monitor_site.engine.schedule import Lease
from monitor_site.watches.models import Check, Match, Target
from tests.plugins.standins import Market
from tests.watches.makers import watch_of
from tests.web.test_degraded import notes

pytestmark = pytest.mark.django_db(transaction=True)

WORD, MANY = "該当なし 洪水", 500


async def check(checker: Checker, fence: int) -> Check:
    target = await Target.objects.searches().aget()
    lease = Lease(marketplace=target.marketplace, id=str(target.pk), due_ms=0, fence=fence, alone=False)
    result = await checker.check(lease, target)
    await sync_to_async(recording.write)([Landed(lease=lease, target=target, result=result)])
    return await Check.objects.alatest("pk")


def put(market: Market, count: int, *, age: int = 0) -> None:
    for number in range(count):
        market.do("list", title=f"{WORD} {number}", price=1_000, visible_in=0, age=age)


@pytest.mark.parametrize(("marketplace", "whole"), [("mercari", True), ("yahoo_auctions", False)])
async def test_a_flood_between_two_checks_is_read_to_what_is_known_or_told_as_a_gap(
    markets: dict[str, Market], checker: Checker, client: Client, alice: User, marketplace: str, whole: bool
) -> None:
    now = datetime.now(UTC) - timedelta(minutes=1)
    await sync_to_async(watch_of)(alice, now, must=WORD.split(), marketplaces=[marketplace])
    put(markets[marketplace], 3, age=3600)
    first = await check(checker, 1)
    assert (first.fetched, first.gap) == (3, False)

    put(markets[marketplace], MANY)
    second = await check(checker, 2)

    assert (second.pages, second.gap) == (5, not whole)
    assert (await Match.objects.filter(silent=False).acount() == MANY) is whole
    await sync_to_async(client.force_login)(alice)
    told = await sync_to_async(notes)(client, "/matches/")
    assert [note for note in told if "are not whole: more was new than could be read" in note] == told
    assert bool(told) is not whole

"""A marketplace that answers a narrow question with other things: the person is told, and nothing of it matches."""

from collections.abc import AsyncIterator, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import Client
from django.urls import reverse
from redis import Redis

from monitor_site.accounts.models import User
from monitor_site.connections import async_redis_client
from monitor_site.engine import recording
from monitor_site.engine.checking import Checker
from monitor_site.engine.flight import Landed
from monitor_site.engine.schedule import Lease
from monitor_site.marketplaces.gateway import Gateway
from monitor_site.watches.models import Check, Match, Target, Watch
from plugins.yahoo_auctions import practice
from tests.plugins import standins
from tests.plugins.standins import Market
from tests.watches.makers import watch_of

pytestmark = pytest.mark.django_db(transaction=True)

WORD, OTHER = "該当なし 秘宝皿", "まったく別の品"
HINT = "results of Yahoo! Auctions has a word of this watch in its title"


@pytest.fixture(scope="module")
def market(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Market]:
    log = tmp_path_factory.mktemp("yahoo") / "truth.jsonl"
    with standins.served(practice.create, log) as opened, standins.quiet(opened) as quiet:
        yield quiet


@pytest.fixture
async def checker(market: Market, redis: Redis, settings: Any) -> AsyncIterator[Checker]:
    settings.PRACTICE_MARKETS = {"yahoo_auctions": market.base}
    client = async_redis_client()
    gateway = Gateway(redis=client)
    yield Checker(gateway=gateway, worker="checks-1", server_now=lambda: datetime.now(UTC).timestamp())
    await gateway.close()
    await client.aclose()


async def check(checker: Checker, fence: int) -> Check:
    target = await Target.objects.searches().aget()
    lease = Lease(marketplace=target.marketplace, id=str(target.pk), due_ms=0, fence=fence, alone=False)
    result = await checker.check(lease, target)
    await sync_to_async(recording.write)([Landed(lease=lease, target=target, result=result)])
    return await Check.objects.alatest("pk")


def page(client: Client, watch: Watch) -> str:
    address = reverse("watch", args=[watch.pk])
    return str(client.get(address, headers={"accept-language": "en"}).content.decode())


async def test_a_question_that_was_widened_is_told_on_its_page_and_its_own_things_still_match(
    market: Market, checker: Checker, client: Client, alice: User
) -> None:
    await sync_to_async(client.force_login)(alice)
    when = datetime.now(UTC) - timedelta(minutes=5)
    watch = await sync_to_async(watch_of)(alice, when, must=WORD.split(), marketplaces=["yahoo_auctions"])
    market.do("list", title=f"{WORD} 一", price=1_000, visible_in=0, age=7200)
    await check(checker, 1)
    assert HINT not in await sync_to_async(page)(client, watch)

    market.do("settings", fuzzy=40_000)
    for number in range(60):
        market.do("list", title=f"{OTHER} {number}", price=1_000, visible_in=0)
    new = market.do("list", title=f"{WORD} 二", price=1_000, visible_in=0)["id"]
    widened = await check(checker, 2)
    assert (widened.outcome, widened.fetched > 40) == ("ok", True)
    assert HINT in await sync_to_async(page)(client, watch)
    told = Match.objects.filter(silent=False).values_list("listing__external_id", flat=True)
    assert [external_id async for external_id in told] == [new]

    market.do("settings", fuzzy=0)
    await check(checker, 3)
    assert HINT not in await sync_to_async(page)(client, watch)

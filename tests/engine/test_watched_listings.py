"""A watched listing, from its form over the practice markets to the crossing and the open pages."""

from datetime import UTC, datetime
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from monitor_site.connections import key
from monitor_site.engine import jobs, recording, settling, upkeep
from monitor_site.engine.checking import Checker
from monitor_site.engine.flight import Landed
from monitor_site.engine.members import member
from monitor_site.engine.schedule import Lease, Schedule
from monitor_site.outbox.stream import stream_key
from monitor_site.watches import services
from monitor_site.watches.models import Crossing, Listing, Match, Target
from monitor_site.watches.services import Wish
from plugins.mercari import practice as mercari_practice
from plugins.yahoo_auctions import practice as yahoo_practice
from tests.plugins.standins import Market

pytestmark = pytest.mark.django_db(transaction=True)

WORLDS: dict[str, Any] = {"mercari": mercari_practice.create, "yahoo_auctions": yahoo_practice.create}


def watching(user: Any, name: str, external_id: str, **changes: Any) -> Target:
    triggers = {"fall_percent": 10, "rise_percent": 10} | changes
    wish = Wish(
        kind="listing", name="", marketplaces=[name], external_id=external_id, interval_seconds=3600, **triggers
    )
    services.create_watch(user=user, wish=wish, now=datetime.now(UTC))
    return Target.objects.looks().get()


async def check(checker: Checker, target: Target) -> Any:
    fence = (await Target.objects.aget(pk=target.pk)).fence + 1
    lease = Lease(marketplace=target.marketplace, id=member(target), fence=fence, due_ms=1)
    row = (await sync_to_async(recording.load_targets)([lease.id]))[lease.id]
    landed = Landed(lease=lease, result=await checker.check(lease, row), target=row)
    (back,) = await sync_to_async(recording.write)([landed])
    return back


def move_price(market: Market, name: str, made: str) -> str:
    """At one the price falls, at the other it rises: what the first bidder would pay, a second one brings to light."""
    if name == "mercari":
        market.do("change", id=made, price=4_000)
        return "fall"
    for bidder, amount in (("first", 8_000), ("second", 6_000)):
        market.do("bid", id=made, bidder=bidder, amount=amount)
    return "rise"


@pytest.mark.parametrize("name", WORLDS)
async def test_a_price_that_moves_at_a_marketplace_is_told(
    alice: Any, markets: dict[str, Market], checker: Checker, redis: Any, name: str
) -> None:
    market = markets[name]
    made = market.do("list", title="値動きの見本", price=5_000, visible_in=0)["id"]
    target = await sync_to_async(watching)(alice, name, made)
    back = await check(checker, target)
    assert (await Listing.objects.aget()).external_id == made
    await target.arefresh_from_db()
    assert target.due_at is not None
    assert (back.how, back.args()[6]) == ("at", round(target.due_at.timestamp() * 1000))
    kind = move_price(market, name, made)
    await check(checker, target)
    crossing = await Crossing.objects.aget()
    assert (crossing.kinds, crossing.before) == ([kind], 5_000)
    assert crossing.price == (await Listing.objects.aget()).price
    await sync_to_async(jobs.announce_crossings)([crossing.pk])
    assert redis.xlen(stream_key(alice.pk)) == 1
    assert (await Match.objects.aget()).silent is False


async def test_a_number_that_a_marketplace_does_not_know_is_no_listing(
    alice: Any, markets: dict[str, Market], checker: Checker
) -> None:
    target = await sync_to_async(watching)(alice, "mercari", "m99999999999")
    await check(checker, target)
    await target.arefresh_from_db()
    assert (target.last_error, target.active, target.listing_id) == ("listing_gone", True, None)
    assert await Listing.objects.acount() == 0


def test_it_stands_in_the_schedule_at_once_and_leaves_it_with_a_pause(alice: Any, redis: Any) -> None:
    schedule, looks = Schedule(redis), key("looks", "mercari")
    target = watching(alice, "mercari", "m00000000001")
    jobs.settle_targets([target.pk])
    assert redis.zscore(looks, member(target)) <= schedule.now_ms()
    services.pause_watch(watch=target.links.get().watch, now=datetime.now(UTC))
    jobs.settle_targets([target.pk])
    assert redis.zscore(looks, member(target)) is None
    services.resume_watch(watch=target.links.get().watch, now=datetime.now(UTC))
    redis.flushall()
    assert settling.rebuild(schedule) == 1
    assert redis.zscore(looks, member(target)) is not None


def test_a_watched_look_is_not_cleaned_up_however_long_it_has_been_over(alice: Any, redis: Any) -> None:
    target = watching(alice, "mercari", "m00000000001")
    Target.objects.update(active=False, due_at=None, checked_at=datetime(2020, 1, 1, tzinfo=UTC))
    upkeep.prune(datetime.now(UTC))
    assert Target.objects.filter(pk=target.pk).exists()

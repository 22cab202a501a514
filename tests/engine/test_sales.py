"""Sales, from the schedule over the practice markets into the database and back into the schedule."""

from datetime import UTC, datetime
from typing import Any

import pytest
from asgiref.sync import sync_to_async

from monitor_site.connections import key
from monitor_site.engine import recording, settling, upkeep
from monitor_site.engine.checking import Checker
from monitor_site.engine.flight import Landed
from monitor_site.engine.members import member
from monitor_site.engine.schedule import Lease, Schedule
from monitor_site.ops import status
from monitor_site.watches import sold
from monitor_site.watches.models import Check, Listing, Match, Target
from monitor_site.watches.record import record
from plugins.mercari import practice as mercari_practice
from plugins.yahoo_auctions import practice as yahoo_practice
from tests.plugins.standins import Market
from tests.watches.makers import result, watch_of

pytestmark = pytest.mark.django_db(transaction=True)

WORLDS: dict[str, Any] = {"mercari": mercari_practice.create, "yahoo_auctions": yahoo_practice.create}
WORD = "売値の見本"


def asking(user: Any, *names: str, word: str = WORD) -> list[Target]:
    """The questions for sales of a watch."""
    watch_of(user, datetime.now(UTC), marketplaces=list(names), must=[word])
    sold.heal(now=datetime.now(UTC))
    return list(Target.objects.sales().order_by("marketplace"))


def sell(market: Market, name: str, price: int) -> str:
    made: str = market.do("list", title=f"{WORD} 箱", price=price, visible_in=0)["id"]
    if name == "mercari":
        market.do("sell", id=made, done=True)
    else:
        market.do("bid", id=made, amount=price)
        market.do("end", id=made)
    return made


async def check(checker: Checker, target: Target) -> Any:
    lease = Lease(marketplace=target.marketplace, id=member(target), fence=1, due_ms=1)
    row = (await sync_to_async(recording.load_targets)([lease.id]))[lease.id]
    landed = Landed(lease=lease, result=await checker.check(lease, row), target=row)
    (back,) = await sync_to_async(recording.write)([landed])
    return back


@pytest.mark.parametrize("name", WORLDS)
async def test_what_was_sold_at_a_marketplace_is_known_with_its_price(
    alice: Any, markets: dict[str, Market], checker: Checker, name: str
) -> None:
    sold_one, unsold = sell(markets[name], name, 4_321), markets[name].do("list", title=f"{WORD} 残り", visible_in=0)
    (target,) = await sync_to_async(asking)(alice, name)
    back = await check(checker, target)
    assert (await Check.objects.aget(target=target)).error == ""
    row = await Listing.objects.aget()
    assert (row.external_id, row.status, row.paid, unsold["id"] == sold_one) == (sold_one, "sold", 4_321, False)
    assert row.sold_at is not None
    assert abs((row.sold_at - row.first_seen_at).total_seconds()) < 600
    assert await Match.objects.acount() == 0
    await target.arefresh_from_db()
    assert target.due_at is not None
    assert (back.how, back.args()[6]) == ("at", round(target.due_at.timestamp() * 1000))


async def test_a_question_that_no_marketplace_takes_fails_and_is_tried_later(
    alice: Any, checker: Checker, markets: dict[str, Market]
) -> None:
    (target,) = await sync_to_async(asking)(alice, "yahoo_auctions")
    markets["yahoo_auctions"].do("faults", kind="maintenance", route="closed")
    await check(checker, target)
    markets["yahoo_auctions"].do("faults/clear")
    await target.arefresh_from_db()
    assert (target.failures, target.active, (await Check.objects.aget()).outcome) == (1, True, "failed")


def score(redis: Any, target: Target) -> int | None:
    found = redis.zscore(key("looks", target.marketplace), member(target))
    return None if found is None else int(found)


def test_questions_for_sales_give_way_like_looks_and_survive_the_loss_of_redis(alice: Any, redis: Any) -> None:
    one, two = asking(alice, "mercari", "yahoo_auctions")
    redis.flushall()
    schedule = Schedule(redis)
    assert settling.rebuild(schedule) == 4
    assert [score(redis, target) for target in (one, two)] == [
        round(target.due_at.timestamp() * 1000) for target in (one, two) if target.due_at
    ]
    assert redis.zcard(key("due", "mercari")) == 1
    Target.objects.filter(pk=two.pk).update(active=False, due_at=None)
    assert (settling.prune(schedule), score(redis, two)) == (1, None)


def test_a_job_after_the_commit_brings_them_in_line(alice: Any, redis: Any) -> None:
    from monitor_site.engine import jobs

    watch_of(alice, datetime.now(UTC))
    search = Target.objects.searches().get()
    jobs.settle_sales([search.pk])
    target = Target.objects.sales().get()
    jobs.settle_targets([target.pk])
    assert score(redis, target) == round(target.due_at.timestamp() * 1000) if target.due_at else False


def test_upkeep_asks_where_nobody_does(alice: Any, redis: Any) -> None:
    asking(alice, "mercari")
    Target.objects.sales().delete()
    upkeep.TASKS["sales"].run(datetime.now(UTC))
    assert Target.objects.sales().get().active


def test_the_figures_of_searches_leave_them_out(alice: Any, redis: Any) -> None:
    (target,) = asking(alice, "mercari")
    settling.rebuild(Schedule(redis))
    now = datetime.now(UTC)
    record([result(target, at=now, error="unavailable")], now=now)
    figures = status.snapshot(redis, now=now)
    wanted = {"targets": 1, "looks": 0, "sales": 1, "due": 1, "checks": 0, "checks_failed": 0}
    assert {name: figures[name] for name in wanted} == wanted

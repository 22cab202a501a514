"""Of which listings a watch's prices are made, and that its card's figures keep up."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from monitor_site.contract import Kind, Money, Status
from monitor_site.watches import pricing, sold
from monitor_site.watches.models import Listing, Sample, Target, Watch, WatchPrices
from monitor_site.watches.record import record
from monitor_site.watches.services import change_watch, pause_watch
from tests.watches.makers import result, sighting, watch_of, wish

pytestmark = pytest.mark.django_db

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)


@pytest.fixture
def watch(alice: Any, now: datetime, redis: Any) -> Watch:
    return watch_of(alice, now)


def sell(watch: Watch, prices: list[int | None], *, now: datetime, first: int = 100, **changes: Any) -> None:
    """Sales that the watch's question for sales tells of."""
    sold.heal(now=now)
    target = Target.objects.sales().get(search__links__watch=watch)
    rows = [
        sighting(first + n, price=price, created=now - DAY, **({"status": Status.SOLD} | changes))
        for n, price in enumerate(prices)
    ]
    record([result(target, rows, at=now)], now=now)


def offer(watch: Watch, *rows: Any, now: datetime) -> None:
    target = Target.objects.searches().get(links__watch=watch)
    record([result(target, rows, at=now)], now=now)


def paid(watch: Watch, now: datetime, days: int = 90) -> list[int | None]:
    return sorted(one.paid or 0 for one in pricing.sales_of(watch, now=now, days=days))


def asked(watch: Watch, now: datetime, days: int = 90) -> list[int]:
    return sorted(one.asked or 0 for one in pricing.asked_of(watch, now=now, days=days))


def test_sales_and_asked_prices_of_the_window_count(watch: Watch, now: datetime) -> None:
    sell(watch, [1_000, 2_000, None, 0], now=now)
    offer(watch, sighting(1, price=4_000), sighting(2, price=None), now=now)
    assert (paid(watch, now + MINUTE), asked(watch, now + MINUTE)) == ([1_000, 2_000], [4_000])
    later = now + 31 * DAY
    assert (paid(watch, later, 30), asked(watch, later, 30), paid(watch, later, 90)) == ([], [], [1_000, 2_000])


def test_an_accessory_does_not_spoil_it(watch: Watch, now: datetime) -> None:
    sell(watch, [90_000], now=now)
    sell(watch, [500], now=now + MINUTE, first=300, title="カメラ用ストラップ")
    offer(watch, sighting(1, price=80_000), sighting(2, price=300, title="ケース"), now=now)
    assert (paid(watch, now + DAY), asked(watch, now + DAY)) == ([90_000], [80_000])


def test_a_running_auction_asks_for_nothing_and_counts_once_it_is_sold(watch: Watch, now: datetime) -> None:
    offer(watch, sighting(1, price=100, kind=Kind.AUCTION, bids=1, ends_at=now + DAY), now=now)
    assert (asked(watch, now + MINUTE), paid(watch, now + MINUTE)) == ([], [])
    over = sighting(1, price=9_000, kind=Kind.AUCTION, bids=7, ends_at=now + DAY, status=Status.SOLD)
    offer(watch, over, now=now + DAY + MINUTE)
    assert paid(watch, now + 2 * DAY) == [9_000]


def test_what_two_questions_of_a_watch_find_counts_once(alice: Any, now: datetime, redis: Any) -> None:
    watch = watch_of(alice, now, any_of=["赤", "青"])
    for target in Target.objects.searches():
        record([result(target, [sighting(1, title="ルミナ 赤 青")], at=now)], now=now)
    assert (Sample.objects.count(), asked(watch, now + MINUTE)) == (2, [5_000])


def test_another_currency_and_somebody_elses_question_do_not_count(watch: Watch, bob: Any, now: datetime) -> None:
    sell(watch, [1_000], now=now)
    Listing.objects.update(currency="USD")
    other = watch_of(bob, now, must=["別"])
    sell(other, [7_000], now=now + MINUTE, first=500, title="別")
    assert (paid(watch, now + DAY), paid(other, now + DAY)) == ([], [7_000])
    assert Money(amount=1, currency="USD").currency == "USD"


def test_a_read_has_an_end(watch: Watch, now: datetime, django_assert_num_queries: Any) -> None:
    sell(watch, [1_000 + n for n in range(30)], now=now)
    with django_assert_num_queries(1):
        assert len(pricing.sales_of(watch, now=now + DAY, days=90, most=10)) == 10


def test_how_long_it_took_to_sell_is_known_where_the_marketplace_tells(watch: Watch, now: datetime) -> None:
    sell(watch, [1_000], now=now, updated=now - DAY / 2)
    (one,) = pricing.sales_of(watch, now=now + MINUTE, days=90)
    assert one.lasted == DAY / 2


def rolled(watch: Watch) -> WatchPrices:
    return WatchPrices.objects.get(watch=watch)


def test_the_figures_of_cards_are_worked_out_and_kept_up(watch: Watch, now: datetime) -> None:
    assert (pricing.roll_up(now=now), rolled(watch).sales, rolled(watch).median) == (1, 0, None)
    assert pricing.roll_up(now=now) == 0
    sell(watch, [1_000 * n for n in range(1, 10)], now=now + MINUTE)
    assert pricing.roll_up(now=now + 2 * MINUTE) == 1
    figures = rolled(watch)
    assert (figures.sales, figures.p25, figures.median, figures.p75) == (9, 3_000, 5_000, 7_000)
    assert (pricing.roll_up(now=now + 3 * MINUTE), pricing.roll_up(now=now + 2 * timedelta(hours=1))) == (0, 1)


def test_below_eight_sales_there_are_no_figures(watch: Watch, now: datetime) -> None:
    sell(watch, [1_000] * 7, now=now)
    pricing.roll_up(now=now + MINUTE)
    assert (rolled(watch).sales, rolled(watch).median, rolled(watch).p95) == (7, None, None)


def test_other_words_are_worked_out_anew_and_a_paused_watch_rests(watch: Watch, now: datetime) -> None:
    sell(watch, [1_000] * 9, now=now)
    pricing.roll_up(now=now + MINUTE)
    change_watch(watch=watch, wish=wish(must=["ルミナ"], none_of=["カメラ"]), now=now + 2 * MINUTE)
    pricing.roll_up(now=now + 3 * MINUTE)
    assert rolled(watch).sales == 0
    pause_watch(watch=watch, now=now + 4 * MINUTE)
    assert pricing.roll_up(now=now + 9 * DAY) == 0

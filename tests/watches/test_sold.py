"""Sales are asked for once a day for every question with words, and end with it; they touch nothing else."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest

from monitor_site.contract import Kind, Money, Sighting, Status
from monitor_site.outbox.models import OutboxRow
from monitor_site.watches import follow, needs, queries, sold
from monitor_site.watches.models import Check, Listing, ListingEvent, Match, PricePoint, Sample, Target, Watch
from monitor_site.watches.record import record
from monitor_site.watches.results import Recorded
from monitor_site.watches.services import delete_watch, pause_watch, release_target, resume_watch
from tests.watches.lookers import let_look
from tests.watches.makers import result, sighting, watch_of

pytestmark = pytest.mark.django_db

SECOND, MINUTE, HOUR, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)


def settled(now: datetime) -> Target:
    """The one question for sales, after what waits in the outbox was done."""
    ids = OutboxRow.objects.filter(topic=sold.SALES).values_list("object_id", flat=True)
    sold.settle(search_ids=list(ids), now=now)
    return Target.objects.sales().get()


@pytest.fixture
def watch(alice: Any, now: datetime, redis: Any) -> Watch:
    return watch_of(alice, now)


@pytest.fixture
def asking(watch: Watch, now: datetime) -> Target:
    return settled(now)


def sale(number: int = 1, *, price: int | None = 5_000, **changes: Any) -> Sighting:
    return sighting(number, price=price, **({"status": Status.SOLD} | changes))


def run(target: Target, *rows: Sighting, at: datetime, **options: Any) -> Recorded:
    target.refresh_from_db()
    return record([result(target, rows, at=at, **options)], now=at + SECOND)


def due(target: Target) -> datetime:
    target.refresh_from_db()
    assert target.due_at is not None
    return target.due_at


def paid() -> dict[str, int | None]:
    return dict(Listing.objects.values_list("external_id", "paid"))


def names(numbers: Iterable[int]) -> set[str]:
    return {sighting(number).external_id for number in numbers}


def test_equal_questions_of_two_people_ask_once_for_sales_and_soon(
    alice: Any, bob: Any, now: datetime, redis: Any
) -> None:
    for user in (alice, bob):
        watch_of(user, now)
    target = settled(now)
    assert (target.search, target.active) == (Target.objects.searches().get(), True)
    assert now <= due(target) <= now + 10 * MINUTE
    sold.settle(search_ids=[Target.objects.searches().get().pk], now=now + HOUR)
    assert due(target) <= now + 10 * MINUTE


def test_every_day_it_is_asked_at_its_own_hour(asking: Target, now: datetime) -> None:
    times = []
    for _ in range(4):
        run(asking, sale(), at=due(asking))
        times.append(due(asking))
    assert {later - earlier for earlier, later in pairwise(times)} == {DAY}
    assert 12 * HOUR <= times[0] - now <= 37 * HOUR
    assert {asking.interval_seconds} <= set(range(80_000, 90_000))


def test_questions_are_asked_at_different_hours(alice: Any, now: datetime, redis: Any) -> None:
    for number in range(40):
        watch_of(alice, now, must=[f"ルミナ{number}"])
    sold.heal(now=now)
    hours = set()
    for target in Target.objects.sales():
        run(target, sale(), at=due(target))
        hours.add(due(target).hour)
    assert len(hours) > 12


def test_a_failed_question_is_tried_again_ever_later_and_no_later_than_its_hour(asking: Target, now: datetime) -> None:
    waits = []
    for _ in range(6):
        at = due(asking)
        run(asking, at=at, error="unavailable")
        waits.append(round((due(asking) - at) / HOUR))
    assert waits[:4] == [1, 2, 4, 8]
    assert max(waits) <= 37


def test_our_own_shortage_of_pace_does_not_count(asking: Target, now: datetime) -> None:
    for hour in range(3):
        run(asking, at=now + hour * HOUR, error="no_pace")
        assert due(asking) == now + (hour + 1) * HOUR + SECOND


def test_a_marketplace_that_says_how_long_to_wait_is_taken_at_its_word(asking: Target, now: datetime) -> None:
    record([replace(result(asking, at=now, error="throttled"), wait_seconds=4 * 3600.0)], now=now)
    assert due(asking) == now + 4 * HOUR


def test_it_ends_when_nobody_asks_the_question_and_begins_again_with_it(
    watch: Watch, asking: Target, now: datetime
) -> None:
    run(asking, sale(), at=now)
    pause_watch(watch=watch, now=now)
    assert not settled(now).active
    watch.refresh_from_db()
    resume_watch(watch=watch, now=now + MINUTE)
    again = settled(now + MINUTE)
    assert (again.active, due(again) > now + HOUR / 2) == (True, True)
    delete_watch(watch=watch, now=now + HOUR)
    ended = settled(now + HOUR)
    assert (ended.active, ended.due_at) == (False, None)


def test_a_paused_question_answered_late_stays_paused(watch: Watch, asking: Target, now: datetime) -> None:
    pause_watch(watch=watch, now=now)
    settled(now)
    run(asking, sale(), at=now)
    assert not settled(now).active


def test_what_asks_without_words_or_where_sales_are_not_told_is_not_asked(
    alice: Any, now: datetime, redis: Any, monkeypatch: Any
) -> None:
    watch_of(alice, now, must=[], options={"mercari": {"seller": 900_000_001}})
    assert (sold.heal(now=now), Target.objects.sales().count()) == (0, 0)
    watch_of(alice, now)
    monkeypatch.setattr("monitor_site.watches.sold.can_tell", lambda name: False)
    assert (sold.heal(now=now), Target.objects.sales().count()) == (0, 0)


def test_healing_begins_what_is_missing_and_ends_what_nobody_asks(alice: Any, now: datetime, redis: Any) -> None:
    watch_of(alice, now)
    assert (sold.heal(now=now), sold.heal(now=now), settled(now).active) == (1, 0, True)
    Target.objects.searches().update(active=False)
    assert (sold.heal(now=now), sold.heal(now=now), settled(now).active) == (1, 0, False)


def test_one_in_quarantine_is_left_there(asking: Target, now: datetime) -> None:
    Target.objects.filter(pk=asking.pk).update(active=False, quarantined_at=now, due_at=None)
    assert (sold.heal(now=now), settled(now).active) == (0, False)
    release_target(target=settled(now), now=now)
    assert settled(now).active


def test_sales_are_listings_with_what_was_paid_and_nothing_else_happens(
    watch: Watch, asking: Target, now: datetime
) -> None:
    ended = now - 3 * DAY
    auction = sale(2, price=7_000, kind=Kind.AUCTION, bids=4, ends_at=ended)
    done = run(asking, sale(1, created=now - 5 * DAY), auction, at=now)
    rows = {row.external_id: row for row in Listing.objects.all()}
    assert set(rows) == names([1, 2])
    assert {row.status for row in rows.values()} == {"sold"}
    assert paid() == {sighting(1).external_id: 5_000, sighting(2).external_id: 7_000}
    assert [rows[sighting(n).external_id].sold_at for n in (1, 2)] == [now - 5 * DAY, ended]
    assert (done.matches, Match.objects.count(), ListingEvent.objects.count(), PricePoint.objects.count()) == (
        [], 0, 0, 0,
    )  # fmt: skip
    assert not OutboxRow.objects.filter(topic__in=["match", "listing", "follow"]).exists()
    check = Check.objects.get(target=asking)
    assert (check.outcome, check.fetched, check.new, check.matched, check.missed_beats) == ("ok", 2, 2, 0, 0)
    assert set(Sample.objects.values_list("target_id", "asking")) == {(asking.search_id, False)}


def test_an_unknown_price_and_an_auction_without_bids_are_no_sale(asking: Target, now: datetime) -> None:
    nobody_bid = sale(2, kind=Kind.AUCTION, bids=0)
    run(asking, sale(1, price=None), nobody_bid, sale(3, price=0), at=now)
    assert Listing.objects.count() == Sample.objects.count() == 0


def test_the_same_sale_told_every_day_is_one(asking: Target, now: datetime) -> None:
    for day in range(3):
        done = run(asking, sale(price=5_000 + day), at=now + day * DAY)
        assert not done.stale
    assert (paid(), Sample.objects.count()) == ({sighting(1).external_id: 5_000}, 1)
    assert list(Check.objects.order_by("pk").values_list("new", flat=True)) == [1, 0, 0]


def test_an_answer_that_comes_late_counts_no_more(asking: Target, now: datetime) -> None:
    run(asking, sale(1), at=now + MINUTE)
    done = run(asking, sale(2), at=now)
    assert (done.stale, set(paid())) == ({asking.pk}, names([1]))


def test_a_sale_of_a_followed_listing_is_left_to_the_look_that_tells_of_it(
    watch: Watch, asking: Target, now: datetime, monkeypatch: Any
) -> None:
    let_look(monkeypatch, "mercari")
    search = Target.objects.searches().get()
    run(search, at=now)
    run(search, sighting(1, created=now), at=now + MINUTE)
    follow.settle(listing_ids=[Listing.objects.get().pk], now=now)
    before = Listing.objects.get()
    run(asking, sale(1, price=4_500, title="x", seller=None), at=now + HOUR)
    row = Listing.objects.get()
    assert (row.paid, row.status, row.price, row.title) == (4_500, "on_sale", 5_000, before.title)
    assert (row.digest, row.observed_at, row.seen_at) == (before.digest, before.observed_at, before.seen_at)
    assert Sample.objects.get().asking
    run(Target.objects.looks().get(), sale(1, price=4_600), at=now + 2 * HOUR)
    row = Listing.objects.get()
    assert (row.status, row.paid, ListingEvent.objects.filter(kind="sold").count()) == ("sold", 4_500, 1)


def test_what_a_search_still_shows_just_after_its_sale_was_told_is_not_back(
    watch: Watch, asking: Target, now: datetime
) -> None:
    search = Target.objects.searches().get()
    run(search, at=now)
    run(asking, sale(1, created=now - DAY), at=now + MINUTE)
    run(search, sighting(1, created=now), at=now + 2 * MINUTE)
    assert (Match.objects.count(), Listing.objects.get().status) == (0, "sold")
    run(search, sighting(1, created=now), at=now + HOUR)
    row = Listing.objects.get()
    assert (Match.objects.get().cause, row.status, row.paid, row.sold_at) == ("back", "on_sale", None, None)


@pytest.mark.parametrize(
    ("seen", "price"),
    [
        (sale(1, price=4_000), 4_000),
        (sale(1, price=None), 5_000),
        (sale(1, price=8_000, kind=Kind.AUCTION, bids=3), 8_000),
        (sale(1, kind=Kind.AUCTION, bids=0), None),
        (sighting(1, status=Status.ENDED), None),
        (sighting(1, status=Status.RESERVED), None),
        (sighting(1, status=Status.REMOVED), None),
    ],
)
def test_a_sale_that_a_look_sees_was_for_the_last_price(
    watch: Watch, now: datetime, monkeypatch: Any, seen: Sighting, price: int | None
) -> None:
    let_look(monkeypatch, "mercari")
    search = Target.objects.searches().get()
    run(search, at=now)
    run(search, sighting(1, created=now, kind=seen.kind), at=now + MINUTE)
    follow.settle(listing_ids=[Listing.objects.get().pk], now=now)
    run(Target.objects.looks().get(), seen, at=now + HOUR)
    row = Listing.objects.get()
    assert (row.paid, row.sold_at) == (price, None if price is None else now + HOUR)


def test_a_failing_question_for_sales_is_no_concern_of_its_watch(
    alice: Any, watch: Watch, asking: Target, now: datetime
) -> None:
    run(Target.objects.searches().get(), sighting(1), at=now)
    for hour in range(8):
        done = run(asking, at=now + hour * MINUTE, error="layout_changed")
    (row,) = queries.rows(
        queries.watches_of(alice, now=now + MINUTE, known={"mercari"}), now=now + MINUTE, zone=now.tzinfo
    )
    assert (row.need, row.failing, row.ticks.count("fail"), row.error) == (needs.Need.NONE, {}, 0, "")
    assert needs.summary(user=alice, now=now + MINUTE, known={"mercari"}).needing == 0
    assert [run.target.kind for run in queries.runs_of(watch)] == ["search"]
    assert done.standings[0].due_ms is not None


def test_prices_in_another_currency_or_minus_are_no_yen(asking: Target, now: datetime) -> None:
    with pytest.raises(ValueError, match="negative"):
        sale(price=-1)
    run(asking, replace(sale(1), price=Money(amount=1, currency="JPY")), at=now)
    assert set(paid().values()) == {1}


def test_an_answer_that_comes_too_late_to_count_is_not_asked_for_on_and_on(asking: Target, now: datetime) -> None:
    run(asking, sale(), at=now + HOUR)
    late = run(asking, sale(2), at=now + MINUTE)
    assert (late.stale, [one.delay_ms for one in late.standings]) == ({asking.pk}, [60_000])
    assert Listing.objects.count() == 1

"""What a check leaves behind: baseline, matches, prices, events, and the fence."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from monitor_site.contract import Condition, Money, Seller, Shipping, Status
from monitor_site.outbox.models import OutboxRow
from monitor_site.watches.models import Check, Listing, ListingEvent, Match, PricePoint, Target, WatchTarget
from monitor_site.watches.record import record
from tests.watches.makers import result, sighting, watch_of

pytestmark = pytest.mark.django_db

MINUTE = timedelta(minutes=1)


@pytest.fixture
def target(alice: Any, now: datetime, redis: Any) -> Target:
    watch = watch_of(alice, now, price_max=10_000)
    return Target.objects.get(links__watch=watch)


def run(target: Target, sightings: Any = (), *, at: datetime, **options: Any) -> Any:
    return record([result(target, sightings, at=at, **options)], now=at)


def events() -> list[str]:
    return list(ListingEvent.objects.order_by("pk").values_list("kind", flat=True))


def test_the_first_run_is_a_silent_baseline(target: Target, now: datetime) -> None:
    done = run(target, [sighting(n, created=now - MINUTE) for n in range(300)], at=now)
    assert Match.objects.count() == 300
    assert not Match.objects.filter(silent=False).exists()
    assert done.matches == []
    assert not OutboxRow.objects.filter(topic="match").exists()


def test_a_person_may_ask_to_be_told_what_already_matches(alice: Any, now: datetime, redis: Any) -> None:
    watch = watch_of(alice, now, tell_existing=True)
    done = run(Target.objects.get(links__watch=watch), [sighting(1, created=now - MINUTE)], at=now)
    assert Match.objects.get(pk__in=done.matches).cause == "existing"


def test_a_listing_made_after_the_baseline_is_a_match_and_told_of_once(target: Target, now: datetime) -> None:
    run(target, [sighting(1, created=now - MINUTE)], at=now)
    new = sighting(2, created=now + MINUTE)
    done = run(target, [new, sighting(1, created=now - MINUTE)], at=now + 2 * MINUTE)
    again = run(target, [new], at=now + 3 * MINUTE)
    match = Match.objects.get(silent=False)
    assert (match.cause, match.price, match.listing.external_id) == ("listed", 5_000, new.external_id)
    assert done.matches == [match.pk]
    assert again.matches == []
    assert OutboxRow.objects.get(topic="match").object_id == match.pk


def test_an_old_listing_that_was_bumped_is_not_new(target: Target, now: datetime) -> None:
    run(target, [sighting(1, created=now - MINUTE)], at=now)
    bumped = sighting(2, created=now - timedelta(days=30), updated=now + MINUTE)
    done = run(target, [bumped], at=now + 2 * MINUTE)
    assert done.matches == []
    assert Match.objects.get(listing__external_id=bumped.external_id).silent


def test_a_bump_is_an_event_of_its_own_and_no_match(target: Target, now: datetime) -> None:
    run(target, [sighting(1, created=now)], at=now)
    run(target, [sighting(1, created=now, updated=now + MINUTE)], at=now + 2 * MINUTE)
    assert events() == ["listed", "bumped"]
    assert PricePoint.objects.count() == 1


@pytest.mark.parametrize(
    "changes",
    [
        {"extra": {"valid_until": "2027-01-01"}},
        {"images": ("https://static.mercdn.net/thumb/2.jpg",)},
        {"seller": Seller(id="900", name="みかん堂", rating=4.9, count=3)},
        {"condition": Condition.LIKE_NEW},
        {"title": "ルミナ カメラ 1号 値下げ交渉可"},
        {"description": "今日まで"},
        {"shipping": Shipping.BUYER_PAYS},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_what_changes_besides_price_and_state_is_news_to_nobody(
    target: Target, now: datetime, changes: dict[str, Any]
) -> None:
    run(target, [], at=now)
    one = sighting(1, created=now + MINUTE)
    run(target, [one], at=now + 2 * MINUTE)
    OutboxRow.objects.all().delete()
    for day in (1, 2):
        at = now + timedelta(days=day)
        assert run(target, [replace(one, **changes, updated=at)], at=at).matches == []
    assert not OutboxRow.objects.filter(topic__in=["match", "listing"]).exists()
    assert set(events()) <= {"listed", "bumped"}
    assert PricePoint.objects.count() == 1


def test_a_failed_check_between_two_good_ones_is_no_change_of_price(target: Target, now: datetime) -> None:
    one = sighting(1, created=now)
    for minutes, error in ((0, ""), (1, "unavailable"), (20, "")):
        at = now + minutes * MINUTE
        run(target, [] if error else [one], at=at, error=error)
    assert events() == ["listed"]
    assert list(PricePoint.objects.values_list("price", flat=True)) == [5_000]


def test_a_price_that_drops_into_the_bounds_is_a_match_with_the_old_and_the_new_price(
    target: Target, now: datetime
) -> None:
    run(target, [sighting(1, price=12_000, created=now - MINUTE)], at=now)
    done = run(target, [sighting(1, price=9_000, created=now - MINUTE)], at=now + MINUTE)
    assert Match.objects.get(pk__in=done.matches).cause == "price_drop"
    drop = ListingEvent.objects.get(kind="price_drop")
    assert (drop.before, drop.after) == (12_000, 9_000)
    assert list(PricePoint.objects.order_by("pk").values_list("price", flat=True)) == [12_000, 9_000]


def test_another_targets_check_may_have_written_the_drop_down(alice: Any, target: Target, now: datetime) -> None:
    other = Target.objects.get(links__watch=watch_of(alice, now, must=["カメラ"], price_max=10_000))
    for one in (target, other):
        run(one, [sighting(1, price=12_000, created=now - MINUTE)], at=now)
    first = run(target, [sighting(1, price=9_000, created=now - MINUTE)], at=now + MINUTE)
    second = run(other, [sighting(1, price=9_000, created=now - MINUTE)], at=now + 2 * MINUTE)
    causes = Match.objects.filter(pk__in=first.matches + second.matches).values_list("cause", flat=True)
    assert list(causes) == ["price_drop", "price_drop"]
    assert ListingEvent.objects.filter(kind="price_drop").count() == 1


def test_an_unknown_price_enters_no_history_and_raises_no_event(target: Target, now: datetime) -> None:
    run(target, [sighting(1, created=now)], at=now)
    run(target, [sighting(1, price=None, created=now)], at=now + MINUTE)
    run(target, [sighting(1, created=now)], at=now + 2 * MINUTE)
    assert events() == ["listed"]
    assert set(PricePoint.objects.values_list("price", flat=True)) == {5_000}


def test_a_price_of_nought_is_unknown(target: Target, now: datetime) -> None:
    run(target, [sighting(1, created=now, price=0)], at=now)
    assert Listing.objects.get().price is None
    assert not Match.objects.exists()


def test_sold_and_back_are_events_and_back_is_told(target: Target, now: datetime) -> None:
    run(target, [sighting(1, created=now - MINUTE, status=Status.RESERVED)], at=now)
    done = run(target, [sighting(1, created=now - MINUTE)], at=now + MINUTE)
    assert events() == ["listed", "back"]
    assert Match.objects.get(pk__in=done.matches).cause == "back"


def test_a_row_missing_from_search_says_nothing_about_its_listing(target: Target, now: datetime) -> None:
    run(target, [sighting(1, created=now), sighting(2, created=now)], at=now)
    run(target, [sighting(2, created=now)], at=now + MINUTE)
    assert Listing.objects.filter(status="on_sale").count() == 2


def test_an_answer_that_comes_late_changes_nothing(alice: Any, target: Target, now: datetime) -> None:
    other = Target.objects.get(links__watch=watch_of(alice, now, must=["カメラ"]))
    run(target, [sighting(1, created=now)], at=now)
    run(other, [sighting(1, price=4_000, created=now)], at=now + 2 * MINUTE)
    run(target, [sighting(1, price=5_000, created=now, title="stale")], at=now + MINUTE)
    assert Listing.objects.get().price == 4_000
    assert "price_rise" not in events()


def test_only_the_newest_fence_counts(target: Target, now: datetime) -> None:
    run(target, [sighting(1, created=now)], at=now, fence=200)
    done = run(target, [sighting(2, created=now)], at=now + MINUTE, fence=100)
    assert done.stale == {target.pk}
    assert not Listing.objects.filter(external_id=sighting(2).external_id).exists()
    assert Check.objects.count() == 1


def test_the_same_result_twice_counts_once(target: Target, now: datetime) -> None:
    run(target, [sighting(1, created=now)], at=now, fence=100)
    run(target, [sighting(1, created=now)], at=now, fence=100)
    assert (Check.objects.count(), Listing.objects.count(), Match.objects.count()) == (1, 1, 1)


def test_a_failed_check_keeps_the_last_good_state_and_comes_back_later_each_time(target: Target, now: datetime) -> None:
    run(target, [sighting(1, created=now)], at=now)
    delays = []
    for beat in range(1, 5):
        done = run(target, at=now + beat * MINUTE, error="unavailable")
        delays.append(done.standings[0].delay_ms)
    target.refresh_from_db()
    assert (target.failures, target.last_error, len(target.recent)) == (4, "unavailable", 1)
    assert delays == [0, 30_000, 90_000, 210_000]
    assert events() == ["listed"]


@pytest.mark.parametrize(
    ("asked", "delay_ms"), [(None, 0), (120.0, 120_000), (1e9, 900_000), (-5.0, 0), (float("nan"), 0)]
)
def test_a_question_rests_as_long_as_the_marketplace_asks_for_within_reason(
    target: Target, now: datetime, asked: float | None, delay_ms: int
) -> None:
    failed = replace(result(target, at=now, error="unavailable"), wait_seconds=asked)
    done = record([failed], now=now)
    assert done.standings[0].delay_ms == delay_ms


def test_our_own_shortage_of_pace_neither_counts_as_a_failure_nor_delays(target: Target, now: datetime) -> None:
    run(target, [sighting(1, created=now)], at=now)
    done = run(target, at=now + MINUTE, error="no_pace")
    target.refresh_from_db()
    assert (target.failures, target.last_error, done.standings[0].delay_ms) == (0, "no_pace", 0)
    assert done.health_changed == set()
    assert Check.objects.order_by("-pk")[0].error == "no_pace"


def test_health_changes_once_when_it_fails_and_once_when_it_is_well(target: Target, now: datetime) -> None:
    told = [
        bool(run(target, at=now + beat * MINUTE, error=error).health_changed)
        for beat, error in enumerate(["", "blocked", "blocked", "", ""])
    ]
    assert told == [False, True, False, True, False]


def test_suspicious_empty_pages_are_counted_until_one_is_accepted(target: Target, now: datetime) -> None:
    run(target, [sighting(1, created=now)], at=now)
    for beat in (1, 2):
        run(target, at=now + beat * MINUTE, error="suspect_empty")
    target.refresh_from_db()
    assert (target.empty_streak, len(target.recent)) == (2, 1)
    run(target, at=now + 3 * MINUTE)
    target.refresh_from_db()
    assert (target.empty_streak, target.recent) == (0, {})
    assert Check.objects.order_by("-pk")[0].outcome == "empty"


def test_two_watches_of_one_target_each_get_their_match(alice: Any, bob: Any, target: Target, now: datetime) -> None:
    watch_of(bob, now)
    assert Target.objects.count() == 1
    run(target, [], at=now)
    done = run(target, [sighting(1, created=now + MINUTE)], at=now + 2 * MINUTE)
    assert set(Match.objects.filter(pk__in=done.matches).values_list("user__username", flat=True)) == {"alice", "bob"}


def test_a_watch_that_joins_later_has_its_own_silent_baseline(bob: Any, target: Target, now: datetime) -> None:
    run(target, [sighting(1, created=now - MINUTE)], at=now)
    watch = watch_of(bob, now + MINUTE)
    done = run(target, [sighting(1, created=now - MINUTE)], at=now + 2 * MINUTE)
    assert done.matches == []
    assert Match.objects.get(watch=watch).silent
    assert WatchTarget.objects.filter(baselined_at=None).count() == 0


def test_a_failed_first_check_leaves_the_baseline_open(target: Target, now: datetime) -> None:
    run(target, at=now, error="unavailable")
    assert WatchTarget.objects.get().baselined_at is None


def test_a_paused_watch_gets_no_match(target: Target, now: datetime) -> None:
    run(target, [], at=now)
    target.links.get().watch.__class__.objects.update(paused_at=now)
    done = run(target, [sighting(1, created=now + MINUTE)], at=now + 2 * MINUTE)
    assert done.matches == []


def test_a_listing_under_two_questions_of_one_watch_matches_once(alice: Any, now: datetime, redis: Any) -> None:
    watch = watch_of(alice, now, must=[], any_of=["ルミナ", "カメラ"])
    targets = list(Target.objects.filter(links__watch=watch))
    record([result(t, at=now) for t in targets], now=now)
    later = now + 2 * MINUTE
    done = record([result(t, [sighting(1, created=now + MINUTE)], at=later) for t in targets], now=later)
    assert len(done.matches) == Match.objects.count() == 1


def test_a_target_deleted_meanwhile_leaves_the_schedule(target: Target, now: datetime) -> None:
    late = result(target, [sighting(1)], at=now)
    target.delete()
    standing = record([late], now=now).standings[0]
    assert not standing.active


def test_a_check_later_than_a_column_can_hold_is_still_recorded(target: Target, now: datetime) -> None:
    from dataclasses import replace

    record([replace(result(target, at=now), lateness_ms=2**40, due_ms=1)], now=now)
    assert Check.objects.get().lateness_ms == 2**31 - 1


def test_missed_beats_are_counted(target: Target, now: datetime) -> None:
    from dataclasses import replace

    slow = replace(result(target, at=now), finished_at=now + timedelta(seconds=95))
    record([slow], now=now)
    assert Check.objects.get().missed_beats == 3


def test_the_currency_and_money_of_an_auction_stand_in_the_listing(target: Target, now: datetime) -> None:
    from monitor_site.contract import Kind

    run(target, [sighting(1, kind=Kind.AUCTION, bids=0, buy_now=Money(amount=9_000, currency="JPY"))], at=now)
    listing = Listing.objects.get()
    assert (listing.kind, listing.bids, listing.buy_now, listing.currency) == ("auction", 0, 9_000, "JPY")

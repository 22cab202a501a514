"""Looks that meet something else than an answer: given up in flight, told to rest, not counted, gone and back."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from monitor_site.contract import Status
from monitor_site.outbox.models import OutboxRow
from monitor_site.watches import follow, services
from monitor_site.watches.models import Listing, ListingEvent, Match, Target
from monitor_site.watches.record import record
from monitor_site.watches.results import Recorded
from tests.watches.lookers import let_look
from tests.watches.makers import result, sighting, watch_of

pytestmark = pytest.mark.django_db

SECOND, MINUTE, HOUR = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1)


@pytest.fixture(autouse=True)
def _looking(monkeypatch: pytest.MonkeyPatch, redis: Any) -> None:
    let_look(monkeypatch, "mercari")


@pytest.fixture
def search(alice: Any, now: datetime) -> Target:
    return Target.objects.get(links__watch=watch_of(alice, now, tell_existing=True))


@pytest.fixture
def look(search: Target, now: datetime) -> Target:
    """The look of a matched listing."""
    run(search, sighting(1), at=now)
    settle_all(now)
    return Target.objects.looks().get()


def settle_all(now: datetime) -> None:
    """What the job of the topic does, at a moment of the story."""
    rows = OutboxRow.objects.filter(topic="follow", done_at=None)
    follow.settle(listing_ids=list(rows.values_list("object_id", flat=True)), now=now)
    rows.update(done_at=now)


def run(target: Target, *rows: Any, at: datetime, **options: Any) -> Recorded:
    return record([result(target, rows, at=at, **options)], now=at + SECOND)


def gone(look: Target, *moments: datetime) -> None:
    for at in moments:
        run(look, at=at, error="listing_gone")


def events() -> list[str]:
    return list(ListingEvent.objects.order_by("pk").exclude(kind="listed").values_list("kind", flat=True))


def test_what_was_put_aside_during_a_look_is_not_begun_again_by_an_answer_that_it_is_gone(
    look: Target, now: datetime
) -> None:
    services.ignore_match(match=Match.objects.get(), now=now)
    gone(look, now + HOUR)
    look.refresh_from_db()
    assert (look.active, look.due_at) == (False, None)


def test_a_look_in_quarantine_stays_there_whatever_a_late_answer_says(look: Target, now: datetime) -> None:
    Target.objects.filter(pk=look.pk).update(quarantined_at=now, active=False)
    gone(look, now + HOUR)
    run(look, sighting(1), at=now + 2 * HOUR)
    look.refresh_from_db()
    assert not look.active


def test_a_person_s_look_at_what_nobody_follows_asks_twice_before_it_believes_that_it_is_gone(
    look: Target, now: datetime
) -> None:
    services.ignore_match(match=Match.objects.get(), now=now)
    follow.look_now(listing=Listing.objects.get(), now=now)
    gone(look, now + HOUR)
    look.refresh_from_db()
    assert look.due_at == now + HOUR + MINUTE + SECOND
    gone(look, now + HOUR + MINUTE)
    assert (events(), Listing.objects.get().status) == (["removed"], "removed")


def test_an_answer_of_an_earlier_life_that_it_is_gone_does_not_count_when_it_is_back(
    search: Target, look: Target, now: datetime
) -> None:
    gone(look, now + HOUR, now + HOUR + MINUTE)
    run(search, sighting(1, bids=1), at=now + 2 * HOUR)
    settle_all(now + 2 * HOUR)
    gone(look, now + 3 * HOUR)
    look.refresh_from_db()
    assert (events(), look.active) == (["removed", "back"], True)


def test_a_page_that_is_gone_is_not_asked_again_of_what_is_over(look: Target, now: datetime) -> None:
    run(look, sighting(1, status=Status.SOLD), at=now + HOUR)
    follow.look_now(listing=Listing.objects.get(), now=now + 2 * HOUR)
    gone(look, now + 2 * HOUR)
    look.refresh_from_db()
    assert (look.active, Listing.objects.get().status) == (False, "sold")


def test_a_look_rests_as_long_as_the_marketplace_wants_it_to(look: Target, now: datetime) -> None:
    at = now + HOUR
    failed = replace(result(look, at=at, error="unavailable"), wait_seconds=400.0)
    record([failed], now=at)
    look.refresh_from_db()
    assert look.due_at == at + timedelta(seconds=400)


def test_a_look_whose_result_does_not_count_rests_although_its_time_has_passed(look: Target, now: datetime) -> None:
    run(look, sighting(1), at=now + HOUR, fence=200)
    late = run(look, sighting(1), at=now + 9 * HOUR, fence=100)
    (standing,) = late.standings
    assert (late.stale, standing.delay_ms >= 60_000) == ({look.pk}, True)


@pytest.mark.parametrize("status", [Status.SOLD, Status.RESERVED, Status.STOPPED])
def test_what_comes_back_to_a_search_unchanged_after_a_look_saw_it_leave_is_back(
    search: Target, look: Target, now: datetime, status: Status
) -> None:
    run(look, sighting(1, status=status), at=now + HOUR)
    run(search, at=now + 2 * HOUR)
    run(search, sighting(1), at=now + 3 * HOUR)
    assert (events(), Listing.objects.get().status) == ([status.value, "back"], "on_sale")


def test_what_comes_back_to_a_search_after_two_wrong_answers_that_it_is_gone_is_back(
    search: Target, look: Target, now: datetime
) -> None:
    gone(look, now + HOUR, now + HOUR + MINUTE)
    run(search, at=now + 2 * HOUR)
    run(search, sighting(1), at=now + 3 * HOUR)
    assert events() == ["removed", "back"]


def test_a_search_that_never_ceased_to_show_what_is_sold_brings_nothing_back(
    search: Target, look: Target, now: datetime
) -> None:
    run(look, sighting(1, status=Status.SOLD), at=now + HOUR)
    for hour in range(2, 6):
        run(search, sighting(1), at=now + hour * HOUR)
    assert events() == ["sold"]


def test_what_a_whole_answer_doubts_is_looked_at_again_by_the_next(
    alice: Any, search: Target, look: Target, now: datetime
) -> None:
    run(look, sighting(1, status=Status.SOLD), at=now + HOUR)
    watch = watch_of(alice, now + HOUR, interval_seconds=60)
    assert watch.links.get().target_id == search.pk
    for wait in (MINUTE, HOUR):
        run(search, sighting(1), at=now + HOUR + wait)
    assert Match.objects.get(watch=watch).cause == "back"


def test_what_comes_back_unchanged_keeps_the_price_that_a_look_saw(search: Target, look: Target, now: datetime) -> None:
    run(look, sighting(1, status=Status.SOLD, price=4_000), at=now + HOUR)
    run(search, at=now + 2 * HOUR)
    run(search, sighting(1), at=now + 3 * HOUR)
    assert (events(), Listing.objects.get().price) == (["price_drop", "sold", "back"], 4_000)


def test_what_is_doubted_at_a_first_answer_matches_once_it_is_believed(alice: Any, look: Target, now: datetime) -> None:
    run(look, sighting(1, status=Status.SOLD), at=now + HOUR)
    other = Target.objects.get(links__watch=watch_of(alice, now, must=["カメラ"], tell_existing=True))
    for wait in (MINUTE, HOUR):
        run(other, sighting(1, bids=1), at=now + HOUR + wait)
    assert Match.objects.filter(watch__links__target=other).get().cause == "back"


def test_a_plugin_that_ceases_to_look_ends_the_following_and_one_that_learns_it_again_begins_it(
    look: Target, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as unable:
        let_look(unable)
        run(look, at=now + HOUR, error="plugin_fault")
        look.refresh_from_db()
        assert (look.active, follow.heal(now=now + 2 * HOUR)) == (False, 0)
    assert follow.heal(now=now + 3 * HOUR) == 1
    look.refresh_from_db()
    assert (look.active, look.due_at is not None and look.due_at > now + 3 * HOUR) == (True, True)


def test_a_listing_that_goes_while_its_look_is_in_quarantine_takes_it_along(look: Target, now: datetime) -> None:
    Target.objects.filter(pk=look.pk).update(quarantined_at=now, active=False)
    Listing.objects.all().delete()
    late = run(look, sighting(1), at=now + HOUR)
    assert (Target.objects.looks().exists(), late.standings[0].active) == (False, False)


def test_healing_begins_with_the_latest_match_and_counts_a_listing_once_however_many_want_it(
    alice: Any, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    for word in ("ルミナ", "カメラ", "号"):
        target = Target.objects.get(links__watch=watch_of(alice, now, must=[word], tell_existing=True))
        run(target, sighting(1), sighting(2), at=now)
    newest = Listing.objects.get(external_id=sighting(2).external_id)
    newest.matches.update(matched_at=now + MINUTE)
    monkeypatch.setattr(follow, "MOST_HEALED", 1)
    assert follow.heal(now=now + MINUTE) == 1
    assert Target.objects.looks().get().listing == newest
    assert [follow.heal(now=now + MINUTE) for _ in range(2)] == [1, 0]


def test_a_listing_that_only_moved_up_is_told_to_nobody(search: Target, look: Target, now: datetime) -> None:
    for hour in (1, 2):
        run(search, sighting(1, created=now, updated=now + hour * HOUR), at=now + hour * HOUR)
    assert events() == ["bumped"]
    assert not OutboxRow.objects.filter(topic="listing").exists()


def test_a_look_is_believed_however_soon_after_another_it_sees_a_listing_back(look: Target, now: datetime) -> None:
    run(look, sighting(1, status=Status.RESERVED), at=now + HOUR)
    run(look, sighting(1), at=now + HOUR + MINUTE)
    assert events() == ["reserved", "back"]


def test_an_answer_that_it_is_gone_which_began_before_a_search_saw_it_removes_nothing(
    search: Target, look: Target, now: datetime
) -> None:
    gone(look, now + HOUR)
    run(search, sighting(1, price=4_000), at=now + HOUR + 5 * MINUTE)
    gone(look, now + HOUR + 2 * MINUTE)
    look.refresh_from_db()
    assert (events(), Listing.objects.get().status, look.active) == (["price_drop"], "on_sale", True)

"""Watches of one listing have hours, days, cron and a little irregularity as others do."""

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.exceptions import ValidationError

from monitor_site.contract import Kind, Status
from monitor_site.watches import follow, services
from monitor_site.watches.looks import Watching, next_watched
from monitor_site.watches.models import Listing, Watch
from monitor_site.watches.times import Trigger
from tests.watches.lookers import let_look
from tests.watches.test_listing_watches import listing_watch, look, saw, wish

pytestmark = pytest.mark.django_db

SECOND, MINUTE, HOUR, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
TOKYO = ZoneInfo("Asia/Tokyo")
NINE, EIGHTEEN = 9 * 60, 18 * 60
HOURS = {"active_from": NINE, "active_to": EIGHTEEN}


@pytest.fixture(autouse=True)
def _looking(monkeypatch: pytest.MonkeyPatch, redis: Any) -> None:
    let_look(monkeypatch, "mercari")


def at(clock: str) -> datetime:
    return datetime.fromisoformat(f"2026-05-01 {clock}").replace(tzinfo=TOKYO).astimezone(UTC)


def local(moment: datetime | None) -> str:
    assert moment is not None
    return f"{moment.astimezone(TOKYO):%d %H:%M}"


def on(**times: Any) -> Watching:
    trigger = Trigger(every=600, zone="Asia/Tokyo", **times)
    return Watching(interval=10 * MINUTE, times=trigger, key="0" * 64, ends_within=30 * MINUTE)


def wanted(one: Watching, *, last: datetime, listing: Listing | None = None) -> str:
    return local(next_watched(listing, [one], last=last, now=last, floor=MINUTE))


# -- pure -----------------------------------------------------------------------------------------------------------


def test_after_its_hours_the_next_look_comes_with_the_next_ones() -> None:
    assert wanted(on(start=NINE, end=EIGHTEEN), last=at("12:00")) == "01 12:10"
    assert wanted(on(start=NINE, end=EIGHTEEN), last=at("17:55")) == "02 09:00"


def test_on_other_days_it_is_not_looked_at() -> None:
    assert wanted(on(days=(0,)), last=at("12:00")) == "04 00:00"  # the first of May 2026 is a Friday


def test_a_cron_is_kept_exactly() -> None:
    assert wanted(on(cron="0 7,19 * * *"), last=at("12:00")) == "01 19:00"


def auction(ends: datetime, **changes: Any) -> Listing:
    return Listing(kind=Kind.AUCTION, status=Status.ON_SALE, ends_at=ends, **changes)


def test_an_end_that_nears_is_looked_for_within_the_hours_only() -> None:
    hours = on(start=NINE, end=EIGHTEEN)
    assert wanted(hours, last=at("12:05"), listing=auction(at("12:37"))) == "01 12:07"
    assert wanted(hours, last=at("17:55"), listing=auction(at("23:00"))) == "02 09:00"
    assert wanted(on(cron="0 19 * * *"), last=at("12:05"), listing=auction(at("12:37"))) == "01 19:00"


def test_what_is_over_and_may_come_back_is_asked_for_within_the_hours() -> None:
    back = Watching(interval=10 * MINUTE, times=on(start=NINE, end=EIGHTEEN).times, key="0" * 64, back=True)
    assert wanted(back, last=at("10:00"), listing=Listing(status=Status.SOLD)) == "01 16:00"
    assert wanted(back, last=at("14:00"), listing=Listing(status=Status.SOLD)) == "02 09:00"


# -- with rows ------------------------------------------------------------------------------------------------------


def test_the_first_look_comes_at_once_and_the_next_within_the_hours(alice: Any) -> None:
    now = at("23:00")
    listing_watch(alice, now, **HOURS, interval_seconds=600)
    assert look().due_at == now
    saw(now + SECOND)
    assert local(look().due_at) in {f"02 09:0{n}" for n in range(10)}


@pytest.mark.parametrize(
    ("changes", "due"),
    [
        ({"interval_seconds": 3600}, 3600),
        ({"cron": "0 19 * * *"}, "01 19:00"),
        ({"active_from": EIGHTEEN, "active_to": NINE, "cron": "30 * * * *"}, "01 18:30"),
        ({"weekdays": [5], "cron": "0 * * * *"}, "02 00:00"),
    ],
)
def test_a_changed_setting_moves_the_next_look_at_once(alice: Any, changes: dict[str, Any], due: Any) -> None:
    now = at("12:00")
    watch = listing_watch(alice, now, interval_seconds=600)
    saw(now)
    services.change_watch(watch=watch, wish=wish(**{"interval_seconds": 600} | changes), now=now + 2 * MINUTE)
    found = look().due_at
    assert found is not None
    assert (round((found - now).total_seconds()) // 60 * 60 == due) if isinstance(due, int) else local(found) == due


def test_taking_the_hours_away_brings_the_next_look_near_again(alice: Any) -> None:
    now = at("23:00")
    watch = listing_watch(alice, now, **HOURS, interval_seconds=600)
    saw(now)
    services.change_watch(watch=watch, wish=wish(interval_seconds=600), now=now + MINUTE)
    assert local(look().due_at) == "01 23:10"


def test_another_time_zone_moves_the_next_look_with_its_hours(alice: Any) -> None:
    now = at("12:00")
    listing_watch(alice, now, cron="0 19 * * *")
    saw(now)
    assert follow.heal_clocks(now=now) == 0
    alice.time_zone = "Europe/Berlin"
    alice.save()
    assert follow.heal_clocks(now=now) == 1
    assert local(look().due_at) == "02 02:00"
    assert follow.heal_clocks(now=now) == 0


def test_of_two_watches_of_a_listing_the_earlier_time_counts(alice: Any, bob: Any) -> None:
    now = at("12:00")
    listing_watch(alice, now, cron="0 19 * * *")
    listing_watch(bob, now, cron="0 15 * * *")
    saw(now)
    assert local(look().due_at) == "01 15:00"


def test_a_paused_watch_is_not_looked_at_and_one_that_goes_on_is_at_once(alice: Any) -> None:
    now = at("23:00")
    watch = listing_watch(alice, now, **HOURS)
    saw(now)
    services.pause_watch(watch=watch, now=now)
    assert not look().active
    services.resume_watch(watch=watch, now=now + HOUR)
    assert (look().active, look().due_at) == (True, now + HOUR)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"active_from": 540}, "active_to"),
        ({"active_from": 540, "active_to": 540}, "active_to"),
        ({"active_from": 1440, "active_to": 1}, "active_from"),
        ({"weekdays": [7]}, "weekdays"),
        ({"cron": "soon"}, "cron"),
        ({"cron": "0 9 * * *", "jitter": True}, "jitter"),
        ({"cron": "0 9 * * *", "active_from": 600, "active_to": 660}, "cron"),
    ],
)
def test_times_that_cannot_be_are_refused_in_words(alice: Any, now: datetime, changes: Any, field: str) -> None:
    with pytest.raises(ValidationError) as refused:
        listing_watch(alice, now, **changes)
    assert list(refused.value.message_dict) == [field]
    assert not Watch.objects.exists()


def test_a_copy_keeps_them(alice: Any, now: datetime) -> None:
    copy = services.copy_watch(watch=listing_watch(alice, now, **HOURS, weekdays=[0]), now=now)
    assert (copy.active_from, copy.active_to, copy.weekdays) == (NINE, EIGHTEEN, [0])

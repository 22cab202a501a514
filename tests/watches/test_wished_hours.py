"""Hours, weekdays, cron and jitter as wishes: refused, put into one form, and what the question does with them."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches import needs, questions, services, versions
from monitor_site.watches.models import Target, Watch
from monitor_site.watches.needs import Need
from monitor_site.watches.record import record, standing_of
from tests.watches.makers import result, sighting, watch_of, wish

pytestmark = pytest.mark.django_db
NIGHT = {"active_from": 22 * 60, "active_to": 2 * 60}
TOKYO = ZoneInfo("Asia/Tokyo")


def target_of(watch: Watch) -> Target:
    return watch.links.get().target


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"active_from": 60}, "active_to"),
        ({"active_to": 60}, "active_from"),
        ({"active_from": 60, "active_to": 60}, "active_to"),
        ({"active_from": 60, "active_to": 1440}, "active_from"),
        ({"active_from": -1, "active_to": 30}, "active_from"),
        ({"weekdays": [7]}, "weekdays"),
        ({"cron": "* * * *"}, "cron"),
        ({"cron": "0 0 30 2 *"}, "cron"),
        ({"cron": "1," * 60 + "2 * * * *"}, "cron"),
        ({"cron": "0 9 * * *", "jitter": True}, "jitter"),
        ({"cron": "0 9 * * *", "adaptive": True}, "adaptive"),
        ({"cron": "0 9 * * *", "active_from": 0, "active_to": 60}, "cron"),
        ({"cron": "0 9 * * sat", "weekdays": [0]}, "cron"),
    ],
)
def test_what_makes_no_sense_is_refused_beside_its_field(alice: Any, now: datetime, changes: Any, field: str) -> None:
    with pytest.raises(ValidationError) as refused:
        watch_of(alice, now, **changes)
    assert list(refused.value.message_dict) == [field]
    assert not Watch.objects.exists()


def test_times_nearer_than_the_marketplace_allows_are_refused(
    alice: Any, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    from monitor_site.contract import Pace

    slow = Pace(per_minute=20, ceiling_per_minute=20, floor_seconds=120)
    monkeypatch.setattr(type(catalog()), "pace", lambda _self, _name: slow)
    with pytest.raises(ValidationError) as refused:
        watch_of(alice, now, cron="* * * * *")
    assert list(refused.value.message_dict) == ["cron"]


def test_the_database_holds_the_hours_together(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now)
    for changes in ({"active_from": 5}, {"active_from": 5, "active_to": 5}, {"active_from": 5, "active_to": 1440}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Watch.objects.filter(pk=watch.pk).update(**changes)


def test_a_wish_has_one_form(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now, weekdays=[6, 0, 6, 1, 2, 3, 4, 5], cron=" 0  9,17 * *  MON-FRI ")
    assert (watch.weekdays, watch.cron, watch.interval_seconds) == ([], "0 9,17 * * mon-fri", 8 * 3600)


def test_a_plain_interval_stays_on_its_grid(alice: Any, now: datetime) -> None:
    target = target_of(watch_of(alice, now))
    assert (target.times, target.due_at) == ([], None)


def test_a_question_with_hours_is_due_at_its_own_time_on_its_persons_clock(alice: Any, now: datetime) -> None:
    target = target_of(watch_of(alice, now, **NIGHT))
    assert target.times == [{"every": 30, "zone": "Asia/Tokyo", "start": 1320, "end": 120}]
    assert target.due_at is not None
    local = target.due_at.astimezone(TOKYO)
    assert (local.hour, local.minute, local.date()) == (22, 0, now.astimezone(TOKYO).date())
    assert standing_of(target, delay_ms=0).due_ms == round(target.due_at.timestamp() * 1000)


def test_whoever_asks_at_every_time_has_the_question_asked_for_both(alice: Any, bob: Any, now: datetime) -> None:
    watch = watch_of(alice, now, **NIGHT)
    other = watch_of(bob, now, interval_seconds=30)
    assert target_of(watch).times == []
    services.pause_watch(watch=other, now=now)
    assert len(target_of(watch).times) == 1
    services.delete_watch(watch=watch, now=now)
    assert not Target.objects.get().active


def test_a_changed_setting_moves_the_next_time_at_once(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now, **NIGHT)
    before = target_of(watch).due_at
    Target.objects.update(checked_at=now)
    services.change_watch(watch=watch, wish=wish(active_from=13 * 60, active_to=14 * 60), now=now)
    after = target_of(watch).due_at
    assert before is not None
    assert after is not None
    assert after.astimezone(TOKYO).hour == 13 < before.astimezone(TOKYO).hour


def test_each_check_gives_the_next_time_and_a_failed_one_backs_off_from_it(alice: Any, now: datetime) -> None:
    target = target_of(watch_of(alice, now, cron="0 * * * *"))
    at = now + timedelta(hours=1)
    (standing,) = record([result(target, [sighting(1)], at=at)], now=at).standings
    assert standing.due_ms == round((at + timedelta(hours=1)).timestamp() * 1000)
    for hours, error in ((2, "unavailable"), (3, "unavailable")):
        at = now + timedelta(hours=hours)
        (standing,) = record([result(target, at=at, error=error)], now=at).standings
    assert (standing.due_ms, standing.delay_ms) == (round((at + timedelta(hours=1)).timestamp() * 1000), 900_000)


def test_a_result_that_does_not_count_rests_before_it_is_asked_again(alice: Any, now: datetime) -> None:
    target = target_of(watch_of(alice, now, cron="0 * * * *"))
    at = now + timedelta(hours=1)
    record([result(target, [sighting(1)], at=at, fence=100)], now=at)
    stale = record([result(target, [sighting(1)], at=at, fence=50)], now=at)
    assert stale.stale == {target.pk}
    assert stale.standings[0].delay_ms == 60_000


def test_a_night_outside_its_hours_is_no_check_that_was_missed(alice: Any, now: datetime) -> None:
    watch_of(alice, now, **NIGHT)
    Target.objects.update(checked_at=now, succeeded_at=now)
    noon = now + timedelta(hours=8)
    assert needs.needing(Watch.objects.all(), now=noon, known={"mercari"}).get().need == Need.NONE
    next_morning = now + timedelta(hours=18)
    assert needs.needing(Watch.objects.all(), now=next_morning, known={"mercari"}).get().need == Need.STALE


def test_another_time_zone_of_a_person_is_noticed_and_moves_their_hours(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now, **NIGHT)
    assert questions.heal(now=now) == 0
    type(alice).objects.filter(pk=alice.pk).update(time_zone="Europe/Paris")
    assert questions.heal(now=now) == 1
    due = target_of(watch).due_at
    assert due is not None
    assert due.astimezone(ZoneInfo("Europe/Paris")).hour == 22
    assert questions.heal(now=now) == 0


def test_versions_and_copies_know_the_times(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now, **NIGHT, weekdays=[0, 4], jitter=True)
    copy = services.copy_watch(watch=watch, now=now)
    assert (copy.active_from, copy.active_to, copy.weekdays, copy.jitter) == (1320, 120, [0, 4], True)
    services.change_watch(watch=watch, wish=wish(cron="0 9 * * *"), now=now)
    first = watch.versions.order_by("number").first()
    assert first is not None
    services.restore_version(version=first, by=alice, now=now)
    watch.refresh_from_db()
    assert (watch.active_from, watch.weekdays, watch.cron) == (1320, [0, 4], "")
    assert versions.wish_of({"name": "old", "marketplaces": ["mercari"]}).weekdays == ()


def test_jitter_keeps_the_mean_and_every_beat_near_the_grid(alice: Any, now: datetime) -> None:
    target = target_of(watch_of(alice, now, jitter=True, interval_seconds=60))
    at, moments = now, []
    for _ in range(20):
        (standing,) = record([result(target, [sighting(1)], at=at)], now=at).standings
        assert standing.due_ms is not None
        at = datetime.fromtimestamp(standing.due_ms / 1000, tz=UTC)
        moments.append(at)
    gaps = [(later - sooner).total_seconds() for sooner, later in pairwise(moments)]
    assert 58 < sum(gaps) / len(gaps) < 62
    assert len(set(gaps)) > 5
    assert all(47 < gap < 73 for gap in gaps)

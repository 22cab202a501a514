"""What people do with watches: saving, changing, pausing, and who is asked in the end."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from monitor_site.outbox.models import OutboxRow
from monitor_site.watches import services
from monitor_site.watches.models import Match, Target, Watch, WatchTarget
from monitor_site.watches.record import record
from tests.watches.makers import result, sighting, watch_of, wish

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("redis")]

REFUSED = [
    ({"must": []}, "must"),
    ({"must": ["   ", "\u3000"]}, "must"),
    ({"must": ["\u200b"]}, "must"),
    ({"must": ["ー"]}, "must"),
    ({"must": ["a\x00b"]}, "must"),
    ({"must": ["x" * 61]}, "must"),
    ({"must": [f"word{n}" for n in range(21)]}, "must"),
    ({"any_of": [f"word{n}" for n in range(6)]}, "any_of"),
    ({"none_of": ["ﾙﾐﾅ"]}, "none_of"),
    ({"name": "n" * 81}, "name"),
    ({"name": "bell\x07"}, "name"),
    ({"price_min": 5_000, "price_max": 4_999}, "price_min"),
    ({"price_max": 0}, "price_max"),
    ({"price_min": -1}, "price_min"),
    ({"price_max": 10**12}, "price_max"),
    ({"interval_seconds": 0}, "interval_seconds"),
    ({"interval_seconds": 10**9}, "interval_seconds"),
    ({"marketplaces": []}, "marketplaces"),
    ({"marketplaces": ["nowhere"]}, "marketplaces"),
    ({"marketplaces": ["mercari", "nowhere"]}, "marketplaces"),
    ({"conditions": ["perfect"]}, "conditions"),
    ({"shipping": "by ship"}, "shipping"),
    ({"policy": "buy"}, "policy"),
    ({"options": {"mercari": {"colour": "red"}}}, "options"),
]


@pytest.mark.parametrize(("changes", "field"), REFUSED)
def test_what_cannot_be_wished_is_refused_with_a_sentence_and_nothing_is_saved(
    alice: Any, now: datetime, changes: dict[str, Any], field: str
) -> None:
    with pytest.raises(ValidationError) as refusal:
        services.create_watch(user=alice, wish=wish(**changes), now=now)
    assert refusal.value.message_dict[field][0].endswith((".", "”"))
    assert not Watch.objects.exists()
    assert not Target.objects.exists()


def test_a_watch_without_a_name_is_called_after_its_words(alice: Any, now: datetime) -> None:
    assert watch_of(alice, now, name=" ", must=["ルミナ", "T2"]).name == "ルミナ T2"


def test_words_are_trimmed_and_said_once(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now, must=[" ルミナ ", "ﾙﾐﾅ", "T2"])
    assert watch.must == ["ルミナ", "T2"]


def test_the_same_question_is_asked_once_for_everybody(alice: Any, bob: Any, now: datetime) -> None:
    watch_of(alice, now, must=["ルミナ", "Ｔ２"], price_max=9_000, interval_seconds=60)
    watch_of(bob, now, must=["T2", "ルミナ"], none_of=["ジャンク"], interval_seconds=20)
    target = Target.objects.get()
    assert target.interval_seconds == 20
    assert target.criteria == '{"keyword":"T2 ルミナ"}'


def test_each_of_several_words_is_a_question_of_its_own(alice: Any, now: datetime) -> None:
    watch_of(alice, now, must=["ルミナ"], any_of=["T2", "T3"])
    assert sorted(Target.objects.values_list("criteria", flat=True)) == [
        '{"keyword":"T2 ルミナ"}',
        '{"keyword":"T3 ルミナ"}',
    ]


def test_a_target_nobody_wants_any_more_rests(alice: Any, bob: Any, now: datetime) -> None:
    mine, theirs = watch_of(alice, now, interval_seconds=20), watch_of(bob, now, interval_seconds=60)
    services.pause_watch(watch=mine, now=now)
    assert list(Target.objects.values_list("active", "interval_seconds")) == [(True, 60)]
    services.delete_watch(watch=theirs, now=now)
    assert list(Target.objects.values_list("active", flat=True)) == [False]
    services.resume_watch(watch=mine, now=now)
    assert list(Target.objects.values_list("active", "interval_seconds")) == [(True, 20)]


def test_after_a_pause_what_came_meanwhile_is_the_new_baseline(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now)
    target = Target.objects.get()
    record([result(target, at=now)], now=now)
    services.pause_watch(watch=watch, now=now)
    services.resume_watch(watch=watch, now=now + timedelta(days=7))
    later = now + timedelta(days=7, minutes=1)
    new = [sighting(n, created=now + timedelta(days=n)) for n in range(1, 7)]
    done = record([result(target, new, at=later)], now=later)
    assert done.matches == []
    assert Match.objects.filter(silent=True).count() == 6


def test_pausing_twice_keeps_the_first_moment(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now)
    services.pause_watch(watch=watch, now=now)
    services.pause_watch(watch=watch, now=now + timedelta(hours=1))
    watch.refresh_from_db()
    assert watch.paused_at == now


def test_changed_words_ask_another_question_and_begin_silently(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now)
    record([result(Target.objects.get(), at=now)], now=now)
    services.change_watch(watch=watch, wish=wish(must=["アリア"]), now=now)
    link = WatchTarget.objects.get()
    assert (link.target.criteria, link.baselined_at) == ('{"keyword":"アリア"}', None)
    assert Target.objects.filter(active=True).count() == 1


def test_a_changed_name_or_interval_keeps_the_baseline(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now)
    record([result(Target.objects.get(), at=now)], now=now)
    services.change_watch(watch=watch, wish=wish(name="Other", interval_seconds=90), now=now)
    assert WatchTarget.objects.get().baselined_at is not None
    assert Target.objects.get().interval_seconds == 90


def test_what_was_listed_since_the_last_check_is_still_new_under_a_changed_rule(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now)
    target = Target.objects.get()
    record([result(target, at=now)], now=now)
    services.change_watch(watch=watch, wish=wish(none_of=["ジャンク"]), now=now + timedelta(minutes=9))
    later = now + timedelta(minutes=10)
    rows = [sighting(1, created=now + timedelta(minutes=5)), sighting(2, created=now - timedelta(hours=1))]
    done = record([result(target, rows, at=later)], now=later)
    assert list(Match.objects.filter(pk__in=done.matches).values_list("listing__external_id", flat=True)) == [
        rows[0].external_id
    ]


def test_what_is_listed_between_saving_and_the_first_check_is_new(alice: Any, now: datetime) -> None:
    watch_of(alice, now)
    target = Target.objects.get()
    later = now + timedelta(minutes=30)
    done = record([result(target, [sighting(1, created=now + timedelta(minutes=7))], at=later)], now=later)
    assert Match.objects.get(pk__in=done.matches).cause == "listed"


def test_telling_what_already_matches_happens_once_not_after_every_pause(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now, tell_existing=True)
    target = Target.objects.get()
    record([result(target, [sighting(1, created=now - timedelta(days=2))], at=now)], now=now)
    services.pause_watch(watch=watch, now=now)
    services.resume_watch(watch=watch, now=now + timedelta(days=1))
    later = now + timedelta(days=1, minutes=1)
    old = [sighting(n, created=now - timedelta(days=1)) for n in range(1, 9)]
    assert record([result(target, old, at=later)], now=later).matches == []


def test_a_change_does_not_undo_a_pause_made_meanwhile(alice: Any, now: datetime) -> None:
    stale = watch_of(alice, now)
    services.pause_watch(watch=Watch.objects.get(), now=now)
    services.change_watch(watch=stale, wish=wish(name="renamed"), now=now)
    assert Watch.objects.get().paused_at == now


def test_every_change_of_a_target_is_noted_for_the_schedule(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now)
    first = OutboxRow.objects.get(topic="target").epoch
    services.pause_watch(watch=watch, now=now)
    row = OutboxRow.objects.get(topic="target")
    assert (row.epoch, row.done_at) == (first + 1, None)


def test_seen_and_ignored_matches_are_their_users_only(alice: Any, bob: Any, now: datetime) -> None:
    watch_of(alice, now, tell_existing=True)
    record([result(Target.objects.get(), [sighting(1)], at=now)], now=now)
    match = Match.objects.get()
    assert services.see_matches(user=bob, match_ids=[match.pk]) == 0
    assert services.see_matches(user=alice, match_ids=[match.pk]) == 1
    services.ignore_match(match=match, now=now)
    services.restore_match(match=match, now=now)
    match.refresh_from_db()
    assert match.state == "seen"


def test_the_database_repeats_what_services_promise(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now)
    for broken in ({"price_min": 9, "price_max": 8}, {"price_max": 0}, {"policy": "steal"}, {"interval_seconds": 0}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Watch.objects.filter(pk=watch.pk).update(**broken)


def test_a_quarantined_target_stays_out_until_it_is_released(alice: Any, now: datetime) -> None:
    watch = watch_of(alice, now)
    Target.objects.update(quarantined_at=now, active=False)
    services.resume_watch(watch=watch, now=now)
    services.change_watch(watch=watch, wish=wish(name="x"), now=now)
    target = Target.objects.get()
    assert not target.active
    services.release_target(target=target, now=now)
    target.refresh_from_db()
    assert target.active

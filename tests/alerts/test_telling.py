"""From matches and events to alerts and notices: who is told of what, through which channels, once."""

from datetime import timedelta
from threading import Barrier, Thread

import pytest
from django.db import connections

from monitor_site.alerts import happenings
from monitor_site.alerts.models import Alert, Channel, Importance, Notice
from monitor_site.alerts.services import MOST_CHANNELS, TooManyChannels, set_watch_alerts
from monitor_site.alerts.telling import TOPIC
from monitor_site.outbox.models import OutboxRow
from monitor_site.watches import resting
from monitor_site.watches.models import Crossing, EventKind, ListingEvent, Match, MatchState
from tests.alerts.rows import channel_of, match, watch_of

pytestmark = pytest.mark.django_db


def told(now, *matches):
    happenings.tell_of_matches(match_ids=[one.pk for one in matches], now=now)
    return list(Notice.objects.order_by("pk"))


def changed(now, *listings):
    happenings.tell_of_changes(listing_ids=[one.pk for one in listings], now=now)
    return list(Alert.objects.order_by("pk"))


def event(one, kind, at, **fields):
    return ListingEvent.objects.create(listing=one.listing, kind=kind, at=at, trace="t2", **fields)


def test_a_match_becomes_an_alert_and_a_notice_at_once(alice, now):
    channel = channel_of(alice, now=now)
    found = match(watch_of(alice, now=now), 1, now=now)
    [notice] = told(now, found)
    assert (notice.channel, notice.due_at, notice.held, notice.delivery) == (channel, now, "", None)
    assert (notice.alert.kind, notice.alert.match_ids, notice.alert.trace) == ("match", [found.pk], "t")
    assert OutboxRow.objects.filter(topic=TOPIC, object_id=channel.pk, done_at=None).exists()


def test_whatever_runs_twice_tells_once(alice, now):
    channel_of(alice, now=now)
    found = match(watch_of(alice, now=now), 1, now=now)
    assert told(now, found) == told(now + timedelta(minutes=1), found)
    assert Alert.objects.count() == 1


def test_one_alert_names_all_watches_that_hit_a_listing(alice, now):
    channel_of(alice, now=now)
    first = match(watch_of(alice, now=now, name="A"), 1, now=now)
    second = match_again(watch_of(alice, now=now, name="B"), first, now)
    [notice] = told(now, first, second)
    assert notice.alert.match_ids == [first.pk, second.pk]


def match_again(watch, found, now):
    return Match.objects.create(
        user=watch.user, watch=watch, listing=found.listing, cause="listed", trace="t", matched_at=now, decision=[]
    )


def test_a_watch_that_hits_later_is_added_and_nobody_is_told_twice(alice, now):
    channel_of(alice, now=now)
    first = match(watch_of(alice, now=now, name="A"), 1, now=now)
    told(now, first)
    second = match_again(watch_of(alice, now=now, name="B"), first, now)
    [notice] = told(now, second)
    assert notice.alert.match_ids == [first.pk, second.pk]


@pytest.mark.parametrize("fields", [{"silent": True}, {"state": MatchState.IGNORED}])
def test_nobody_is_told_of_what_was_there_before_or_was_put_aside(alice, now, fields):
    channel_of(alice, now=now)
    assert told(now, match(watch_of(alice, now=now), 1, now=now, **fields)) == []


def test_a_muted_watch_tells_nobody_and_another_that_hits_the_same_does(alice, now):
    channel_of(alice, now=now)
    muted, loud = watch_of(alice, now=now, name="A"), watch_of(alice, now=now, name="B")
    resting.mute_watch(watch=muted, until=None, now=now)
    first = match(muted, 1, now=now)
    assert told(now, first) == []
    second = match_again(loud, first, now)
    assert [notice.alert.match_ids for notice in told(now, first, second)] == [[second.pk]]


def test_a_match_that_sleeps_is_not_told_of(alice, now):
    channel_of(alice, now=now)
    found = match(watch_of(alice, now=now), 1, now=now)
    resting.snooze_match(match=found, until=now + timedelta(hours=1))
    assert told(now, found) == []


def test_nobody_hears_of_a_strangers_match(alice, bob, now):
    channel_of(bob, now=now)
    assert told(now, match(watch_of(alice, now=now), 1, now=now)) == []


def test_two_people_who_want_the_same_listing_are_both_told(alice, bob, now):
    mine, theirs = channel_of(alice, now=now), channel_of(bob, now=now)
    first = match(watch_of(alice, now=now), 1, now=now)
    second = match_again(watch_of(bob, now=now), first, now)
    assert {notice.channel for notice in told(now, first, second)} == {mine, theirs}


def test_a_watch_that_names_channels_is_told_of_there_only(alice, now):
    channel_of(alice, now=now)
    named = channel_of(alice, now=now, name="Mail", is_default=False)
    watch = watch_of(alice, now=now)
    set_watch_alerts(watch=watch, importance=Importance.NORMAL, channels=[named])
    assert [notice.channel for notice in told(now, match(watch, 1, now=now))] == [named]


def test_a_watch_cannot_name_a_strangers_channel(alice, bob, now):
    watch = watch_of(alice, now=now)
    set_watch_alerts(watch=watch, importance=Importance.NORMAL, channels=[channel_of(bob, now=now)])
    assert not watch.alerts.channels.exists()


def test_a_channel_tells_only_of_what_matters_enough(alice, now):
    channel_of(alice, now=now, least=Importance.HIGH)
    normal, high = watch_of(alice, now=now, name="A"), watch_of(alice, now=now, name="B")
    set_watch_alerts(watch=high, importance=Importance.HIGH, channels=[])
    assert told(now, match(normal, 1, now=now)) == []
    [notice] = told(now, match(high, 2, now=now))
    assert notice.alert.importance == Importance.HIGH


def test_a_channel_tells_only_of_the_kinds_it_is_asked_to(alice, now):
    channel_of(alice, now=now, tells=("price_drop",))
    found = match(watch_of(alice, now=now), 1, now=now)
    assert told(now, found) == []
    event(found, EventKind.PRICE_DROP, now + timedelta(hours=1), before=2000, after=1500)
    changed(now + timedelta(hours=1), found.listing)
    assert Notice.objects.count() == 1


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (EventKind.PRICE_DROP, "price_drop"),
        (EventKind.PRICE_RISE, "price_rise"),
        (EventKind.BACK, "back"),
        (EventKind.SOLD, "sold"),
        (EventKind.ENDED, "sold"),
        (EventKind.REMOVED, "sold"),
        (EventKind.STOPPED, "sold"),
    ],
)
def test_what_happens_to_a_matched_listing_is_an_alert_once(alice, now, kind, expected):
    later = now + timedelta(hours=1)
    found = match(watch_of(alice, now=now), 1, now=now)
    event(found, kind, later, before=2000, after=1500)
    [alert] = changed(later, found.listing)
    assert (alert.kind, alert.facts["before"], alert.facts["price"]) == (expected, 2000, 1500)
    assert changed(later, found.listing) == [alert]


@pytest.mark.parametrize("kind", [EventKind.BUMPED, EventKind.EXTENDED, EventKind.LISTED, EventKind.RESERVED])
def test_what_changes_nothing_for_a_person_is_no_alert(alice, now, kind):
    found = match(watch_of(alice, now=now), 1, now=now)
    event(found, kind, now + timedelta(hours=1))
    assert changed(now + timedelta(hours=1), found.listing) == []


def test_what_flaps_is_told_of_once(alice, now):
    found = match(watch_of(alice, now=now), 1, now=now)
    event(found, EventKind.BACK, now + timedelta(hours=1), damped=True)
    assert changed(now + timedelta(hours=1), found.listing) == []


def test_what_happened_before_the_match_is_part_of_it(alice, now):
    found = match(watch_of(alice, now=now), 1, now=now)
    event(found, EventKind.PRICE_DROP, now - timedelta(seconds=1), before=2, after=1)
    assert changed(now, found.listing) == []


def test_a_second_alert_of_a_listing_waits_for_its_cool_down(alice, now):
    channel_of(alice, now=now, cool_down_minutes=15)
    found = match(watch_of(alice, now=now), 1, now=now)
    told(now, found)
    event(found, EventKind.PRICE_DROP, now + timedelta(minutes=5), before=2000, after=1500)
    changed(now + timedelta(minutes=5), found.listing)
    assert [(one.due_at, one.held) for one in Notice.objects.order_by("pk")] == [
        (now, ""),
        (now + timedelta(minutes=15), "cool_down"),
    ]


def test_a_channel_that_was_given_up_is_stood_in_for_by_its_backup(alice, now):
    backup = channel_of(alice, now=now, name="Mail", is_default=False)
    channel = channel_of(alice, now=now, backup=backup)
    Channel.objects.filter(pk=channel.pk).update(disabled_at=now)
    assert [notice.channel for notice in told(now, match(watch_of(alice, now=now), 1, now=now))] == [backup]


def test_without_anybody_to_stand_in_it_waits_for_the_channel_that_was_given_up(alice, now):
    channel = channel_of(alice, now=now)
    Channel.objects.filter(pk=channel.pk).update(disabled_at=now)
    assert [notice.channel for notice in told(now, match(watch_of(alice, now=now), 1, now=now))] == [channel]


def test_beside_a_channel_that_fails_another_one_tells_too(alice, now):
    channel = channel_of(alice, now=now)
    other = channel_of(alice, now=now, name="Mail", is_default=False)
    Channel.objects.filter(pk=channel.pk).update(failures=5, failing_since=now)
    assert {notice.channel for notice in told(now, match(watch_of(alice, now=now), 1, now=now))} == {channel, other}


def test_a_person_has_only_so_many_channels(alice, now):
    for _ in range(MOST_CHANNELS):
        channel_of(alice, now=now)
    with pytest.raises(TooManyChannels):
        channel_of(alice, now=now)


def crossed(user, now, kind="fall", **fields):
    """A price watch whose listing crossed a trigger."""
    watch = watch_of(user, now=now, kind="listing", external_id="m00000000001", must=[], fall_percent=10)
    found = match(watch, 1, now=now, cause="crossed")
    figures = {"before": 2000, "price": 1500} | fields
    crossing = Crossing.objects.create(match=found, kind=kind, kinds=[kind], at=now, trace="t9", **figures)
    return found, crossing


def test_a_crossing_is_an_alert_once_and_its_match_is_none_of_its_own(alice, now):
    channel_of(alice, now=now)
    found, crossing = crossed(alice, now)
    assert told(now, found) == []
    for _ in range(2):
        happenings.tell_of_crossings(crossing_ids=[crossing.pk], now=now)
    [notice] = Notice.objects.all()
    assert (notice.alert.kind, notice.alert.trace) == ("crossing", "t9")
    assert notice.alert.facts == {"before": 2000, "price": 1500, "event": "fall"}


def test_a_price_watch_tells_of_its_triggers_and_of_the_end_and_of_no_other_change(alice, now):
    found, _crossing = crossed(alice, now)
    later = now + timedelta(hours=2)
    event(found, EventKind.PRICE_DROP, later, before=1500, after=1400)
    event(found, EventKind.SOLD, later)
    assert [alert.kind for alert in changed(later, found.listing)] == ["sold"]


def test_a_crossing_of_a_muted_watch_tells_nobody(alice, now):
    channel_of(alice, now=now)
    found, crossing = crossed(alice, now)
    resting.mute_watch(watch=found.watch, until=None, now=now)
    happenings.tell_of_crossings(crossing_ids=[crossing.pk], now=now)
    assert not Notice.objects.exists()


@pytest.mark.django_db(transaction=True)
def test_six_who_find_the_same_match_at_once_tell_once(alice, now):
    channel_of(alice, now=now)
    found = match(watch_of(alice, now=now), 1, now=now)
    start = Barrier(6)

    def find():
        try:
            start.wait()
            happenings.tell_of_matches(match_ids=[found.pk], now=now)
        finally:
            connections.close_all()

    threads = [Thread(target=find) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (Alert.objects.count(), Notice.objects.count()) == (1, 1)

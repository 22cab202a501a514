"""Messages of a channel: one at a time, one worker at a time, few one by one, many together, within its rate."""

from datetime import timedelta
from threading import Barrier, Thread

import pytest
from django.db import connections

from monitor_site.alerts import happenings
from monitor_site.alerts.claiming import BURST, busy_time, claim
from monitor_site.alerts.concluding import conclude
from monitor_site.alerts.models import Channel, Delivery, DeliveryState, Notice
from monitor_site.alerts.services import begin_test
from monitor_site.alerts.ways.values import Answer, Outcome
from tests.alerts.rows import RATES, channel_of, match, watch_of

pytestmark = pytest.mark.django_db
ACCEPTED = Answer(outcome=Outcome.ACCEPTED, status=200, seconds=0.1)


def taken(channel, now):
    return claim(channel_id=channel.pk, rates=RATES, now=now)


def matches(user, count, now, name="Lumina", first=1):
    watch = watch_of(user, now=now, name=name)
    found = [match(watch, number, now=now) for number in range(first, first + count)]
    happenings.tell_of_matches(match_ids=[one.pk for one in found], now=now)


def told_of(parcel):
    return parcel.delivery.notices.count()


def test_with_nothing_to_tell_there_is_no_message_and_the_channel_is_free(alice, now):
    channel = channel_of(alice, now=now)
    assert taken(channel, now) is None
    channel.refresh_from_db()
    assert channel.busy_until is None


def test_a_worker_has_a_channel_for_itself(alice, now):
    channel = channel_of(alice, now=now)
    matches(alice, 2, now)
    assert taken(channel, now) is not None
    assert taken(channel, now) is None


def test_whoever_dies_leaves_a_message_that_comes_again_under_the_same_id(alice, now):
    channel = channel_of(alice, now=now)
    matches(alice, 1, now)
    lost = taken(channel, now)
    again = taken(channel, now + busy_time())
    assert again.delivery.public_id == lost.delivery.public_id
    assert told_of(again) == 1


def test_whoever_comes_back_too_late_changes_nothing(alice, now):
    channel = channel_of(alice, now=now)
    matches(alice, 1, now)
    stopped = taken(channel, now)
    other = taken(channel, now + busy_time())
    assert conclude(parcel=stopped, answer=Answer(outcome=Outcome.GONE, status=410), now=now + busy_time()) is False
    assert conclude(parcel=other, answer=ACCEPTED, now=now + busy_time()) is True
    assert Delivery.objects.get().state == DeliveryState.SENT


def test_few_alerts_come_one_by_one_and_in_order(alice, now):
    channel = channel_of(alice, now=now)
    matches(alice, 3, now)
    heard = []
    while parcel := taken(channel, now):
        heard.append(parcel.delivery.notices.get().alert.listing.external_id)
        conclude(parcel=parcel, answer=ACCEPTED, now=now)
    assert heard == ["m00000000001", "m00000000002", "m00000000003"]


def test_a_burst_is_one_message(alice, now):
    channel = channel_of(alice, now=now)
    matches(alice, 40, now)
    assert told_of(taken(channel, now)) == 40


def test_a_digest_is_one_message_however_little_it_holds(alice, now):
    channel = channel_of(alice, now=now, digest_minutes=60)
    matches(alice, 2, now)
    assert taken(channel, now) is None
    assert told_of(taken(channel, now + timedelta(hours=1))) == 2


def test_what_is_held_is_told_when_its_time_has_come(alice, now):
    channel = channel_of(alice, now=now, quiet_from=0, quiet_until=13 * 60)  # it is noon in Tokyo
    matches(alice, 1, now)
    assert taken(channel, now) is None
    assert taken(channel, now + timedelta(hours=1)) is not None


def test_at_the_end_of_its_rate_a_channel_rests_and_then_tells_the_rest_together(alice, now):
    channel = channel_of(alice, now=now, kind="telegram")
    for number in range(1, int(BURST) + 1):
        matches(alice, 1, now, name=str(number), first=number)
        conclude(parcel=taken(channel, now), answer=ACCEPTED, now=now)
    matches(alice, 5, now, first=100)
    assert taken(channel, now) is None
    channel.refresh_from_db()
    assert channel.rests_until == now + timedelta(seconds=3)
    assert told_of(taken(channel, now + timedelta(seconds=3))) == 5


def test_after_the_most_messages_of_a_day_the_rest_comes_the_next_day_together(alice, now):
    channel = channel_of(alice, now=now, per_day=1)
    matches(alice, 2, now)
    conclude(parcel=taken(channel, now), answer=ACCEPTED, now=now)
    assert taken(channel, now) is None
    notice = Notice.objects.get(delivery=None)
    assert (notice.held, notice.due_at) == ("day", now.replace(hour=15))
    assert taken(channel, now.replace(hour=15)) is not None


def test_a_test_goes_out_whatever_holds_other_messages_back(alice, now):
    channel = channel_of(alice, now=now, per_day=1, quiet_from=0, quiet_until=1439, digest_minutes=60)
    Channel.objects.filter(pk=channel.pk).update(
        muted_until=now + timedelta(days=1), rests_until=now + timedelta(hours=1), disabled_at=now
    )
    matches(alice, 1, now)
    notice = begin_test(channel=channel, now=now)
    parcel = taken(channel, now)
    assert list(parcel.delivery.notices.all()) == [notice]


def test_a_test_that_arrives_takes_back_that_the_channel_was_given_up(alice, now):
    channel = channel_of(alice, now=now)
    Channel.objects.filter(pk=channel.pk).update(disabled_at=now, failures=7, failing_since=now)
    begin_test(channel=channel, now=now)
    conclude(parcel=taken(channel, now), answer=ACCEPTED, now=now)
    channel.refresh_from_db()
    assert (channel.disabled_at, channel.failures, channel.is_failing) == (None, 0, False)


def test_a_kind_that_is_not_known_any_more_loses_nothing(alice, now):
    channel = channel_of(alice, now=now, kind="pager")
    matches(alice, 1, now)
    assert taken(channel, now) is None
    assert Notice.objects.filter(channel=channel, delivery=None).exists()


@pytest.mark.django_db(transaction=True)
def test_of_six_workers_that_come_at_once_one_gets_the_message(alice, now):
    channel = channel_of(alice, now=now)
    matches(alice, 1, now)
    start, won = Barrier(6), []

    def come():
        try:
            start.wait()
            if parcel := taken(channel, now):
                won.append(parcel)
        finally:
            connections.close_all()

    threads = [Thread(target=come) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(won) == 1
    assert Delivery.objects.count() == 1

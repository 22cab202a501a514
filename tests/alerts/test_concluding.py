"""What an answer means for the message, for its channel, and for who stands in for it."""

from datetime import timedelta

import pytest

from monitor_site.alerts import happenings
from monitor_site.alerts.claiming import claim
from monitor_site.alerts.concluding import WAITS, conclude
from monitor_site.alerts.models import Alert, Channel, Delivery, DeliveryState, Notice
from monitor_site.alerts.services import begin_weekly_tests, mute_channel, send_again, wake_channels
from monitor_site.alerts.ways.values import Answer, Outcome
from monitor_site.outbox.models import OutboxRow
from tests.alerts.rows import RATES, channel_of, match, watch_of

pytestmark = pytest.mark.django_db


def alert(user, now, number=1):
    found = match(watch_of(user, now=now, name=str(number)), number, now=now)
    happenings.tell_of_matches(match_ids=[found.pk], now=now)


def attempt(channel, now, outcome, **answer):
    """Claim and conclude once; the delivery as it stands then, ``None`` when there was nothing to send."""
    parcel = claim(channel_id=channel.pk, rates=RATES, now=now)
    if parcel is None:
        return None
    conclude(parcel=parcel, answer=Answer(outcome=outcome, **answer), now=now)
    channel.refresh_from_db()
    return Delivery.objects.get(pk=parcel.delivery.pk)


def live_through(channel, start, end, outcome):
    """Every attempt from start to end, at the moments the channel itself asks for."""
    moment, tries = start, []
    while moment < end:
        if (delivery := attempt(channel, moment, outcome)) is not None:
            tries.append((moment, delivery))
        channel.refresh_from_db()
        rests_until = channel.rests_until or moment
        if delivery is None and rests_until <= moment:
            break
        moment = max(moment + timedelta(milliseconds=delivery is not None), rests_until)
    return tries


def test_what_was_accepted_is_delivered(alice, now):
    channel = channel_of(alice, now=now)
    alert(alice, now)
    delivery = attempt(channel, now, Outcome.ACCEPTED, status=200, seconds=0.4)
    assert (delivery.state, delivery.status, delivery.seconds, delivery.attempts) == (DeliveryState.SENT, 200, 0.4, 1)
    assert channel.delivered_at == now


def test_a_channel_that_asks_to_wait_is_waited_for_and_has_not_failed(alice, now):
    channel = channel_of(alice, now=now)
    alert(alice, now)
    delivery = attempt(channel, now, Outcome.THROTTLED, status=429, retry_after=34.0)
    assert (delivery.state, delivery.due_at) == (DeliveryState.WAITING, now + timedelta(seconds=34))
    assert (channel.rests_until, channel.failures) == (now + timedelta(seconds=34), 0)
    assert attempt(channel, now + timedelta(seconds=33), Outcome.ACCEPTED) is None
    assert attempt(channel, now + timedelta(seconds=34), Outcome.ACCEPTED).public_id == delivery.public_id


def test_while_a_channel_rests_what_comes_is_kept_and_told_together(alice, now):
    channel = channel_of(alice, now=now)
    alert(alice, now)
    attempt(channel, now, Outcome.THROTTLED, retry_after=34.0)
    for number in range(2, 9):
        alert(alice, now + timedelta(seconds=5), number)
    later = now + timedelta(seconds=34)
    first, rest = attempt(channel, later, Outcome.ACCEPTED), attempt(channel, later, Outcome.ACCEPTED)
    assert (first.notices.count(), rest.notices.count()) == (1, 7)


def test_a_wait_without_end_is_kept_within_reason(alice, now):
    channel = channel_of(alice, now=now)
    alert(alice, now)
    delivery = attempt(channel, now, Outcome.THROTTLED, retry_after=1e9)
    assert delivery.due_at == now + timedelta(hours=6)


def test_a_message_that_is_refused_is_given_up_and_the_channel_goes_on(alice, now):
    channel = channel_of(alice, now=now)
    alert(alice, now)
    alert(alice, now, 2)
    delivery = attempt(channel, now, Outcome.REFUSED, status=400, words="too odd")
    assert (delivery.state, delivery.words, channel.failures) == (DeliveryState.DEAD, "too odd", 0)
    assert attempt(channel, now, Outcome.ACCEPTED).state == DeliveryState.SENT


def test_a_sink_that_is_down_for_a_day_ends_in_a_message_that_is_seen_to_be_undelivered(alice, now):
    channel = channel_of(alice, now=now)
    alert(alice, now)
    tries = live_through(channel, now, now + timedelta(hours=25), Outcome.UNREACHABLE)
    moments, deliveries = zip(*tries, strict=True)
    assert {one.public_id for one in deliveries} == {deliveries[0].public_id}
    assert len(tries) == len(WAITS) + 1
    assert deliveries[-1].state == DeliveryState.DEAD
    assert moments[-1] - now > timedelta(hours=22)
    assert channel.is_failing


def test_a_sink_that_comes_back_within_the_day_gets_everything(alice, now):
    channel = channel_of(alice, now=now)
    alert(alice, now)
    live_through(channel, now, now + timedelta(hours=8), Outcome.UNREACHABLE)
    for number in range(2, 5):
        alert(alice, now + timedelta(hours=8), number)
    live_through(channel, now + timedelta(hours=8), now + timedelta(hours=24), Outcome.ACCEPTED)
    assert not Notice.objects.filter(delivery=None).exists()
    assert set(Delivery.objects.values_list("state", flat=True)) == {DeliveryState.SENT}
    assert (channel.failures, channel.rests_until) == (0, None)


def test_a_channel_that_fails_again_and_again_is_said_on_another_one_once(alice, now):
    channel, other = channel_of(alice, now=now), channel_of(alice, now=now, name="Mail", is_default=False)
    alert(alice, now)
    live_through(channel, now, now + timedelta(hours=3), Outcome.UNREACHABLE)
    trouble = Alert.objects.get(kind="trouble")
    assert trouble.facts["channel"] == "Phone"
    assert {notice.alert.kind for notice in other.notices.all()} == {"trouble", "match"}


@pytest.mark.parametrize("outcome", [Outcome.GONE, Outcome.UNSAFE])
def test_a_channel_that_is_gone_is_given_up_and_its_messages_are_handed_over(alice, now, outcome):
    channel, other = channel_of(alice, now=now), channel_of(alice, now=now, name="Mail", is_default=False)
    alert(alice, now)
    alert(alice, now, 2)
    delivery = attempt(channel, now, outcome, status=410)
    assert (delivery.state, channel.disabled_at) == (DeliveryState.DEAD, now)
    assert sorted(notice.alert.kind for notice in other.notices.all()) == ["match", "match", "trouble"]
    assert attempt(channel, now + timedelta(days=1), Outcome.ACCEPTED) is None


def test_without_another_channel_nothing_is_lost_and_the_message_can_be_sent_again(alice, now):
    channel = channel_of(alice, now=now)
    alert(alice, now)
    delivery = attempt(channel, now, Outcome.GONE, status=410)
    assert send_again(delivery=delivery, now=now) is True
    assert send_again(delivery=delivery, now=now) is False
    again = attempt(channel, now, Outcome.ACCEPTED)
    assert (again.public_id, again.state) == (delivery.public_id, DeliveryState.SENT)


def test_a_strangers_channel_never_stands_in(alice, bob, now):
    channel, stranger = channel_of(alice, now=now), channel_of(bob, now=now)
    alert(alice, now)
    attempt(channel, now, Outcome.GONE)
    assert not stranger.notices.exists()


def test_what_was_held_is_woken_when_its_time_has_come_and_no_sooner(alice, now):
    channel = channel_of(alice, now=now)
    mute_channel(channel=channel, until=now + timedelta(hours=1), now=now)
    alert(alice, now)
    assert wake_channels(now=now + timedelta(minutes=59)) == 0
    assert wake_channels(now=now + timedelta(hours=1)) == 1


def test_the_end_of_a_mute_tells_what_it_held(alice, now):
    channel = channel_of(alice, now=now)
    mute_channel(channel=channel, until=now + timedelta(hours=1), now=now)
    alert(alice, now)
    OutboxRow.objects.all().delete()
    mute_channel(channel=channel, until=None, now=now + timedelta(minutes=1))
    assert OutboxRow.objects.filter(topic="channel", object_id=channel.pk, done_at=None).exists()
    assert attempt(channel, now + timedelta(minutes=1), Outcome.ACCEPTED) is not None


def test_a_message_whose_worker_died_is_woken(alice, now):
    channel = channel_of(alice, now=now)
    alert(alice, now)
    claim(channel_id=channel.pk, rates=RATES, now=now)
    assert wake_channels(now=now + timedelta(seconds=29)) == 0
    assert wake_channels(now=now + timedelta(seconds=30)) == 1


def test_a_channel_that_was_silent_for_a_week_is_tested_once(alice, now):
    channel = channel_of(alice, now=now)
    Channel.objects.filter(pk=channel.pk).update(delivered_at=now)
    assert begin_weekly_tests(now=now + timedelta(days=6)) == 0
    assert begin_weekly_tests(now=now + timedelta(days=8)) == 1
    assert begin_weekly_tests(now=now + timedelta(days=8)) == 0


def test_a_channel_that_never_worked_or_does_not_want_it_is_not_tested(alice, now):
    channel_of(alice, now=now)
    quiet = channel_of(alice, now=now, weekly_test=False)
    Channel.objects.filter(pk=quiet.pk).update(delivered_at=now)
    assert begin_weekly_tests(now=now + timedelta(days=8)) == 0

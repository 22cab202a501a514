"""The loop of an alerts worker: every channel is served, whatever becomes of the others."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from monitor_site.alerts import happenings, telling
from monitor_site.alerts.models import Alert, Channel, Delivery, DeliveryState, Notice
from monitor_site.alerts.services import mute_channel, wake_channels
from monitor_site.alerts.telling import TOPIC
from monitor_site.alerts.ways.apprise_process import START_SECONDS
from monitor_site.alerts.ways.webhook import new_secret
from monitor_site.engine.postman import BIRTH_SECONDS, Postman, claim
from monitor_site.outbox.models import OutboxRow
from tests.alerts.rows import channel_of, match, watch_of
from tests.alerts.sink import Sink, open_sink
from tests.waiting import PATIENCE_SECONDS, until

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def sink() -> Iterator[Sink]:
    with open_sink() as opened:
        yield opened


@pytest.fixture
def postman(settings: Any) -> Iterator[Postman]:
    settings.ALERT_NETWORKS = ["127.0.0.0/8"]
    running = Postman()
    running.start()
    # Only what a test serves is sent, and an answer may take as long as a busy machine needs for it.
    telling.deliver_here(None)
    running._way.deadline_seconds = PATIENCE_SECONDS
    yield running
    running.stop(seconds=PATIENCE_SECONDS)


def hook(user: Any, sink: Sink, **manner: Any) -> Channel:
    return channel_of(user, now=datetime.now(UTC), values={"url": sink.url()}, secret=new_secret(), **manner)


def matched(user: Any, *numbers: int) -> None:
    now = datetime.now(UTC)
    watch = watch_of(user, now=now)
    found = [match(watch, number, now=now) for number in numbers]
    happenings.tell_of_matches(match_ids=[one.pk for one in found], now=now)


def sent() -> int:
    return Delivery.objects.filter(state=DeliveryState.SENT).count()


def test_what_a_channel_has_to_tell_arrives_and_is_marked(postman: Postman, sink: Sink, alice: Any, redis: Any) -> None:
    channel = hook(alice, sink)
    matched(alice, 1, 2)
    postman.serve([channel.pk])
    until(lambda: sent() == 2, what="both messages are marked")
    assert len(sink.keys()) == len(set(sink.keys())) == 2
    delivery = Delivery.objects.first()
    assert (delivery.outcome, delivery.status, delivery.words) == ("accepted", 200, "")


def test_a_sink_that_hangs_keeps_only_its_own_messages_waiting(
    postman: Postman, sink: Sink, alice: Any, bob: Any, redis: Any
) -> None:
    with open_sink() as stuck:
        stuck.script = ["hang"] * 10
        hanging, other = hook(alice, stuck), hook(bob, sink)
        matched(alice, 1)
        postman.serve([hanging.pk])
        assert stuck.told.wait(PATIENCE_SECONDS)
        matched(bob, 2, 3)
        postman.serve([other.pk])
        until(lambda: sent() == 2, what="the other's messages arrive")
        assert Delivery.objects.get(channel=hanging).state == DeliveryState.WAITING


@pytest.mark.parametrize("answer", [500, 503, "close"])
def test_a_message_that_fails_is_kept_with_its_reason(
    postman: Postman, sink: Sink, alice: Any, redis: Any, answer: Any
) -> None:
    sink.script = [answer]
    channel = hook(alice, sink)
    matched(alice, 1)
    postman.serve([channel.pk])
    until(lambda: Delivery.objects.filter(attempts=1).exists(), what="it was tried")
    delivery = Delivery.objects.get()
    assert (delivery.state, delivery.outcome) == (DeliveryState.WAITING, "unreachable")


def test_a_sink_that_asks_to_wait_gets_the_same_message_a_little_later(
    postman: Postman, sink: Sink, alice: Any, redis: Any
) -> None:
    sink.script = [429]
    channel = hook(alice, sink)
    matched(alice, 1)
    postman.serve([channel.pk])
    until(lambda: Delivery.objects.filter(outcome="throttled").exists(), what="it is asked to wait")
    until(lambda: wake_channels(now=datetime.now(UTC)) == 1, what="its time comes")
    postman.serve([channel.pk])
    until(lambda: sent() == 1, what="it arrives")
    assert len(sink.ids()) == 2
    assert len(set(sink.ids())) == 1


def test_a_sink_that_is_gone_is_asked_no_more(postman: Postman, sink: Sink, alice: Any, redis: Any) -> None:
    sink.script = [410]
    channel = hook(alice, sink)
    matched(alice, 1)
    postman.serve([channel.pk])
    until(lambda: Channel.objects.filter(disabled_at__isnull=False).exists(), what="it is given up")
    matched(alice, 2)
    assert wake_channels(now=datetime.now(UTC)) == 0
    assert len(sink.heard) == 1


def test_what_is_held_is_not_sent(postman: Postman, sink: Sink, alice: Any, redis: Any) -> None:
    channel = hook(alice, sink)
    mute_channel(channel=channel, until=datetime.max.replace(tzinfo=UTC), now=datetime.now(UTC))
    matched(alice, 1)
    postman.serve([channel.pk])
    hook(alice, sink, name="Second", is_default=False)
    until(lambda: not Channel.objects.filter(busy_until__isnull=False).exists(), what="the channel was looked at")
    assert sink.heard == []
    assert Notice.objects.filter(delivery=None).count() == 1


def test_what_comes_while_a_channel_is_served_is_not_overlooked(
    postman: Postman, sink: Sink, alice: Any, redis: Any
) -> None:
    channel = hook(alice, sink)
    for number in range(1, 6):
        matched(alice, number)
        postman.serve([channel.pk])
    until(lambda: not Notice.objects.filter(delivery=None).exists() and not unsent(), what="all arrive")
    assert len(set(sink.keys())) == 5


def unsent() -> bool:
    return Delivery.objects.exclude(state=DeliveryState.SENT).exists()


def test_secrets_that_cannot_be_opened_are_a_failure_that_is_seen(
    postman: Postman, sink: Sink, alice: Any, redis: Any
) -> None:
    channel = hook(alice, sink)
    Channel.objects.filter(pk=channel.pk).update(sealed="not sealed by us")
    matched(alice, 1)
    postman.serve([channel.pk])
    until(lambda: Delivery.objects.filter(outcome="forbidden").exists(), what="it is seen")
    assert sink.heard == []


def test_a_message_that_we_cannot_make_is_a_try_that_failed_and_not_tried_on_and_on(
    postman: Postman, sink: Sink, alice: Any, redis: Any
) -> None:
    channel = hook(alice, sink)
    matched(alice, 1)
    Alert.objects.update(facts={"price": "many"})
    postman.serve([channel.pk])
    until(lambda: Delivery.objects.filter(attempts=1).exists(), what="it was tried")
    delivery, tried = Delivery.objects.get(), Channel.objects.get(pk=channel.pk)
    assert (delivery.state, delivery.outcome, tried.busy_until) == (DeliveryState.WAITING, "unreachable", None)
    assert delivery.due_at > delivery.created_at
    assert sink.heard == []


def test_an_alerts_worker_serves_what_it_has_noted_itself(postman: Postman, sink: Sink, alice: Any, redis: Any) -> None:
    hook(alice, sink)
    telling.deliver_here(postman.serve)
    matched(alice, 1)
    until(lambda: sent() == 1, what="it arrives without another job")
    assert not OutboxRow.objects.filter(topic=TOPIC).exists()


def test_a_postman_gives_the_process_for_apprise_minutes_to_start() -> None:
    """On a busy machine it takes that long, and a worker that gave up would begin anew for ever."""
    assert 120 <= START_SECONDS < BIRTH_SECONDS


def test_what_is_noted_where_no_postman_works_goes_over_a_job(sink: Sink, alice: Any, redis: Any) -> None:
    channel = hook(alice, sink)
    matched(alice, 1)
    assert OutboxRow.objects.get(topic=TOPIC, done_at=None).object_id == channel.pk


def test_a_postman_that_has_stopped_leaves_what_comes_to_the_others(sink: Sink, alice: Any, redis: Any) -> None:
    running = Postman()
    running.start()
    running.stop(seconds=PATIENCE_SECONDS)
    channel = hook(alice, sink)
    matched(alice, 1)
    assert OutboxRow.objects.get(topic=TOPIC, done_at=None).object_id == channel.pk


def test_a_channel_that_a_dying_worker_did_not_serve_is_woken(sink: Sink, alice: Any, redis: Any) -> None:
    hook(alice, sink)
    telling.deliver_here(lambda _ids: None)
    matched(alice, 1)
    telling.deliver_here(None)
    assert not OutboxRow.objects.filter(topic=TOPIC).exists()
    assert wake_channels(now=datetime.now(UTC)) == 1
    assert OutboxRow.objects.filter(topic=TOPIC, done_at=None).exists()


def test_a_channel_with_nothing_to_tell_costs_one_read(alice: Any, redis: Any, sink: Sink) -> None:
    channel = hook(alice, sink)
    with CaptureQueriesContext(connection) as asked:
        assert claim(channel.pk) is None
    assert [one["sql"].split()[0] for one in asked] == ["SELECT"]

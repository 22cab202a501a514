"""Whoever dies between a match and its message: it arrives once, or twice under one id; never not at all."""

import signal
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from monitor_site.alerts.claiming import claim
from monitor_site.alerts.models import Delivery, DeliveryState
from monitor_site.alerts.services import begin_test
from monitor_site.alerts.ways.webhook import new_secret
from monitor_site.outbox import services as outbox
from monitor_site.watches import joining
from tests.alerts.rows import RATES, channel_of, match, watch_of
from tests.alerts.sink import Sink, open_sink
from tests.faults.installation import Installation, signal_to
from tests.waiting import PATIENCE_SECONDS, until

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def sink() -> Iterator[Sink]:
    with open_sink() as opened:
        yield opened


@pytest.fixture
def running(installation: Installation) -> Installation:
    """Its workers may tell sinks on this machine."""
    installation.env |= {"ALERT_NETWORKS": "127.0.0.0/8"}
    installation.start("run_promoter")
    installation.start("rqworker")
    return installation


def hook(user: Any, sink: Sink) -> Any:
    return channel_of(user, now=datetime.now(UTC), values={"url": sink.url()}, secret=new_secret())


def matched(user: Any, number: int = 1) -> None:
    """As a recording commits it."""
    now = datetime.now(UTC)
    found = match(watch_of(user, now=now), number, now=now)
    outbox.write(topic=joining.TOPIC, object_ids=[found.pk], now=now)


def is_marked() -> bool:
    return Delivery.objects.exists() and not Delivery.objects.exclude(state=DeliveryState.SENT).exists()


def test_a_worker_killed_after_sending_and_before_marking_repeats_under_the_same_id(
    running: Installation, sink: Sink, alice: Any, redis: Any
) -> None:
    sink.script = ["hang"]
    hook(alice, sink)
    matched(alice)
    assert sink.told.wait(PATIENCE_SECONDS)
    signal_to(running.pids("rqworker", "alerts"), signal.SIGKILL)
    until(is_marked, what="it arrives all the same")
    assert len(sink.ids()) >= 2
    assert len(set(sink.ids())) == 1


def test_a_worker_that_died_before_sending_costs_seconds(
    installation: Installation, sink: Sink, alice: Any, redis: Any
) -> None:
    channel = hook(alice, sink)
    begin_test(channel=channel, now=datetime.now(UTC))
    assert claim(channel_id=channel.pk, rates=RATES, now=datetime.now(UTC)) is not None
    redis.flushall()
    installation.env |= {"ALERT_NETWORKS": "127.0.0.0/8"}
    installation.start("run_promoter")
    installation.start("rqworker")
    until(is_marked, what="another worker sends it")
    assert len(set(sink.ids())) == 1


def test_all_of_redis_lost_at_once_loses_no_message(running: Installation, sink: Sink, alice: Any, redis: Any) -> None:
    hook(alice, sink)
    matched(alice, 1)
    redis.flushall()
    matched(alice, 2)
    redis.flushall()
    until(lambda: len(set(sink.keys())) == 2, what="both arrive")
    until(is_marked, what="both are marked")

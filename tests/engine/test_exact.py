"""Instants are handed over early, held, and run on the server's clock; what dies with a worker only comes late."""

import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from rq import Queue

from monitor_site.connections import key, lane_queue
from monitor_site.engine import exact as engine
from monitor_site.engine import jobs, worker
from monitor_site.engine.exact import Holder, hand_over, plant
from monitor_site.outbox import exact
from monitor_site.outbox.exact import ExactJob
from tests.waiting import PATIENCE_SECONDS, hearing

TOPIC = "story"


class Story:
    """What ran, and the rows that would be in a database."""

    def __init__(self) -> None:
        self.ran: list[tuple[int, datetime, datetime]] = []
        self.rows: list[tuple[int, datetime]] = []
        self.done = threading.Event()

    def run(self, number: int, instant: datetime) -> None:
        self.ran.append((number, instant, datetime.now(UTC)))
        self.done.set()
        if number == 13:
            raise RuntimeError("bad luck")

    def pending(self, _now: datetime) -> list[tuple[int, datetime]]:
        return self.rows


@pytest.fixture
def story(monkeypatch: pytest.MonkeyPatch) -> Story:
    found = Story()
    monkeypatch.setattr(exact, "_jobs", {})
    exact.register(TOPIC, ExactJob(run=found.run, pending=found.pending))
    return found


@pytest.fixture
def queue(redis: Any) -> Queue:
    return lane_queue("timed", redis)


@pytest.fixture
def holder(redis: Any) -> Iterator[Holder]:
    found = Holder(redis)
    found.start()
    yield found
    found.stop(seconds=PATIENCE_SECONDS)


def ms(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def in_ms(count: int) -> datetime:
    return datetime.fromtimestamp(round(datetime.now(UTC).timestamp() * 1000 + count) / 1000, tz=UTC)


def test_an_instant_is_handed_over_five_seconds_early_and_not_sooner(redis: Any, story: Story, queue: Queue) -> None:
    instant = in_ms(60_000)
    exact.at(redis, topic=TOPIC, object_id=7, instant=instant)
    assert hand_over(redis, queue, now_ms=ms(instant) - 5001) == 0
    assert hand_over(redis, queue, now_ms=ms(instant) - 5000) == 1
    (job,) = queue.jobs
    assert (job.func_name, job.args) == (engine.JOB, [exact.name_of(TOPIC, 7, instant)])


def test_two_promoters_hand_it_over_once_and_said_twice_is_said_once(redis: Any, story: Story, queue: Queue) -> None:
    instant = in_ms(1000)
    for _ in range(2):
        exact.at(redis, topic=TOPIC, object_id=7, instant=instant)
    now, before = ms(instant) - 1000, redis.zrange(key(exact.KIND), 0, -1, withscores=True)
    hand_over(redis, queue, now_ms=now)
    redis.zadd(key(exact.KIND), dict(before))
    hand_over(redis, queue, now_ms=now)
    assert len(queue.jobs) == 1


def test_what_a_dead_worker_held_is_handed_over_again_two_seconds_late(redis: Any, story: Story, queue: Queue) -> None:
    instant = in_ms(3000)
    exact.at(redis, topic=TOPIC, object_id=7, instant=instant)
    assert hand_over(redis, queue, now_ms=ms(instant) - 3000) == 1
    assert hand_over(redis, queue, now_ms=ms(instant) + 1999) == 0
    assert hand_over(redis, queue, now_ms=ms(instant) + 2000) == 1
    assert len(queue.jobs) == 2


def test_it_runs_at_its_instant_and_leaves(redis: Any, story: Story, holder: Holder) -> None:
    instant = in_ms(1000)
    exact.at(redis, topic=TOPIC, object_id=7, instant=instant)
    for _ in range(2):
        holder.hold(exact.name_of(TOPIC, 7, instant))
    assert story.done.wait(PATIENCE_SECONDS)
    holder.stop(seconds=PATIENCE_SECONDS)
    ((number, told, ran),) = story.ran
    assert (number, told) == (7, instant)
    # Half of the way to the server and back is what nobody knows of its clock, and a busy machine makes it long.
    assert instant <= ran + timedelta(milliseconds=250)
    assert redis.zcard(key(exact.KIND)) == 0


def test_what_is_noted_later_and_due_sooner_does_not_wait_for_the_others(
    redis: Any, story: Story, holder: Holder
) -> None:
    far, near = in_ms(3_600_000), in_ms(100)
    holder.hold(exact.name_of(TOPIC, 1, far))
    holder.hold(exact.name_of(TOPIC, 2, near))
    assert story.done.wait(PATIENCE_SECONDS)
    assert [number for number, *_ in story.ran] == [2]
    holder._held.clear()


def test_an_instant_that_has_passed_runs_at_once_and_is_told_which_it_was(
    redis: Any, story: Story, holder: Holder
) -> None:
    past = in_ms(-60_000)
    holder.hold(exact.name_of(TOPIC, 3, past))
    assert story.done.wait(PATIENCE_SECONDS)
    assert story.ran[0][1] == past


def test_one_that_fails_is_logged_and_leaves_and_the_others_go_on(redis: Any, story: Story, holder: Holder) -> None:
    for number in (13, 14):
        exact.at(redis, topic=TOPIC, object_id=number, instant=in_ms(50))
    for name in redis.zrange(key(exact.KIND), 0, -1):
        holder.hold(name.decode())
    holder.stop(seconds=PATIENCE_SECONDS)
    assert {number for number, *_ in story.ran} == {13, 14}
    assert redis.zcard(key(exact.KIND)) == 0


def test_what_redis_has_lost_comes_back_from_the_rows(redis: Any, story: Story) -> None:
    instant = in_ms(60_000)
    story.rows = [(7, instant), (8, instant)]
    for _ in range(2):
        plant(redis, now=datetime.now(UTC))
    assert redis.zcard(key(exact.KIND)) == 2
    exact.not_at(redis, topic=TOPIC, object_id=7, instant=instant)
    assert redis.zrange(key(exact.KIND), 0, -1) == [exact.name_of(TOPIC, 8, instant).encode()]


def test_a_noted_instant_wakes_the_promoter(redis: Any, story: Story) -> None:
    with hearing(redis, key("wake")) as heard:
        exact.at(redis, topic=TOPIC, object_id=7, instant=in_ms(500))
        heard()


def test_the_job_holds_and_ends_and_is_on_the_list_of_the_lanes(redis: Any, story: Story, holder: Holder) -> None:
    assert engine.JOB in jobs.ALLOWED
    with pytest.raises(RuntimeError, match="timed"):
        jobs.run_exact(exact.name_of(TOPIC, 7, in_ms(0)))
    worker._holders.append(holder)
    try:
        for _ in range(2):
            jobs.run_exact(exact.name_of(TOPIC, 7, in_ms(0)))
        assert story.done.wait(PATIENCE_SECONDS)
    finally:
        worker._holders.clear()

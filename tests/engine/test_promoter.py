"""The promoter sends tickets when something is due, rebuilds what was lost, and leases nothing."""

import time
from datetime import datetime
from itertools import chain, repeat
from types import SimpleNamespace
from typing import Any

import pytest
from rq import Queue
from rq.serializers import JSONSerializer

from monitor_site.connections import key
from monitor_site.engine import promoter as promoting
from monitor_site.engine import upkeep
from monitor_site.engine.promoter import LONGEST_WAIT_SECONDS, Promoter
from monitor_site.engine.schedule import UPKEEP, Asked
from monitor_site.marketplaces.catalog import catalog
from tests.waiting import hearing
from tests.watches.makers import watch_of

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def promoter(redis: Any, monkeypatch: pytest.MonkeyPatch) -> Promoter:
    """Its signs of life and its jobs outlast a story on a busy machine."""
    monkeypatch.setattr(promoting, "HEARTBEAT_SECONDS", 600)
    monkeypatch.setattr(promoting, "TICKET_TTL_MS", 600_000)
    return Promoter(client=redis)


def tickets(redis: Any, lane: str) -> list[Any]:
    return Queue(lane, connection=redis, serializer=JSONSerializer).jobs


@pytest.mark.usefixtures("stopped_clock")
def test_a_due_target_brings_one_ticket_and_is_leased_by_nobody(
    promoter: Promoter, alice: Any, now: datetime, redis: Any
) -> None:
    watch_of(alice, now)
    promoter.round()
    promoter.schedule.put(marketplace="mercari", moves=[("1", "at", 0)])
    promoter.round()
    promoter.round()
    (ticket,) = tickets(redis, "checks")
    assert (ticket.func_name, ticket.args[0], ticket.ttl) == ("monitor_site.engine.jobs.run_checks", "mercari", 600)
    assert redis.hlen(key("lease", "mercari")) == 0


def test_a_lost_schedule_is_rebuilt_at_the_next_round(
    promoter: Promoter, alice: Any, now: datetime, redis: Any
) -> None:
    watch_of(alice, now, interval_seconds=600)
    promoter.round()
    redis.flushall()
    promoter.round()
    assert redis.zcard(key("due", "mercari")) == 1
    assert promoter.schedule.members(UPKEEP) == set(upkeep.TASKS)


@pytest.mark.usefixtures("stopped_clock")
def test_it_sleeps_until_shortly_before_the_next_due_time_and_never_longer_than_a_second(
    promoter: Promoter, redis: Any
) -> None:
    promoter.round()
    redis.delete(key("due", UPKEEP))
    assert promoter.round() == LONGEST_WAIT_SECONDS
    promoter.schedule.put(marketplace="mercari", moves=[("1", "at", promoter.schedule.now_ms() + 500)])
    assert 0.2 < promoter.round() <= 0.4


def test_between_whole_rounds_it_asks_only_for_what_was_put_off_until_now(
    promoter: Promoter, redis: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def ask(*, marketplace: str, **_: Any) -> Asked:
        asked.append(marketplace)
        return Asked(ticket=False, again_ms=0 if marketplace == "mercari" else 60_000)

    monkeypatch.setattr("monitor_site.engine.promoter.LONGEST_WAIT_SECONDS", 60.0)
    monkeypatch.setattr(promoter.schedule, "ask", ask)
    assert promoter.turn(woken="") == 0
    promoter.turn(woken=None)
    everybody = sorted({UPKEEP, *catalog().plugins})
    assert asked == [*everybody, "mercari"]
    promoter.turn(woken="mercari")
    assert asked == [*everybody, "mercari", *everybody]


def test_a_lost_schedule_is_noticed_within_a_second_without_being_woken(
    promoter: Promoter, redis: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("monitor_site.engine.promoter.LONGEST_WAIT_SECONDS", 0.0)
    promoter.turn(woken="")
    redis.flushall()
    promoter.turn(woken=None)
    assert promoter.schedule.is_built()


def test_upkeep_has_its_own_lane(promoter: Promoter, redis: Any) -> None:
    promoter.round()
    promoter.schedule.put(marketplace=UPKEEP, moves=[("audit", "at", 0)])
    promoter.round()
    assert [job.func_name for job in tickets(redis, "upkeep")] == ["monitor_site.engine.jobs.run_upkeep"]


@pytest.mark.usefixtures("stopped_clock")
def test_two_promoters_send_no_more_tickets_than_one(promoter: Promoter, redis: Any) -> None:
    promoter.round()
    promoter.schedule.put(marketplace="mercari", moves=[("1", "at", 0)])
    for one in (promoter, Promoter(client=redis), promoter):
        one.round()
    assert len(tickets(redis, "checks")) == 1


def test_an_insert_wakes_it(promoter: Promoter, redis: Any) -> None:
    with hearing(redis, key("wake")) as heard:
        promoter.schedule.put(marketplace="mercari", moves=[("1", "at", 0)])
        assert heard() == b"mercari"


def test_it_beats_so_that_others_see_it(promoter: Promoter, redis: Any) -> None:
    rounds = chain([False, False], repeat(True))
    promoter.run(stopped=lambda: next(rounds))
    assert redis.exists(key("promoter", promoter.name))


def test_a_failing_round_is_tried_again(promoter: Promoter, redis: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    # In its own module alone: other threads sleep, too.
    monkeypatch.setattr(promoting, "time", SimpleNamespace(sleep=slept.append, monotonic=time.monotonic))
    redis.set(key("due", "mercari"), "not a sorted set")
    answers = chain([False] * 4, repeat(True))
    promoter.run(stopped=lambda: next(answers))
    assert slept == [1.0, 1.0]

"""Whatever setting changes, the next time of its question changes at once, for searches in the schedule itself."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from monitor_site.connections import key
from monitor_site.contract import Pace
from monitor_site.engine import jobs, planning, upkeep
from monitor_site.marketplaces.catalog import catalog
from monitor_site.outbox.models import OutboxRow
from monitor_site.watches import questions, services
from monitor_site.watches.beat import phase_ms
from monitor_site.watches.models import Target, Watch
from tests.watches.makers import watch_of, wish

pytestmark = pytest.mark.django_db

TOKYO = ZoneInfo("Asia/Tokyo")
# The first of a month that is about half a year away, whenever this runs.
FAR_MONTH = (datetime.now(TOKYO).month + 5) % 12 + 1
FAR = {"cron": f"0 0 1 {FAR_MONTH} *"}


def due(redis: Any) -> datetime:
    ((_name, score),) = redis.zrange(key("due", "mercari"), 0, -1, withscores=True)
    return datetime.fromtimestamp(score / 1000, tz=UTC)


def settle(redis: Any) -> None:
    """The job that follows from the facts noted so far."""
    rows = OutboxRow.objects.filter(topic=questions.TOPIC, done_at=None)
    jobs.settle_targets(list(rows.values_list("object_id", flat=True)))


def running(user: Any, redis: Any, **changes: Any) -> Watch:
    """A watch whose first check is over."""
    now = datetime.now(UTC)
    watch = watch_of(user, now, **changes)
    Target.objects.update(checked_at=now, succeeded_at=now)
    watch.links.update(baselined_at=now)
    settle(redis)
    return watch


def change(watch: Watch, redis: Any, **changes: Any) -> datetime:
    services.change_watch(watch=watch, wish=wish(**changes), now=datetime.now(UTC))
    settle(redis)
    return due(redis)


def soon(within: timedelta) -> Callable[[datetime], bool]:
    return lambda moment: moment <= datetime.now(UTC) + within


@pytest.mark.parametrize("seconds", [60, 600, 3600])
def test_an_interval_puts_it_on_its_own_grid(alice: Any, redis: Any, seconds: int) -> None:
    watch = running(alice, redis, interval_seconds=7200)
    after = change(watch, redis, interval_seconds=seconds)
    target = Target.objects.get()
    assert soon(timedelta(seconds=seconds))(after)
    assert round(after.timestamp() * 1000) % (seconds * 1000) == phase_ms(target.key, seconds)


def test_a_longer_interval_moves_it_away(alice: Any, redis: Any) -> None:
    watch = running(alice, redis, interval_seconds=60)
    after = change(watch, redis, interval_seconds=24 * 3600)
    assert after.timestamp() * 1000 % 86_400_000 == phase_ms(Target.objects.get().key, 86_400)


@pytest.mark.parametrize(
    ("changes", "holds"),
    [
        ({"cron": "*/10 * * * *"}, soon(timedelta(minutes=10))),
        ({"interval_seconds": 300}, soon(timedelta(minutes=5))),
        ({"interval_seconds": 300, "jitter": True}, soon(timedelta(minutes=6))),
        ({"weekdays": [2]}, lambda moment: moment.astimezone(TOKYO).weekday() == 2),
        ({"active_from": 180, "active_to": 185}, lambda moment: moment.astimezone(TOKYO).hour == 3),
        ({"cron": "30 4 * * *"}, lambda moment: f"{moment.astimezone(TOKYO):%H:%M}" == "04:30"),
    ],
)
def test_cron_hours_days_and_irregularity_move_it_at_once(
    alice: Any, redis: Any, changes: dict[str, Any], holds: Callable[[datetime], bool]
) -> None:
    watch = running(alice, redis, **FAR)
    before = due(redis)
    after = change(watch, redis, **changes)
    assert after < before
    assert holds(after)


def test_a_pause_takes_it_out_and_its_end_asks_at_once(alice: Any, redis: Any) -> None:
    watch = running(alice, redis, **FAR)
    services.pause_watch(watch=watch, now=datetime.now(UTC))
    settle(redis)
    assert redis.zcard(key("due", "mercari")) == 0
    services.resume_watch(watch=watch, now=datetime.now(UTC))
    settle(redis)
    assert due(redis) <= datetime.now(UTC)


def test_one_of_two_people_who_pauses_leaves_the_others_times(alice: Any, bob: Any, redis: Any) -> None:
    running(alice, redis, **FAR)
    other = running(bob, redis, interval_seconds=60)
    assert soon(timedelta(minutes=1))(due(redis))
    services.pause_watch(watch=other, now=datetime.now(UTC))
    settle(redis)
    assert f"{due(redis).astimezone(TOKYO):%m-%d %H:%M}" == f"{FAR_MONTH:02}-01 00:00"


def test_a_persons_time_zone_moves_it_with_the_next_audit(alice: Any, redis: Any) -> None:
    running(alice, redis, cron="30 4 * * *")
    alice.time_zone = "America/New_York"
    alice.save()
    upkeep.audit(datetime.now(UTC))
    settle(redis)
    assert f"{due(redis).astimezone(ZoneInfo('America/New_York')):%H:%M}" == "04:30"


def at_pace(monkeypatch: pytest.MonkeyPatch, **changes: Any) -> None:
    pace = Pace(**{"per_minute": 20, "ceiling_per_minute": 20, "floor_seconds": 5} | changes)
    monkeypatch.setattr(type(catalog()), "pace", lambda _self, _name: pace)


@pytest.mark.parametrize(("floor", "seconds"), [(300, 300), (5, 30), (1, 30)])
def test_a_marketplace_that_bears_less_or_more_moves_it_with_the_next_audit(
    alice: Any, redis: Any, monkeypatch: pytest.MonkeyPatch, floor: int, seconds: int
) -> None:
    at_pace(monkeypatch, floor_seconds=120)
    running(alice, redis, interval_seconds=120)
    Watch.objects.update(interval_seconds=30)  # wished when the marketplace bore more
    at_pace(monkeypatch, floor_seconds=floor)
    upkeep.audit(datetime.now(UTC))
    settle(redis)
    target = Target.objects.get()
    assert target.interval_seconds == seconds
    assert round(due(redis).timestamp() * 1000) % (seconds * 1000) == phase_ms(target.key, seconds)
    assert questions.heal(now=datetime.now(UTC)) == 0


def test_a_marketplace_whose_pace_grows_draws_its_questions_near_with_the_next_plan(
    alice: Any, redis: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    at_pace(monkeypatch, per_minute=1, ceiling_per_minute=1)
    for number in range(3):
        running(alice, redis, must=[f"w{number}"], interval_seconds=10)
    planning.plan_all(datetime.now(UTC))
    slow = set(Target.objects.values_list("planned_seconds", flat=True))
    at_pace(monkeypatch, per_minute=60, ceiling_per_minute=60)
    planning.plan_all(datetime.now(UTC))
    scores = [score for _name, score in redis.zrange(key("due", "mercari"), 0, -1, withscores=True)]
    assert slow == {200}
    assert set(Target.objects.values_list("planned_seconds", flat=True)) == {None}
    assert max(scores) <= (datetime.now(UTC) + timedelta(seconds=10)).timestamp() * 1000

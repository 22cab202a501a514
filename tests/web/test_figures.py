from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from monitor_site.accounts.models import User
from monitor_site.watches import figures
from monitor_site.watches.models import Match, Watch
from tests.web.rows import match, watch_of


@pytest.fixture
def watch(alice: User, now: datetime) -> Watch:
    return watch_of(alice, now=now)


def test_an_hour_that_strikes_twice_is_two_hours(watch: Watch) -> None:
    zone, now = ZoneInfo("Europe/Paris"), datetime(2026, 10, 25, 4, 30, tzinfo=UTC)
    for number, hour in enumerate((0, 0, 1)):  # 02:10 in summer, twice, and 02:10 in winter
        match(watch, number, now=datetime(2026, 10, 25, hour, 10, tzinfo=UTC))
    hours = figures.last_hours(now, zone)
    assert len(set(hours)) == 24
    counts = figures.hourly(Match.objects.order_by(), now=now, zone=zone)[watch.pk]
    assert [counts.get(hour, 0) for hour in hours[-5:]] == [2, 1, 0, 0, 0]


def test_hours_begin_as_the_persons_clock_strikes_them(watch: Watch) -> None:
    zone, now = ZoneInfo("Asia/Kolkata"), datetime(2026, 5, 1, 3, 45, tzinfo=UTC)  # 09:15
    for number, minute in enumerate((25, 35)):  # 08:55 and 09:05
        match(watch, number, now=now.replace(minute=minute))
    hours = figures.last_hours(now, zone)
    assert f"{hours[-1].astimezone(zone):%H:%M}" == "09:00"
    counts = figures.hourly(Match.objects.order_by(), now=now, zone=zone)[watch.pk]
    assert [counts.get(hour, 0) for hour in hours[-2:]] == [1, 1]


def test_a_flood_is_not_counted_to_its_end(watch: Watch, now: datetime, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(figures, "COUNTED", 3)
    for number in range(5):
        match(watch, number, now=now - timedelta(minutes=5 - number), price=1000 + number)
    newest = figures.recent([watch])
    assert newest.count() == 3
    assert figures.lows(newest, now=now) == {watch.pk: 1002}

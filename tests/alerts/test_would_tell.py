"""Why a match would not come through a channel, or not at once."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from monitor_site.alerts.models import Channel, Importance
from monitor_site.alerts.would_tell import Reason, Usage, Why, reasons

TOKYO = ZoneInfo("Asia/Tokyo")
NOW = datetime(2026, 5, 1, 3, 0, tzinfo=UTC)  # noon in Tokyo
USED = Usage(watches=3, highest=Importance.NORMAL)
MIDNIGHT = datetime(2026, 5, 1, 15, 0, tzinfo=UTC)


def why(*, usage: Usage = USED, told_today: int = 0, **fields: object) -> list[Reason]:
    channel = Channel(**{"tells": ["match"], "cool_down_minutes": 15} | fields)
    return reasons(channel, usage=usage, told_today=told_today, zone=TOKYO, now=NOW)


def test_a_channel_without_wishes_tells_at_once():
    assert why() == []


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"disabled_at": NOW}, Reason(Why.GIVEN_UP)),
        ({"usage": Usage()}, Reason(Why.UNUSED)),
        ({"least": Importance.HIGH}, Reason(Why.THRESHOLD)),
        ({"tells": ["sold"]}, Reason(Why.KIND)),
        ({"tells": []}, Reason(Why.KIND)),
        ({"muted_until": NOW + timedelta(hours=1)}, Reason(Why.MUTED, NOW + timedelta(hours=1))),
        ({"quiet_from": 11 * 60, "quiet_until": 13 * 60}, Reason(Why.QUIET, NOW + timedelta(hours=1))),
        ({"quiet_from": 22 * 60, "quiet_until": 12 * 60 + 1}, Reason(Why.QUIET, NOW + timedelta(minutes=1))),
        ({"digest_minutes": 60}, Reason(Why.DIGEST, NOW + timedelta(hours=1))),
        ({"per_day": 5, "told_today": 5}, Reason(Why.DAY, MIDNIGHT)),
    ],
)
def test_each_hindrance_is_named_with_its_end(fields, expected):
    assert why(**fields) == [expected]


@pytest.mark.parametrize(
    "fields",
    [
        {"muted_until": NOW},
        {"muted_until": NOW - timedelta(hours=1)},
        {"quiet_from": 13 * 60, "quiet_until": 11 * 60},
        {"quiet_from": 22 * 60, "quiet_until": 12 * 60},
        {"per_day": 5, "told_today": 4},
        {"least": Importance.NORMAL},
        {"least": Importance.HIGH, "usage": Usage(watches=1, highest=Importance.HIGH)},
        {"failures": 7, "failing_since": NOW},
    ],
)
def test_what_is_over_or_not_reached_hinders_nothing(fields):
    assert why(**fields) == []


def test_all_of_them_are_named_what_never_ends_first():
    found = why(
        usage=Usage(), disabled_at=NOW, tells=[], muted_until=NOW + timedelta(days=1), digest_minutes=5,
        quiet_from=0, quiet_until=1439, per_day=1, told_today=9,
    )  # fmt: skip
    assert [one.why for one in found] == [
        Why.GIVEN_UP, Why.UNUSED, Why.KIND, Why.MUTED, Why.QUIET, Why.DIGEST, Why.DAY,
    ]  # fmt: skip


def test_the_day_ends_at_midnight_also_when_it_has_25_hours():
    berlin = ZoneInfo("Europe/Berlin")
    noon = datetime(2026, 10, 25, 12, 0, tzinfo=berlin).astimezone(UTC)
    channel = Channel(tells=["match"], per_day=1)
    [found] = reasons(channel, usage=USED, told_today=1, zone=berlin, now=noon)
    assert found.until is not None
    assert found.until.astimezone(berlin) == datetime(2026, 10, 26, tzinfo=berlin)

"""When a channel tells: at once, or later and why."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor_site.alerts.holding import midnight_of, quiet_end, wait_of
from monitor_site.alerts.models import AlertKind, Channel

TOKYO, BERLIN = ZoneInfo("Asia/Tokyo"), ZoneInfo("Europe/Berlin")


def at(text: str, zone: ZoneInfo = TOKYO) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=zone).astimezone(UTC)


def wait(channel: Channel, moment: str, *, kind: str = AlertKind.MATCH, told: str = "") -> tuple[datetime, str]:
    found = wait_of(channel=channel, kind=kind, told_at=at(told) if told else None, zone=TOKYO, now=at(moment))
    return found.until, found.held


def test_without_wishes_it_tells_at_once():
    assert wait(Channel(cool_down_minutes=0), "2026-05-01 12:00") == (at("2026-05-01 12:00"), "")


@pytest.mark.parametrize(
    ("moment", "end"),
    [
        ("2026-05-01 22:59", None),
        ("2026-05-01 23:00", "2026-05-02 07:30"),
        ("2026-05-02 07:29", "2026-05-02 07:30"),
        ("2026-05-02 07:30", None),
    ],
)
def test_quiet_hours_over_midnight_hold_until_their_end(moment, end):
    channel = Channel(quiet_from=23 * 60, quiet_until=7 * 60 + 30)
    assert quiet_end(channel, zone=TOKYO, at=at(moment)) == (at(end) if end else None)


def test_quiet_hours_within_a_day_hold_until_their_end():
    channel = Channel(quiet_from=12 * 60, quiet_until=13 * 60)
    assert wait(channel, "2026-05-01 12:59") == (at("2026-05-01 13:00"), "quiet")
    assert wait(channel, "2026-05-01 13:00")[1] == ""


def test_quiet_hours_are_those_of_the_persons_clock_also_when_it_is_changed():
    channel = Channel(quiet_from=60, quiet_until=6 * 60)
    night = at("2026-03-29 01:30", BERLIN)  # at two the clock says three
    assert quiet_end(channel, zone=BERLIN, at=night) == at("2026-03-29 06:00", BERLIN)


def test_a_digest_comes_at_the_next_step_of_the_persons_day():
    assert wait(Channel(digest_minutes=360), "2026-05-01 07:10") == (at("2026-05-01 12:00"), "digest")
    assert wait(Channel(digest_minutes=360), "2026-05-01 12:00") == (at("2026-05-01 18:00"), "digest")


def test_a_digest_that_falls_into_quiet_hours_comes_at_their_end():
    channel = Channel(digest_minutes=360, quiet_from=22 * 60, quiet_until=8 * 60)
    assert wait(channel, "2026-05-01 21:00") == (at("2026-05-02 08:00"), "quiet")


def test_a_muted_channel_waits_for_the_end_of_the_mute():
    channel = Channel(muted_until=at("2026-05-01 15:00"))
    assert wait(channel, "2026-05-01 12:00") == (at("2026-05-01 15:00"), "muted")
    assert wait(channel, "2026-05-01 15:01") == (at("2026-05-01 15:01"), "")


def test_the_same_listing_waits_for_its_cool_down():
    channel = Channel(cool_down_minutes=15)
    assert wait(channel, "2026-05-01 12:10", told="2026-05-01 12:00") == (at("2026-05-01 12:15"), "cool_down")
    assert wait(channel, "2026-05-01 12:16", told="2026-05-01 12:00")[1] == ""


def test_that_it_is_sold_waits_for_no_cool_down():
    channel = Channel(cool_down_minutes=15)
    assert wait(channel, "2026-05-01 12:10", kind=AlertKind.SOLD, told="2026-05-01 12:00")[1] == ""


@pytest.mark.parametrize("kind", [AlertKind.TEST, AlertKind.TROUBLE])
def test_a_test_and_a_trouble_wait_for_nothing(kind):
    channel = Channel(quiet_from=0, quiet_until=1439, digest_minutes=1440, muted_until=at("2026-05-09 00:00"))
    assert wait(channel, "2026-05-01 12:00", kind=kind) == (at("2026-05-01 12:00"), "")


@given(
    now=st.integers(0, 366 * 24 * 60).map(
        lambda minutes: datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=minutes)
    ),
    quiet=st.tuples(st.integers(0, 1439), st.integers(0, 1439)).filter(lambda pair: pair[0] != pair[1]),
    digest=st.none() | st.integers(1, 10080),
    muted=st.none() | st.integers(-500, 5000),
    zone=st.sampled_from([TOKYO, BERLIN, ZoneInfo("America/New_York"), ZoneInfo("Asia/Kathmandu")]),
)
def test_a_message_is_never_told_before_now_never_in_quiet_hours_and_never_held_for_ever(
    now, quiet, digest, muted, zone
):
    channel = Channel(quiet_from=quiet[0], quiet_until=quiet[1], digest_minutes=digest)
    channel.muted_until = None if muted is None else now + timedelta(minutes=muted)
    found = wait_of(channel=channel, kind=AlertKind.MATCH, told_at=None, zone=zone, now=now)
    assert now <= found.until <= now + timedelta(days=9)
    assert quiet_end(channel, zone=zone, at=found.until) is None


def test_midnight_is_that_of_the_person():
    assert midnight_of(at("2026-05-01 00:30"), TOKYO) == at("2026-05-01 00:00")

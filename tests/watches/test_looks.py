"""When a matched listing is looked at again: always an end, never too often, always a look after the end."""

import itertools
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor_site.watches.looks import AFTER_END, FARTHEST, LONGEST, NEAREST, after_failure, next_look
from monitor_site.watches.models import Listing

MATCHED = datetime(2026, 5, 1, 3, 0, tzinfo=UTC)
SECOND, MINUTE, HOUR, DAY = timedelta(seconds=1), timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)

floors = st.integers(1, 300).map(lambda seconds: timedelta(seconds=seconds))
spreads = st.floats(0, 1)
takes = st.integers(0, 120).map(lambda seconds: timedelta(seconds=seconds))


def listing(*, ends_at: datetime | None = None, kind: str = "fixed", status: str = "on_sale") -> Listing:
    return Listing(kind=kind, status=status, ends_at=ends_at)


def looks(
    seen: Listing, *, begin: datetime = MATCHED, floor: timedelta = SECOND, spread: float = 0.0
) -> list[datetime]:
    """Every look, if each shows the same as the one before."""
    found, now = [], begin
    while (at := next_look(seen, matched_at=MATCHED, now=now, floor=floor, spread=spread)) is not None:
        found.append(at)
        now = at
    return found


def test_what_matched_is_looked_at_after_ten_minutes_an_hour_six_hours_and_then_daily_for_a_month() -> None:
    found = [at - MATCHED for at in looks(listing())]
    assert found[:5] == [10 * MINUTE, HOUR, 6 * HOUR, 30 * HOUR, 54 * HOUR]
    assert {later - sooner for sooner, later in itertools.pairwise(found[3:])} == {DAY}
    assert 29 * DAY < found[-1] <= 30 * DAY


@pytest.mark.parametrize("status", ["sold", "ended", "removed"])
def test_what_is_over_is_looked_at_no_more(status: str) -> None:
    assert looks(listing(status=status)) == []


@pytest.mark.parametrize("status", ["reserved", "stopped", "unknown"])
def test_what_may_come_back_is_looked_at_daily(status: str) -> None:
    assert len(looks(listing(status=status))) == len(looks(listing()))


def test_matches_of_one_moment_are_not_looked_at_in_one_moment() -> None:
    firsts = {looks(listing(), spread=number / 100)[0] for number in range(100)}
    assert len(firsts) == 100
    assert max(firsts) - min(firsts) <= MINUTE


def test_an_auction_is_looked_at_more_often_as_its_end_nears_and_just_after_it() -> None:
    ends_at = MATCHED + 2 * DAY
    found = looks(listing(ends_at=ends_at, kind="auction"))
    waits = [later - sooner for sooner, later in itertools.pairwise(found) if later < ends_at]
    late = [wait for wait, at in zip(waits, found, strict=False) if at > ends_at - HOUR]
    assert max(late) <= 6 * MINUTE
    assert min(waits) >= NEAREST
    assert ends_at + AFTER_END in found


def test_an_end_that_can_only_be_a_misreading_is_not_followed_for_ever() -> None:
    found = looks(listing(kind="auction", ends_at=MATCHED + 3_650 * DAY))
    assert LONGEST - DAY < found[-1] - MATCHED <= LONGEST


def test_an_end_that_moved_is_waited_for_again() -> None:
    first, second = MATCHED + HOUR, MATCHED + HOUR + 5 * MINUTE
    at = looks(listing(ends_at=first, kind="auction"))
    assert first + AFTER_END in at
    assert second + AFTER_END in looks(listing(ends_at=second, kind="auction"), begin=first + AFTER_END)


def test_what_ended_and_still_says_on_sale_is_asked_less_and_less() -> None:
    ends_at = MATCHED + DAY
    found = [at for at in looks(listing(ends_at=ends_at, kind="auction")) if at > ends_at]
    waits = [later - sooner for sooner, later in itertools.pairwise(found)]
    assert waits[0] < MINUTE
    assert max(waits) <= FARTHEST
    assert len(found) < 150


@given(
    kind=st.sampled_from(["fixed", "auction"]),
    end=st.one_of(st.none(), st.integers(-30, 90 * 86_400)),
    floor=floors,
    spread=spreads,
    takes=takes,
)
def test_following_ends_and_is_never_faster_than_the_floor(
    kind: str, end: int | None, floor: timedelta, spread: float, takes: timedelta
) -> None:
    ends_at = None if end is None else MATCHED + timedelta(seconds=end)
    seen, now, count = listing(ends_at=ends_at, kind=kind), MATCHED, 0
    while (at := next_look(seen, matched_at=MATCHED, now=now, floor=floor, spread=spread)) is not None:
        assert at - now >= max(floor, NEAREST)
        assert at <= MATCHED + LONGEST
        now, count = at + takes, count + 1
    assert count < 600


@given(
    end=st.integers(1, 58 * 86_400),
    floor=floors,
    spread=spreads,
    takes=takes,
    kind=st.sampled_from(["auction", "fixed"]),
)
def test_there_is_always_a_look_soon_after_a_known_end(
    end: int, floor: timedelta, spread: float, takes: timedelta, kind: str
) -> None:
    ends_at = MATCHED + timedelta(seconds=end)
    seen, now = listing(ends_at=ends_at, kind=kind), MATCHED
    while now < ends_at + AFTER_END:
        at = next_look(seen, matched_at=MATCHED, now=now, floor=floor, spread=spread)
        assert at is not None
        now = at
        after = at >= ends_at + AFTER_END
        now = now if after else at + takes
    gap = max(floor, NEAREST)
    assert now <= max(ends_at + AFTER_END, MATCHED) + takes + gap
    if not takes:
        assert now == max(ends_at + AFTER_END, MATCHED + gap)


def test_who_fails_again_and_again_is_asked_at_most_every_hour() -> None:
    assert [after_failure(n) for n in (0, 1, 2, 3, 20)] == [MINUTE, MINUTE, 2 * MINUTE, 4 * MINUTE, HOUR]

"""A check that takes much longer than usual is cut, and is a failure like others."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from monitor_site.contract import Unavailable
from monitor_site.engine.checking import LONGEST_CUT, SHORTEST_CUT, Checker, cut_after
from monitor_site.engine.members import member
from monitor_site.engine.schedule import Lease
from monitor_site.marketplaces.gateway import Found
from monitor_site.watches.models import Check, Target
from monitor_site.watches.record import record
from tests.watches.makers import result, watch_of


def took(*seconds: float) -> Target:
    return Target(spent=[[round(each * 1000), 1] for each in seconds])


@pytest.mark.parametrize(
    ("target", "seconds"),
    [
        (took(), LONGEST_CUT),
        (took(0.2, 0.3), SHORTEST_CUT),
        (took(0, 0, 0, 0, 0), SHORTEST_CUT),
        (took(6, 6, 6, 6, 6), 12),
        (took(2, 4, 6, 8, 10), 12),
        (took(20, 22), LONGEST_CUT),
    ],
)
def test_a_check_is_cut_at_twice_the_mean_of_its_last_five_within_bounds(target: Target, seconds: float) -> None:
    assert cut_after(target) == seconds


def test_what_stays_slow_is_given_more_time_after_each_cut() -> None:
    spent, cuts = [1.0] * 5, []
    for _ in range(6):
        cuts.append(cut_after(took(*spent)))
        spent = [*spent[1:], cuts[-1]]
    assert cuts[0] == SHORTEST_CUT
    assert cuts[-1] > 2 * SHORTEST_CUT


class Slow:
    """A gateway that cuts whatever it is asked, as the real one does, and remembers after how long."""

    def __init__(self) -> None:
        self.cuts: list[float] = []

    async def search(self, *, within: float, **_asked: Any) -> Found:
        self.cuts.append(within)
        raise Unavailable(f"cut after {within} s")


@pytest.mark.django_db(transaction=True)
async def test_the_gateway_is_told_when_to_cut_and_a_cut_check_fails_as_unavailable(alice: Any, redis: Any) -> None:
    from asgiref.sync import sync_to_async

    await sync_to_async(watch_of)(alice, datetime.now(UTC))
    target = await Target.objects.aget()
    target.spent = [[7000, 1]]
    slow = Slow()
    checker = Checker(gateway=slow, worker="w1", server_now=lambda: datetime.now(UTC).timestamp())  # type: ignore[arg-type]
    found = await checker.check(Lease(marketplace="mercari", id=member(target), fence=1, due_ms=1), target)
    assert (slow.cuts, found.error, found.failed) == ([14.0], "unavailable", True)


@pytest.mark.django_db
def test_a_cut_check_shows_among_the_runs_and_backs_off_as_others_do(alice: Any, redis: Any, now: datetime) -> None:
    target = Target.objects.get(links__watch=watch_of(alice, now))
    delays = []
    for number in range(3):
        at = now + timedelta(minutes=number)
        done = record([result(target, at=at, error="unavailable")], now=at + timedelta(seconds=10))
        delays.append(done.standings[0].delay_ms)
    assert delays == [0, 30_000, 90_000]
    assert set(Check.objects.values_list("outcome", "error")) == {("failed", "unavailable")}

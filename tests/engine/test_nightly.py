"""Steps of one night wait for each other, and one that failed is tried again alone."""

from datetime import datetime, timedelta
from graphlib import CycleError
from typing import Any

import pytest

from monitor_site.connections import key
from monitor_site.engine import nightly
from monitor_site.engine.schedule import UPKEEP, Schedule

GRAPH = {"a": set(), "b": {"a"}, "c": {"a"}, "d": {"b", "c"}}


@pytest.mark.parametrize(
    ("done", "turn"),
    [
        (set(), {"a"}), ({"a"}, {"b", "c"}), ({"a", "b"}, {"c"}), ({"a", "b", "c"}, {"d"}), (set("abcd"), set()),
        ({"b"}, {"a"}),
    ],
)  # fmt: skip
def test_a_step_has_its_turn_when_all_before_it_succeeded(done: set[str], turn: set[str]) -> None:
    assert nightly.ready(GRAPH, done) == turn


def test_a_circle_of_steps_is_refused() -> None:
    with pytest.raises(CycleError):
        nightly.ready({"a": {"b"}, "b": {"a"}}, set())


def turns(now: datetime) -> set[str]:
    return {name for name in nightly.GRAPH if nightly.has_its_turn(name)(now)}


def test_a_step_that_failed_is_tried_again_alone_and_what_waits_for_it_waits(redis: Any, now: datetime) -> None:
    ran: list[str] = []

    def broken(_now: datetime) -> None:
        ran.append("prices")
        raise ValueError

    nightly.step("days-checks", lambda _now: ran.append("checks"))(now)
    for _ in range(nightly.TRIES_A_NIGHT):
        assert turns(now) == {"days-prices"}
        with pytest.raises(ValueError, match=r"^$"):
            nightly.step("days-prices", broken)(now)
    assert turns(now) == set(), "no more tries tonight, and the last step still waits"
    assert ran == ["checks", "prices", "prices", "prices"]
    assert turns(now + timedelta(days=1)) == {"days-checks", "days-prices"}


def test_the_step_that_waited_is_due_at_once_when_the_last_before_it_succeeded(redis: Any, now: datetime) -> None:
    schedule = Schedule(redis)
    schedule.put(marketplace=UPKEEP, moves=[("tidy", "at", schedule.now_ms() + 300_000)])
    for name in ("days-checks", "days-prices"):
        nightly.step(name, lambda _now: None)(now)
    assert turns(now) == {"tidy"}
    assert redis.zscore(key("due", UPKEEP), "tidy") <= schedule.now_ms()

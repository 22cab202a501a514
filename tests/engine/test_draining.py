"""Signals while a worker finishes what it has."""

import signal
from types import SimpleNamespace
from typing import Any

import pytest

from monitor_site.engine import draining

MOMENTS = [
    ([0.0], [False]),
    ([5.0, 5.4], [False, False]),
    ([5.0, 6.0], [False, True]),
    ([5, 5.1, 9], [False, False, True]),
]


@pytest.mark.parametrize(("moments", "cuts"), MOMENTS)
def test_a_second_signal_cuts_unless_it_is_the_same_one_passed_on_twice(moments: Any, cuts: Any) -> None:
    asked = draining.Asked()
    assert [asked.hear(moment) for moment in moments] == cuts


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(draining, "time", SimpleNamespace(monotonic=lambda: now[0]))
    return now


@pytest.fixture
def exits(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    codes: list[int] = []
    monkeypatch.setattr(draining.os, "_exit", codes.append)
    return codes


def test_one_signal_does_not_break_off_draining_that_began_by_itself(clock: Any, exits: list[int]) -> None:
    before = signal.getsignal(signal.SIGTERM)
    with draining.draining(asked=False):
        signal.raise_signal(signal.SIGTERM)
        assert exits == []
        clock[0] += 2
        signal.raise_signal(signal.SIGTERM)
        assert exits == [128 + signal.SIGTERM]
    assert signal.getsignal(signal.SIGTERM) == before


def test_the_next_signal_cuts_draining_that_a_signal_began(clock: Any, exits: list[int]) -> None:
    with draining.draining(asked=True):
        clock[0] += 2
        signal.raise_signal(signal.SIGINT)
    assert exits == [128 + signal.SIGINT]

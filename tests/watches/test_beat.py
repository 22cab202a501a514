"""The grid of due times."""

from hypothesis import given
from hypothesis import strategies as st

from monitor_site.watches.beat import missed_beats, next_beat, phase_ms

moments = st.integers(min_value=1_700_000_000_000, max_value=1_900_000_000_000)
intervals = st.integers(min_value=1, max_value=86_400)
keys = st.text("0123456789abcdef", min_size=64, max_size=64)


@given(keys, intervals, moments)
def test_the_next_beat_is_on_the_grid_and_within_one_interval(key: str, seconds: int, after: int) -> None:
    phase = phase_ms(key, seconds)
    due = next_beat(phase=phase, interval_seconds=seconds, after_ms=after)
    assert after < due <= after + seconds * 1000
    assert (due - phase) % (seconds * 1000) == 0


@given(keys, intervals, moments, st.integers(min_value=0, max_value=50))
def test_late_ends_count_what_they_missed(key: str, seconds: int, after: int, late: int) -> None:
    phase = phase_ms(key, seconds)
    due = next_beat(phase=phase, interval_seconds=seconds, after_ms=after)
    finished = due + late * seconds * 1000 + seconds * 500
    missed = missed_beats(phase=phase, interval_seconds=seconds, due_ms=due, finished_ms=finished)
    assert missed == late


def test_a_beat_served_within_its_interval_missed_nothing() -> None:
    assert missed_beats(phase=0, interval_seconds=5, due_ms=10_000, finished_ms=14_999) == 0
    assert missed_beats(phase=0, interval_seconds=5, due_ms=10_000, finished_ms=15_000) == 1

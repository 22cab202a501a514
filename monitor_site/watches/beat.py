"""The grid on which a target is due: phase + k · interval, in epoch milliseconds. Pure."""


def phase_ms(key: str, interval_seconds: int) -> int:
    """Where on its interval a target beats; its key (hexadecimal) spreads targets evenly."""
    return int(key[:12], 16) % (interval_seconds * 1000)


def next_beat(*, phase: int, interval_seconds: int, after_ms: int) -> int:
    """The first beat strictly after a moment.

    >>> next_beat(phase=300, interval_seconds=5, after_ms=5300)
    10300
    """
    interval = interval_seconds * 1000
    return phase + ((after_ms - phase) // interval + 1) * interval


def missed_beats(*, phase: int, interval_seconds: int, due_ms: int, finished_ms: int) -> int:
    """How many beats passed while one that was due was not finished; the one served does not count."""
    interval = interval_seconds * 1000
    return max(0, (finished_ms - phase) // interval - (due_ms - phase) // interval)

"""How many checks are planned for the next ten minutes, from the schedule and the intervals, without reading it all."""

from collections.abc import Sequence
from typing import Any

import redis

from monitor_site.connections import key

BUCKET_SECONDS, BUCKETS = 30, 20
AHEAD_SECONDS = BUCKET_SECONDS * BUCKETS
# Intervals in seconds with how many questions have them.
Beats = Sequence[tuple[int, int]]


def ask(pipe: Any, marketplace: str, *, now_ms: int) -> None:
    """Ask how many searches stand in each bucket; what is late stands in the first."""
    for number in range(BUCKETS):
        begin = now_ms + number * BUCKET_SECONDS * 1000
        end = begin + BUCKET_SECONDS * 1000
        pipe.zcount(key("due", marketplace), begin if number else "-inf", f"({end}")


def firsts(client: redis.Redis, marketplaces: Sequence[str], *, now_ms: int) -> dict[str, list[int]]:
    """By marketplace and bucket, how many searches are due there for the first time from now."""
    with client.pipeline(transaction=False) as pipe:
        for name in marketplaces:
            ask(pipe, name, now_ms=now_ms)
        counts: list[int] = pipe.execute()
    return {name: counts[BUCKETS * at : BUCKETS * (at + 1)] for at, name in enumerate(marketplaces)}


def a_second(first: Sequence[int], beats: Beats) -> list[float]:
    """Checks a second in each bucket: what is due for the first time, and what has run by then and comes again.

    Questions of one interval are spread evenly over it, so all of them have run once after it, and a share before.
    """
    return [
        (count + _again(beats, number * BUCKET_SECONDS, (number + 1) * BUCKET_SECONDS)) / BUCKET_SECONDS
        for number, count in enumerate(first)
    ]


def _again(beats: Beats, begin: int, end: int) -> float:
    return sum(count * max(0, end - max(begin, seconds)) / seconds for seconds, count in beats)

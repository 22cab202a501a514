"""What a wish costs of each marketplace's pace, before it is saved."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db.models import Count

from monitor_site.marketplaces.catalog import catalog

from .models import Target, Watch
from .questions import allowed, kind_of, questions, target_key


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """At one marketplace: how many questions, how many of them nobody asks yet, every how many seconds.

    ``own`` and ``all`` are requests a minute: of this wish, and of every question here with it; ``pace`` is what the
    marketplace may be asked.
    """

    marketplace: str
    questions: int
    new: int
    seconds: int
    own: float
    all: float
    pace: int

    @property
    def too_much(self) -> bool:
        """All questions together ask more than the pace allows."""
        return self.all > self.pace


def demand(intervals: Iterable[tuple[int, int]]) -> float:
    """Requests a minute of (interval in seconds, how many questions have it).

    >>> demand([(60, 3), (30, 2)])
    7.0
    """
    return sum(60 * count / seconds for seconds, count in intervals)


def cost(
    marketplace: str, keys: Collection[str], *, seconds: int, asked: dict[str, int], intervals: list[tuple[int, int]]
) -> Cost:
    """Of a wish with these questions; ``asked`` is the interval of those that are asked now, ``intervals`` of all."""
    faster = [(seconds, 1) for key in keys if asked.get(key, seconds + 1) > seconds]
    slower = [(asked[key], 1) for key in keys if asked.get(key, 0) > seconds]
    return Cost(
        marketplace=marketplace,
        questions=len(keys),
        new=sum(key not in asked for key in keys),
        seconds=seconds,
        own=demand([(seconds, len(keys))]),
        all=demand(intervals) + demand(faster) - demand(slower),
        pace=catalog().pace(marketplace).per_minute,
    )


def costs(watch: Watch) -> list[Cost]:
    """What a watch asks of each of its marketplaces, by name; two queries. It need not be saved."""
    keys: dict[str, list[str]] = {name: [] for name in watch.marketplaces}
    for name, criteria in questions(watch):
        keys[name].append(target_key(marketplace=name, kind=kind_of(watch), criteria=criteria))
    asked, intervals = _asked(keys), _intervals(watch.marketplaces)
    return [
        cost(
            name, own, seconds=allowed(name, watch.interval_seconds), asked=asked, intervals=intervals.get(name, [])
        )
        for name, own in keys.items()
    ]  # fmt: skip


def _asked(keys: dict[str, list[str]]) -> dict[str, int]:
    every = [key for own in keys.values() for key in own]
    return dict(Target.objects.filter(key__in=every, active=True).values_list("key", "interval_seconds"))


def _intervals(marketplaces: Collection[str]) -> dict[str, list[tuple[int, int]]]:
    """(interval, how many) of everything that is asked, looks included."""
    active = Target.objects.filter(active=True, marketplace__in=marketplaces).order_by()
    found: dict[str, list[tuple[int, int]]] = {}
    for name, seconds, count in active.values_list("marketplace", "interval_seconds").annotate(n=Count("pk")):
        found.setdefault(name, []).append((seconds, count))
    return found

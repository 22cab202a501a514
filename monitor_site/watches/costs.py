"""What a wish costs of each marketplace's pace, before it is saved."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from django.db.models import Count

from monitor_site.marketplaces.catalog import catalog

from .models import Target, Watch
from .plan import capacity
from .planned import foresee
from .questions import allowed, kind_of, questions, target_key


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """At one marketplace: how many questions, how many of them nobody asks yet, every how many seconds.

    ``own`` and ``all`` are requests a minute: of this wish, and of every question here with it; ``pace`` is what the
    marketplace may be asked, ``room`` what of it searches may use. Where all want more than that, ``planned`` is how
    often the slowest of these questions would be asked in fact, and ``sharing`` how many questions share the room.
    """

    marketplace: str
    questions: int
    new: int
    seconds: int
    own: float
    all: float
    pace: int
    room: float
    planned: int | None = None
    sharing: int = 0

    @property
    def too_much(self) -> bool:
        """All questions together ask more than there is room for."""
        return self.all > self.room


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
        room=capacity(catalog().pace(marketplace).per_minute),
    )


def costs(watch: Watch) -> list[Cost]:
    """What a watch asks of each of its marketplaces, by name; it need not be saved. Two queries where all have room."""
    keys: dict[str, list[str]] = {name: [] for name in watch.marketplaces}
    for name, criteria in questions(watch):
        keys[name].append(target_key(marketplace=name, kind=kind_of(watch), criteria=criteria))
    asked, intervals = _asked(keys), _intervals(watch.marketplaces)
    return [_told(watch, name, own, asked, intervals.get(name, [])) for name, own in keys.items()]


def _told(
    watch: Watch, name: str, keys: Collection[str], asked: dict[str, int], intervals: list[tuple[int, int]]
) -> Cost:
    """The cost at a marketplace; what is planned only where there is too little for all."""
    seconds = allowed(name, watch.interval_seconds)
    told = cost(name, keys, seconds=seconds, asked=asked, intervals=intervals)
    if not told.too_much:
        return told
    slowest, standing = foresee(name, keys, seconds=seconds, user_id=watch.user_id, now=watch.updated_at)
    return replace(told, planned=slowest.seconds, sharing=standing.questions, room=standing.pace)


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

"""When a question's watches together want it asked."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.db.models import Q

from .models import Target, Watch, WatchTarget
from .times import Trigger, next_time, worth_telling

# How far an interval may go from the wish of those who let it follow what it brings.
FASTER, SLOWER = 4, 4
SAID = ("interval_seconds", "active_from", "active_to", "weekdays", "cron", "jitter", "adaptive", "user__time_zone")


@dataclass(frozen=True, slots=True, kw_only=True)
class Together:
    """What the watches of one question wish: the shortest interval, their triggers where that is not all, and how

    fast and slow the question may become, ``None`` where nobody lets it.
    """

    seconds: int
    times: list[dict[str, Any]]
    fastest: int | None
    slowest: int | None

    def fields(self) -> dict[str, Any]:
        """As the row of a target has it."""
        return {
            "interval_seconds": self.seconds,
            "times": self.times,
            "wanted_fastest": self.fastest,
            "wanted_slowest": self.slowest,
        }


def special() -> Q:
    """Links of watches whose interval does not say it all."""
    odd = Q(watch__active_from__isnull=False) | ~Q(watch__weekdays=[]) | Q(watch__jitter=True)
    return odd | ~Q(watch__cron="")


def together(target_ids: Iterable[int], *, allowed: Callable[[int], int]) -> dict[int, Together]:
    """Of the targets that somebody asks; ``allowed`` lengthens an interval to what the marketplace bears."""
    links = WatchTarget.objects.filter(target_id__in=list(target_ids), watch__paused_at=None)
    wishes: dict[int, list[tuple[Trigger, bool]]] = defaultdict(list)
    for target_id, *said in links.values_list("target_id", *(f"watch__{name}" for name in SAID)).distinct():
        wishes[target_id].append(_wish(allowed, *said))
    return {target_id: _together(own, allowed) for target_id, own in wishes.items()}


def _wish(
    allowed: Callable[[int], int],
    seconds: int,
    start: int | None,
    end: int | None,
    days: list[int],
    *rest: Any,
) -> tuple[Trigger, bool]:
    cron, jitter, adaptive, zone = rest
    trigger = Trigger(every=allowed(seconds), start=start, end=end, days=tuple(days), cron=cron, jitter=jitter)
    return (trigger if trigger.is_plain else trigger.at_zone(zone)), adaptive


def _together(wishes: Collection[tuple[Trigger, bool]], allowed: Callable[[int], int]) -> Together:
    triggers = [trigger for trigger, _adaptive in wishes]
    free = min((trigger.every for trigger, adaptive in wishes if adaptive), default=None)
    exact = min((trigger.every for trigger, adaptive in wishes if not adaptive), default=None)
    return Together(
        seconds=min(trigger.every for trigger in triggers),
        times=worth_telling(triggers),
        fastest=None if free is None else allowed(free // FASTER),
        slowest=None if free is None else min(free * SLOWER, exact or free * SLOWER),
    )


def trigger_of_watch(watch: Watch) -> Trigger:
    """When one watch alone wants to ask, on the clock of its user."""
    return Trigger(
        every=watch.interval_seconds,
        zone=watch.user.time_zone,
        start=watch.active_from,
        end=watch.active_to,
        days=tuple(watch.weekdays),
        cron=watch.cron,
        jitter=watch.jitter,
    )


def next_due(target: Target, *, after_ms: int, served_ms: int | None = None) -> datetime:
    """When a target with ``times`` is due next."""
    stretch = target.every_seconds / target.interval_seconds
    due = next_time(target.times, key=target.key, after_ms=after_ms, stretch=stretch, served_ms=served_ms)
    return datetime.fromtimestamp(due / 1000, tz=UTC)

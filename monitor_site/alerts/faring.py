"""How channels fare: what they delivered, which watches use them, and which watches nobody is told of."""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from statistics import median
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Window
from django.db.models.functions import RowNumber

from monitor_site.watches.models import Watch

from .holding import midnight_of
from .models import Channel, Delivery, DeliveryState, Importance, Notice, WatchAlerts
from .would_tell import Usage

LOOKED_AT = 50
LOOKED_BACK = timedelta(days=30)
Through = WatchAlerts.channels.through


@dataclass(frozen=True, slots=True, kw_only=True)
class Fare:
    """What a channel did today (on its person's clock), and in how many seconds it delivers: the median of the last."""

    delivered: int = 0
    failed: int = 0
    seconds: float | None = None


def fares_of(channels: Collection[Channel], *, zone: tzinfo, now: datetime) -> dict[int, Fare]:
    """How each of these channels fares: two queries."""
    ids = [channel.pk for channel in channels]
    ended = Delivery.objects.filter(channel__in=ids, ended_at__gte=midnight_of(now, zone)).order_by()
    delivered, dead = (Count("pk", filter=Q(state=state)) for state in (DeliveryState.SENT, DeliveryState.DEAD))
    rows = ended.values("channel").annotate(delivered=delivered, failed=dead)
    today = {row["channel"]: row for row in rows}
    took = _seconds(ids, now)
    return {
        pk: Fare(
            delivered=today[pk]["delivered"] if pk in today else 0,
            failed=today[pk]["failed"] if pk in today else 0,
            seconds=median(took[pk]) if pk in took else None,
        )
        for pk in ids
    }


def _seconds(channel_ids: Collection[int], now: datetime) -> dict[int, list[float]]:
    """From its first try to its arrival, for the last messages of each channel."""
    sent = Delivery.objects.filter(channel__in=channel_ids, state=DeliveryState.SENT, created_at__gt=now - LOOKED_BACK)
    newest = sent.annotate(place=Window(RowNumber(), partition_by=F("channel"), order_by=F("created_at").desc()))
    found: dict[int, list[float]] = {}
    rows = newest.filter(place__lte=LOOKED_AT).values_list("channel_id", "created_at", "ended_at")
    for channel_id, created_at, ended_at in rows:
        if ended_at is not None:
            found.setdefault(channel_id, []).append((ended_at - created_at).total_seconds())
    return found


@dataclass(slots=True)
class Uses:
    """How important the watches of a person are that name a channel, by channel, and those that name none."""

    named: dict[int, list[int]] = field(default_factory=dict)
    unnamed: list[int] = field(default_factory=list)

    def usage(self, channel: Channel) -> Usage:
        """What a channel is used by: the watches that name it, and for a default one those that name none."""
        levels = [*self.named.get(channel.pk, ()), *(self.unnamed if channel.is_default else ())]
        return Usage(watches=len(levels), highest=max(levels, default=None))


def uses_of(user: Any) -> Uses:
    """Read which watches use which channels: three queries."""
    levels = dict.fromkeys(Watch.objects.of(user).values_list("pk", flat=True), int(Importance.NORMAL))
    levels |= dict(WatchAlerts.objects.filter(watch__user=user).values_list("watch_id", "importance"))
    uses, naming = Uses(), set()
    for watch_id, channel_id in _named(user):
        naming.add(watch_id)
        uses.named.setdefault(channel_id, []).append(levels[watch_id])
    uses.unnamed = [level for watch_id, level in levels.items() if watch_id not in naming]
    return uses


def _named(user: Any) -> list[tuple[int, int]]:
    """Watch and channel."""
    through = Through.objects.filter(watchalerts__watch__user=user)
    return list(through.values_list("watchalerts__watch_id", "channel_id"))


def undelivered(user: Any) -> QuerySet[Delivery]:
    """The messages that could not be delivered and wait for a person, newest first."""
    dead = Delivery.objects.filter(channel__user=user, state=DeliveryState.DEAD)
    return dead.select_related("channel").order_by("-ended_at", "-pk")


def waiting(channel: Channel) -> int:
    """How many alerts wait to be told through this channel."""
    not_sent = Q(delivery=None) | Q(delivery__state=DeliveryState.WAITING)
    return Notice.objects.filter(not_sent, channel=channel).count()


def untold(user: Any, channels: Collection[Channel]) -> int:
    """How many watches that run reach nobody; ``channels`` are all of the person.

    A watch that names channels is told of there, others on the default ones. Where all of them are given up, any other
    channel that works stands in.
    """
    watches = Watch.objects.of(user).filter(paused_at=None)
    stands_in = any(not channel.is_failing for channel in channels)
    usable = {one.pk for one in channels if stands_in or one.disabled_at is None}
    named = Through.objects.filter(watchalerts__watch__in=watches)
    lost = watches.filter(pk__in=named.values("watchalerts__watch")).exclude(
        pk__in=named.filter(channel__in=usable).values("watchalerts__watch")
    )
    if any(channel.is_default and channel.pk in usable for channel in channels):
        return lost.count()
    return lost.count() + watches.exclude(pk__in=named.values("watchalerts__watch")).count()

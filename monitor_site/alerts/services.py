"""What people do with their channels, and what upkeep does for them. Each one transaction."""

import secrets as random
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.db import transaction
from django.db.models import Q

from monitor_site.marketplaces import vault
from monitor_site.watches.models import Watch

from .holding import wait_of
from .models import AlertKind, Channel, Delivery, DeliveryState, Held, Importance, Notice, WatchAlerts
from .routing import USUALLY_TOLD
from .telling import Draft, hurry, publish

MOST_CHANNELS = 20
TESTED_AFTER = timedelta(days=7)
MOST_WOKEN = 1000


class TooManyChannels(Exception):
    """A person has :data:`MOST_CHANNELS` already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """How a channel tells: the fields of :class:`models.Channel` of the same names."""

    name: str
    language: str = ""
    is_default: bool = True
    tells: tuple[str, ...] = USUALLY_TOLD
    least: int = Importance.LOW
    quiet_from: int | None = None
    quiet_until: int | None = None
    digest_minutes: int | None = None
    cool_down_minutes: int = 15
    per_day: int | None = None
    weekly_test: bool = True
    backup: Channel | None = None

    def fields(self) -> dict[str, Any]:
        """Column → value."""
        return {name: getattr(self, name) for name in self.__slots__} | {"tells": [str(kind) for kind in self.tells]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where a channel leads: its kind, what anybody may see of it, and its secrets."""

    kind: str
    values: Mapping[str, str] = field(default_factory=dict)
    secrets: Mapping[str, str] = field(default_factory=dict)


@transaction.atomic
def create_channel(*, user: Any, place: Place, manner: Manner, now: datetime) -> Channel:
    """A new channel. Raises :class:`TooManyChannels`."""
    if Channel.objects.of(user).count() >= MOST_CHANNELS:
        raise TooManyChannels
    channel = Channel.objects.create(
        user=user, kind=place.kind, values=dict(place.values), created_at=now, updated_at=now, **manner.fields()
    )
    # Only a saved row has an identity to bind its secrets to.
    channel.sealed = vault.seal(place.secrets, identity=channel.identity)
    channel.save(update_fields=["sealed"])
    return channel


@transaction.atomic
def change_channel(*, channel: Channel, place: Place, manner: Manner, now: datetime) -> None:
    """Another manner or place; secrets that are not given stay. What was given up at the old place is tried anew.

    Raises :class:`vault.CannotOpen` when the old secrets cannot be opened and would be lost.
    """
    row = Channel.objects.select_for_update().get(pk=channel.pk)
    moved = dict(place.values) != row.values or bool(place.secrets)
    for name, value in manner.fields().items():
        setattr(row, name, value)
    row.values, row.updated_at = dict(place.values), now
    if place.secrets:
        kept = vault.unseal(row.sealed, identity=row.identity)
        row.sealed = vault.seal(kept | dict(place.secrets), identity=row.identity)
    if moved:
        row.disabled_at, row.rests_until, row.failures, row.failing_since = None, None, 0, None
    row.save()
    _plan_anew(row, now)
    hurry([row.pk], now=now)


def remove_channel(*, channel: Channel) -> None:
    """Forget a channel, its secrets and what it was to tell."""
    channel.delete()


@transaction.atomic
def mute_channel(*, channel: Channel, until: datetime | None, now: datetime) -> None:
    """Hold what comes until then; ``None`` ends it, and what was held comes as soon as other wishes allow."""
    row = Channel.objects.select_for_update().get(pk=channel.pk)
    row.muted_until = until
    row.save(update_fields=["muted_until"])
    _plan_anew(row, now)
    hurry([row.pk], now=now)


def _plan_anew(channel: Channel, now: datetime) -> None:
    """What waits for the wishes of a channel waits for those that it has now."""
    zone = ZoneInfo(channel.user.time_zone)
    wait = wait_of(channel=channel, kind=AlertKind.MATCH, told_at=None, zone=zone, now=now)
    held = [Held.MUTED, Held.QUIET, Held.DIGEST, Held.DAY]
    waiting = Notice.objects.filter(channel=channel, delivery=None, held__in=held)
    waiting.update(due_at=wait.until, held=wait.held)


@transaction.atomic
def begin_test(*, channel: Channel, weekly: bool = False, now: datetime) -> Notice:
    """Send a test over the real path, whatever holds other messages back; returns the notice to look at."""
    draft = Draft(
        user_id=channel.user_id,
        kind=AlertKind.TEST,
        key=f"test:{channel.pk}:{random.token_urlsafe(8)}",
        facts={"channel": channel.name, "weekly": weekly},
        only=[channel],
    )
    alert = publish([draft], now=now)[0]
    return Notice.objects.get(alert=alert, channel=channel)


@transaction.atomic
def send_again(*, delivery: Delivery, now: datetime) -> bool:
    """Try a message again that could not be delivered, under the same id; whether it was one."""
    dead = Delivery.objects.filter(pk=delivery.pk, state=DeliveryState.DEAD)
    if not dead.update(state=DeliveryState.WAITING, ended_at=None, attempts=0, due_at=now):
        return False
    Channel.objects.filter(pk=delivery.channel_id).update(rests_until=None, disabled_at=None)
    hurry([delivery.channel_id], now=now)
    return True


@transaction.atomic
def set_watch_alerts(*, watch: Watch, importance: int, channels: Collection[Channel]) -> None:
    """How matches of a watch are told of; no channels: through the default ones."""
    wishes, _made = WatchAlerts.objects.update_or_create(watch=watch, defaults={"importance": importance})
    wishes.channels.set([channel for channel in channels if channel.user_id == watch.user_id])


@transaction.atomic
def wake_channels(*, now: datetime) -> int:
    """Have everything told whose time has come, or that a worker dropped; returns how many channels."""
    free = Channel.objects.filter(Q(busy_until=None) | Q(busy_until__lte=now))
    due = Q(notices__delivery=None, notices__due_at__lte=now)
    due |= Q(deliveries__state=DeliveryState.WAITING, deliveries__due_at__lte=now)
    ready = free.filter(Q(rests_until=None) | Q(rests_until__lte=now), due, disabled_at=None)
    ids = list(ready.values_list("pk", flat=True).distinct()[:MOST_WOKEN])
    hurry(ids, now=now)
    return len(ids)


def begin_weekly_tests(*, now: datetime) -> int:
    """Test the channels through which nothing has come for a week; returns how many."""
    silent = Channel.objects.usable().filter(weekly_test=True, delivered_at__lt=now - TESTED_AFTER)
    silent = silent.exclude(notices__alert__kind=AlertKind.TEST, notices__created_at__gt=now - TESTED_AFTER)
    channels = list(silent.distinct()[:MOST_WOKEN])
    for channel in channels:
        begin_test(channel=channel, weekly=True, now=now)
    return len(channels)

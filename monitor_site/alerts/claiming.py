"""Take what a channel has to tell, one message at a time: a worker has a channel for itself while it sends.

Claim, send, conclude: whoever dies in between leaves a message that is sent again under the same id when the channel
is free again, so that nothing is lost and a repetition can be known.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from .holding import DAY, midnight_of
from .models import AlertKind, Channel, Delivery, DeliveryState, Held, Notice

# So many messages come one by one; more at once are one message.
FEW = 3
MOST_IN_ONE = 200
BURST = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Parcel:
    """A message to send now, and the fence by which its channel is held."""

    delivery: Delivery
    channel: Channel
    fence: int


def is_due(*, channel_id: int, now: datetime) -> bool:
    """Whether a channel may have something to tell by now: one read, where a claim in vain writes."""
    new = waiting(now=now).filter(channel=channel_id).order_by()
    tried = Delivery.objects.filter(channel=channel_id, state=DeliveryState.WAITING, due_at__lte=now)
    return Channel.objects.filter(Exists(new) | Exists(tried), pk=channel_id).exists()


def claim(*, channel_id: int, rates: Mapping[str, float], now: datetime) -> Parcel | None:
    """The next message of a channel, or ``None`` when there is none, or not yet, or another worker is at it.

    ``rates`` is what each kind bears, in messages a minute; a kind that is not there is not known here any more.
    """
    with transaction.atomic():
        channel = _taken(channel_id, now)
        if channel is None:
            return None
        delivery = _next(channel, rates[channel.kind], now) if channel.kind in rates else None
        if delivery is None:
            Channel.objects.filter(pk=channel.pk, fence=channel.fence).update(busy_until=None)
            return None
        return Parcel(delivery=delivery, channel=channel, fence=channel.fence)


def busy_time() -> timedelta:
    """How long a worker has a channel for itself: longer than a send may take, with its picture."""
    return timedelta(seconds=3 * settings.LEASE_SECONDS)


def _taken(channel_id: int, now: datetime) -> Channel | None:
    """Winning is an update that changed one row."""
    free = Channel.objects.filter(Q(busy_until=None) | Q(busy_until__lte=now), pk=channel_id)
    if not free.update(busy_until=now + busy_time(), fence=F("fence") + 1):
        return None
    return Channel.objects.select_related("user").get(pk=channel_id)


def _next(channel: Channel, per_minute: float, now: datetime) -> Delivery | None:
    """Tests come first, whatever else holds; then what was tried before; then what is new."""
    if (test := waiting(now=now).filter(channel=channel, alert__kind=AlertKind.TEST).first()) is not None:
        return _delivery(channel, [test], now)
    if channel.disabled_at is not None or (channel.rests_until is not None and channel.rests_until > now):
        return None
    if not _spare(channel, per_minute, now):
        return None
    return _again(channel, now) or _new(channel, now)


def _again(channel: Channel, now: datetime) -> Delivery | None:
    """A message that was tried before, unless all that it tells of is gone."""
    told = Exists(Notice.objects.filter(delivery=OuterRef("pk")))
    tried = Delivery.objects.filter(told, channel=channel, state=DeliveryState.WAITING, due_at__lte=now)
    return tried.order_by("due_at", "pk").first()


def waiting(*, now: datetime) -> QuerySet[Notice]:
    """What is to be told by now and stands in no message yet, oldest first."""
    return Notice.objects.filter(delivery=None, due_at__lte=now).order_by("pk")


def _new(channel: Channel, now: datetime) -> Delivery | None:
    notices = list(waiting(now=now).filter(channel=channel)[:MOST_IN_ONE])
    if not notices or _is_day_full(channel, [one.pk for one in notices], now):
        return None
    return _delivery(channel, notices if len(notices) > FEW or channel.digest_minutes else notices[:1], now)


def _delivery(channel: Channel, notices: list[Notice], now: datetime) -> Delivery:
    """What stands in a message stays in it: a repetition says the same."""
    delivery = Delivery.objects.create(channel=channel, due_at=now, created_at=now)
    Notice.objects.filter(pk__in=[one.pk for one in notices], delivery=None).update(delivery=delivery)
    return delivery


def _spare(channel: Channel, per_minute: float, now: datetime) -> bool:
    """Take a token of the channel's rate; without one it rests until there is one, and what comes is told together."""
    rate = per_minute / 60
    passed = (now - channel.spared_at).total_seconds() if channel.spared_at else BURST / rate
    spared = min(BURST, channel.spared + max(0.0, passed) * rate)
    if spared < 1:
        _rest(channel, now + timedelta(seconds=(1 - spared) / rate))
        return False
    channel.spared, channel.spared_at = spared - 1, now
    Channel.objects.filter(pk=channel.pk).update(spared=channel.spared, spared_at=now)
    return True


def _rest(channel: Channel, until: datetime) -> None:
    Channel.objects.filter(pk=channel.pk).update(rests_until=until)


def told_today(channel: Channel, *, now: datetime) -> int:
    """How many messages a channel was given since midnight on its person's clock, tests not counted."""
    midnight = midnight_of(now, ZoneInfo(channel.user.time_zone))
    tests = Notice.objects.filter(delivery=OuterRef("pk"), alert__kind=AlertKind.TEST)
    return Delivery.objects.filter(channel=channel, created_at__gte=midnight).exclude(Exists(tests)).count()


def _is_day_full(channel: Channel, notice_ids: list[int], now: datetime) -> bool:
    """The rest comes together at the beginning of the next day; nothing is dropped."""
    if channel.per_day is None or told_today(channel, now=now) < channel.per_day:
        return False
    zone = ZoneInfo(channel.user.time_zone)
    # A day may have 23 or 25 hours: its middle and a day more lie in the next one.
    tomorrow = midnight_of(midnight_of(now, zone) + DAY * 1.5, zone)
    Notice.objects.filter(pk__in=notice_ids).update(due_at=tomorrow, held=Held.DAY)
    return True

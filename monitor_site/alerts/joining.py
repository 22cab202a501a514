"""Which watches a channel tells of: by default, and by name. Services, each one transaction."""

from datetime import datetime

from django.db import transaction

from monitor_site.watches.models import Watch

from .models import Channel, WatchAlerts


@transaction.atomic
def set_default(*, channel: Channel, is_default: bool, join: bool = False, now: datetime) -> int:
    """Tell of the watches that name no channel, or not; with ``join`` also of those that name others.

    Returns how many were joined.
    """
    Channel.objects.filter(pk=channel.pk).update(is_default=is_default, updated_at=now)
    return join_watches(channel=channel) if join else 0


@transaction.atomic
def join_watches(*, channel: Channel) -> int:
    """Add a channel to the watches of its person that name others; returns to how many."""
    through = WatchAlerts.channels.through
    naming = WatchAlerts.objects.filter(watch__user=channel.user_id, channels__isnull=False)
    missing = naming.exclude(channels=channel).distinct().values_list("pk", flat=True)
    rows = [through(watchalerts_id=pk, channel_id=channel.pk) for pk in missing]
    through.objects.bulk_create(rows, ignore_conflicts=True)
    return len(rows)


@transaction.atomic
def set_importance(*, watch: Watch, importance: int) -> bool:
    """How important the matches of a watch are; whether that is new."""
    wishes, _made = WatchAlerts.objects.get_or_create(watch=watch)
    changed = WatchAlerts.objects.filter(pk=wishes.pk).exclude(importance=importance).update(importance=importance)
    return bool(changed)


@transaction.atomic
def name_channel(*, watch: Watch, channel: Channel) -> bool:
    """Have a watch name a channel of its person, beside those that it names already; whether that is new."""
    if channel.user_id != watch.user_id:
        return False
    wishes, _made = WatchAlerts.objects.get_or_create(watch=watch)
    if wishes.channels.filter(pk=channel.pk).exists():
        return False
    wishes.channels.add(channel)
    return True


@transaction.atomic
def name_no_channel(*, watch: Watch) -> bool:
    """Have a watch told of on the default channels; whether that is new."""
    wishes = WatchAlerts.objects.filter(watch=watch, channels__isnull=False).first()
    if wishes is None:
        return False
    wishes.channels.clear()
    return True


def naming_watches(*, channel: Channel) -> list[str]:
    """The names of the watches that name this channel."""
    wishes = WatchAlerts.objects.filter(channels=channel).order_by("watch__name", "watch_id")
    return list(wishes.values_list("watch__name", flat=True))


def backed_up(*, channel: Channel) -> list[str]:
    """The names of the channels for which this one stands in."""
    return list(channel.backs_up.order_by("name").values_list("name", flat=True))

"""Quiet for a while: watches are muted, matches snoozed."""

from datetime import datetime, timedelta, tzinfo

from django.db import transaction

from .models import Match, MatchState, Watch

HOUR = timedelta(hours=1)
MORNING = 8


def tomorrow_morning(*, now: datetime, zone: tzinfo) -> datetime:
    """Tomorrow, 08:00 on a person's clock, whatever the clocks do in between."""
    tomorrow = (now.astimezone(zone) + timedelta(days=1)).date()
    return datetime(tomorrow.year, tomorrow.month, tomorrow.day, MORNING, tzinfo=zone).astimezone(now.tzinfo)


@transaction.atomic
def mute_watch(*, watch: Watch, until: datetime | None, now: datetime) -> None:
    """Alert nobody of this watch's matches until then, without a time until it is unmuted; they come as ever."""
    Watch.objects.filter(pk=watch.pk).update(muted_at=now, muted_until=until)


@transaction.atomic
def unmute_watch(*, watch: Watch) -> bool:
    """Alert again; whether it was muted."""
    return bool(Watch.objects.filter(pk=watch.pk, muted_at__isnull=False).update(muted_at=None, muted_until=None))


@transaction.atomic
def snooze_match(*, match: Match, until: datetime) -> None:
    """Keep a match out of the feed until then; it comes back by itself, as new."""
    awake = Match.objects.filter(pk=match.pk).exclude(state=MatchState.IGNORED)
    awake.update(snoozed_until=until, state=MatchState.NEW)


@transaction.atomic
def wake_match(*, match: Match) -> None:
    """Take back :func:`snooze_match`."""
    Match.objects.filter(pk=match.pk).update(snoozed_until=None)

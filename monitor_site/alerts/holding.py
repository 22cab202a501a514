"""When a channel tells of something: at once, or later and why. Pure. Nothing is ever dropped here."""

from dataclasses import dataclass
from datetime import datetime, time, timedelta, tzinfo

from .models import AlertKind, Channel, Held

DAY = timedelta(days=1)
# What a person asked for, and what makes every other message impossible, waits for nothing.
AT_ONCE = frozenset({AlertKind.TEST, AlertKind.TROUBLE})
# That something is over, or is as a person has asked to be told, is said however shortly before something else was.
NEVER_COOL = frozenset({AlertKind.SOLD, AlertKind.CROSSING, AlertKind.ORDER})


@dataclass(frozen=True, slots=True)
class Wait:
    """From when on, and why not before; ``held`` is empty for at once."""

    until: datetime
    held: str = ""


def wait_of(  # noqa: PLR0913  all of them by name
    *, channel: Channel, kind: str, told_at: datetime | None, zone: tzinfo, now: datetime, patient: bool = False
) -> Wait:
    """The longest of what holds a message back. ``told_at`` is when this channel tells of the listing before it.

    ``patient`` is a trouble that makes no other message impossible.
    """
    if kind in AT_ONCE and not patient:
        return Wait(now)
    waits = [Wait(now), muted(channel, now=now), digest(channel, zone=zone, now=now)]
    if told_at is not None and kind not in NEVER_COOL:
        waits.append(Wait(told_at + timedelta(minutes=channel.cool_down_minutes), Held.COOL_DOWN))
    longest = max(waits, key=lambda wait: wait.until)
    end = quiet_end(channel, zone=zone, at=longest.until)
    return longest if end is None else Wait(end, Held.QUIET)


def muted(channel: Channel, *, now: datetime) -> Wait:
    """Until the end of the mute."""
    return Wait(channel.muted_until, Held.MUTED) if channel.muted_until else Wait(now)


def digest(channel: Channel, *, zone: tzinfo, now: datetime) -> Wait:
    """Until the next digest: they are counted from midnight on the person's clock."""
    if not channel.digest_minutes:
        return Wait(now)
    step, midnight = timedelta(minutes=channel.digest_minutes), midnight_of(now, zone)
    passed = now - midnight
    return Wait(midnight + step * (passed // step + 1), Held.DIGEST)


def quiet_end(channel: Channel, *, zone: tzinfo, at: datetime) -> datetime | None:
    """When the quiet hours end that a moment lies in; ``None`` outside of them."""
    if channel.quiet_from is None or channel.quiet_until is None:
        return None
    local = at.astimezone(zone)
    minute = local.hour * 60 + local.minute
    start, end = channel.quiet_from, channel.quiet_until
    inside = start <= minute < end if start < end else minute >= start or minute < end
    if not inside:
        return None
    day = local.date() + (DAY if minute >= end else timedelta())
    return datetime.combine(day, time(end // 60, end % 60), tzinfo=zone).astimezone(at.tzinfo)


def midnight_of(moment: datetime, zone: tzinfo) -> datetime:
    """The beginning of the person's day, in the zone of ``moment``."""
    return datetime.combine(moment.astimezone(zone).date(), time(), tzinfo=zone).astimezone(moment.tzinfo)

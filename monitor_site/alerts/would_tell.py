"""Why a match that came now would not reach a person through a channel, or not at once. Pure."""

from dataclasses import dataclass
from datetime import datetime, tzinfo
from enum import StrEnum

from .holding import DAY, digest, midnight_of, quiet_end
from .models import AlertKind, Channel


class Why(StrEnum):
    """What stands between a match and a channel."""

    GIVEN_UP = "given_up"
    UNUSED = "unused"
    THRESHOLD = "threshold"
    KIND = "kind"
    MUTED = "muted"
    QUIET = "quiet"
    DIGEST = "digest"
    DAY = "day"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """How many watches tell through a channel, and what the most important of them says; ``None`` without any."""

    watches: int = 0
    highest: int | None = None


@dataclass(frozen=True, slots=True)
class Reason:
    """One of them, and when it ends; ``None``: not by itself."""

    why: Why
    until: datetime | None = None


def reasons(channel: Channel, *, usage: Usage, told_today: int, zone: tzinfo, now: datetime) -> list[Reason]:
    """All that stands in the way, what never ends by itself first; none when a match would come at once."""
    return [*_for_good(channel, usage), *_for_now(channel, told_today, zone, now)]


def _for_good(channel: Channel, usage: Usage) -> list[Reason]:
    found = {
        Why.GIVEN_UP: channel.disabled_at is not None,
        Why.UNUSED: usage.highest is None,
        Why.THRESHOLD: usage.highest is not None and channel.least > usage.highest,
        Why.KIND: AlertKind.MATCH not in channel.tells,
    }
    return [Reason(why) for why, holds in found.items() if holds]


def _for_now(channel: Channel, told_today: int, zone: tzinfo, now: datetime) -> list[Reason]:
    found = {
        Why.MUTED: channel.muted_until if channel.is_muted(now=now) else None,
        Why.QUIET: quiet_end(channel, zone=zone, at=now),
        Why.DIGEST: digest(channel, zone=zone, now=now).until if channel.digest_minutes else None,
        Why.DAY: _tomorrow(zone, now) if channel.per_day is not None and told_today >= channel.per_day else None,
    }
    return [Reason(why, until) for why, until in found.items() if until is not None]


def _tomorrow(zone: tzinfo, now: datetime) -> datetime:
    # A day may have 23 or 25 hours: its middle and a day more lie in the next one.
    return midnight_of(midnight_of(now, zone) + DAY * 1.5, zone)

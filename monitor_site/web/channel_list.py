"""What the page of channels shows, as plain values."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext

from monitor_site import wording
from monitor_site.alerts import faring
from monitor_site.alerts.faring import Fare
from monitor_site.alerts.models import Channel, Delivery
from monitor_site.alerts.rendering import alerts_of
from monitor_site.alerts.services import MOST_CHANNELS
from monitor_site.alerts.ways.kinds import kinds
from monitor_site.alerts.words import headline
from monitor_site.alerts.would_tell import Usage

from .channel_words import (
    GROUPS,
    State,
    answer_words,
    kind_title,
    language_words,
    manner_words,
    place_words,
    state_of,
)

SHOWN_DEAD = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A channel with its words; ``took`` is how long it takes to deliver, empty when nobody knows."""

    channel: Channel
    kind: str
    place: str
    language: str
    state: State
    manner: list[str]
    fare: Fare
    usage: Usage
    took: str
    muted: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """The channels of one group of kinds."""

    title: str
    lines: list[Line]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dead:
    """A message that was not delivered: what it told of, how many more things, and why it did not arrive."""

    delivery: Delivery
    headline: str
    more: int
    why: str


def page_of(user: Any, *, now: datetime) -> dict[str, Any]:
    """Everything on the page."""
    channels = list(Channel.objects.of(user).order_by("pk"))
    dead = faring.undelivered(user)
    return {
        "groups": _groups(_lines(user, channels, now)),
        "most": MOST_CHANNELS,
        "full": len(channels) >= MOST_CHANNELS,
        "dead": [_dead(one) for one in dead[:SHOWN_DEAD]],
        "dead_more": max(0, dead.count() - SHOWN_DEAD),
    }


def _lines(user: Any, channels: Sequence[Channel], now: datetime) -> list[Line]:
    fares = faring.fares_of(channels, zone=timezone.get_current_timezone(), now=now)
    uses = faring.uses_of(user)
    return [_line(one, fares[one.pk], uses.usage(one), now) for one in channels]


def line_of(channel: Channel, *, now: datetime) -> Line:
    """One channel."""
    return _lines(channel.user, [channel], now)[0]


def _line(channel: Channel, fare: Fare, usage: Usage, now: datetime) -> Line:
    return Line(
        channel=channel,
        kind=kind_title(channel.kind),
        place=place_words(channel),
        language=language_words(channel),
        state=state_of(channel, now=now),
        manner=manner_words(channel),
        fare=fare,
        usage=usage,
        took="" if fare.seconds is None else wording.milliseconds(round(fare.seconds * 1000)),
        muted=channel.is_muted(now=now),
    )


def _groups(lines: Sequence[Line]) -> list[Group]:
    found: dict[str, list[Line]] = {name: [] for name in GROUPS}
    for line in lines:
        kind = kinds().get(line.channel.kind)
        found[kind.group if kind else "other"].append(line)
    return [Group(title=str(GROUPS[name]), lines=some) for name, some in found.items() if some]


def _dead(delivery: Delivery) -> Dead:
    alerts = alerts_of(delivery)
    return Dead(
        delivery=delivery,
        headline=headline(alerts[0]) if alerts else gettext("What it told of is gone."),
        more=max(0, len(alerts) - 1),
        why=answer_words(outcome=delivery.outcome, status=delivery.status, words=delivery.words),
    )

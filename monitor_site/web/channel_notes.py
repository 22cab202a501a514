"""What the list of watches says about channels: a watch that is checked and reaches nobody looks fine otherwise."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from monitor_site import wording
from monitor_site.alerts import faring
from monitor_site.alerts.models import Channel

from .watch_words import Note

SHOWN_CHANNELS = 3


def notes_of_channels(user: Any, channels: Sequence[Channel], *, now: datetime) -> list[Note]:
    """A line for each channel that fails, and one for the watches that reach nobody; none for who has no channel."""
    failing = [channel for channel in channels if channel.is_failing][:SHOWN_CHANNELS]
    lost = faring.untold(user, channels) if channels else 0
    notes = [_failing(channel, now) for channel in failing]
    return [_untold(lost), *notes] if lost else notes


def _failing(channel: Channel, now: datetime) -> Note:
    since = channel.failing_since or channel.disabled_at or now
    sentence = format_html(
        gettext("The channel {name} fails since {time}."),
        name=format_html("<b><bdi>{}</bdi></b>", channel.name),
        time=wording.clock(since, now=now),
    )
    return _note(sentence, url=reverse("channel", args=[channel.pk]), label=gettext("Look at it"))


def _untold(count: int) -> Note:
    sentence = ngettext(
        "{count} watch has no usable channel: its matches appear here and nobody is alerted.",
        "{count} watches have no usable channel: their matches appear here and nobody is alerted.",
        count,
    )
    return _note(format_html(sentence, count=count), url=reverse("channels"), label=gettext("Channels"))


def _note(sentence: SafeString, *, url: str, label: str) -> Note:
    return Note(icon="bell-off", bad=True, sentence=sentence, url=url, label=label)

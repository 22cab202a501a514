"""Channels and matches that stories about alerts need."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from monitor_site.alerts.models import Channel
from monitor_site.alerts.services import Manner, Place, create_channel
from tests.web.rows import match, watch_of

RATES = {"webhook": 6000.0, "telegram": 20.0}

__all__ = ["RATES", "channel_of", "match", "watch_of"]


SECRET = "whsec_c2VjcmV0"


def channel_of(
    user: Any,
    *,
    now: datetime,
    kind: str = "webhook",
    values: Mapping[str, str] | None = None,
    secret: str = SECRET,
    **manner: Any,
) -> Channel:
    """A channel that tells of everything usual, at once."""
    place = Place(kind=kind, values=values or {"url": "https://sink.example.com/"}, secrets={"secret": secret})
    return create_channel(user=user, place=place, manner=Manner(**{"name": "Phone"} | manner), now=now)

"""A message with an invented match, to see before anything is sent. Nothing of it is saved."""

from datetime import datetime
from zoneinfo import ZoneInfo

from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext

from monitor_site.watches.models import Listing

from .models import Alert, AlertKind, Delivery, Importance
from .payload import payload_of
from .rendering import message_of
from .ways.values import Message
from .words import said

PRICE = 48_000


def sample_message(*, language: str, zone: ZoneInfo, now: datetime) -> Message:
    """The message about an invented match, as a channel in this language tells of it."""
    with translation.override(language), timezone.override(zone):
        alert = _alert(now)
        watches = [gettext("Cameras")]
        told = said(alert, watches=watches, path=reverse("matches"), language=language)
        delivery = Delivery(public_id="sample", created_at=now, due_at=now)
        return message_of(delivery, [told], None, payload_of(delivery, [told], {}))


def _alert(now: datetime) -> Alert:
    listing = Listing(
        marketplace="mercari",
        external_id="m00000000000",
        title="ルミナ T2 ボディ 元箱付き",
        price=PRICE,
        currency="JPY",
        condition="good",
        shipping="included",
        first_seen_at=now,
        seen_at=now,
        observed_at=now,
    )
    facts = {"price": PRICE, "cause": "listed"}
    return Alert(
        kind=AlertKind.MATCH, key="sample", listing=listing, facts=facts, importance=Importance.NORMAL, created_at=now
    )

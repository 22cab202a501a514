"""What readers of feeds get. The secret in the address is all they have and all they need: no sign-in, no cookie."""

import hashlib
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.cache import get_conditional_response
from django.utils.crypto import salted_hmac
from django.utils.http import http_date
from django.views.decorators.http import require_safe

from monitor_site.accounts.exchange_rates import shown_to
from monitor_site.alerts.feed_limit import seconds_to_wait
from monitor_site.alerts.feed_reads import entries_of
from monitor_site.alerts.feeding import feed_behind, name_of, note_reading
from monitor_site.alerts.models import Feed
from monitor_site.site_address import absolute

from .context import site_name
from .feed import LATE_ROWS
from .feed_formats import FORMATS, Channel, Format
from .feed_items import item_of, sayable
from .middleware import zone_named

SALT = "monitor_site.web.feed_reading"
KEPT_SECONDS = 30
HEADERS = {
    "Cache-Control": f"private, max-age={KEPT_SECONDS}",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex",
}


class Cookieless(HttpResponse):
    """An answer to a program that knows a secret and nothing else: whoever wants to give it a cookie does not."""

    def set_cookie(self, *_cookie: Any, **_options: Any) -> None:
        """Nothing."""

    def delete_cookie(self, *_cookie: Any, **_options: Any) -> None:
        """Nothing."""


@login_not_required
@require_safe
def read(request: HttpRequest, secret: str, form: str) -> HttpResponse:
    """The feed with this secret, in this form; 404 for whatever is none."""
    feed, kind, now = feed_behind(secret), FORMATS.get(form), timezone.now()
    if feed is None or kind is None:
        return _refused(404)
    if wait := seconds_to_wait(feed):
        return _refused(429, {"Retry-After": str(wait)})
    if request.method == "GET":
        note_reading(feed=feed, reader=request.headers.get("User-Agent", ""), now=now)
    language, zone = feed.user.language or translation.get_language(), zone_named(feed.user.time_zone)
    with translation.override(language), timezone.override(zone), shown_to(feed.user, now=now):
        return _answer(request, channel_of(feed, now=now), kind, now)


def _refused(status: int, more: Mapping[str, str] | None = None) -> HttpResponse:
    headers = HEADERS | {"Cache-Control": "no-store"} | dict(more or {})
    return Cookieless(status=status, content_type="text/plain; charset=utf-8", headers=headers)


def _answer(request: HttpRequest, channel: Channel, kind: Format, now: datetime) -> HttpResponse:
    """All of it, or that nothing has changed since the reader asked last.

    A date says so only once nothing more can come of its second; the tag does at once.
    """
    content = kind.write(channel).encode()
    etag = f'"{hashlib.sha256(content).hexdigest()[:32]}"'
    stamp = int(channel.changed_at.timestamp()) if channel.changed_at < now - LATE_ROWS else None
    headers = HEADERS | {"ETag": etag} | ({"Last-Modified": http_date(stamp)} if stamp else {})
    short = get_conditional_response(request, etag=etag, last_modified=stamp)
    if short is not None:
        return Cookieless(status=short.status_code, content_type=kind.content_type, headers=headers)
    return Cookieless(content, content_type=kind.content_type, headers=headers)


def channel_of(feed: Feed, *, now: datetime) -> Channel:
    """A feed with all that it lists, in the active language."""
    items = [item_of(entry, now=now) for entry in entries_of(feed, now=now)]
    return Channel(
        id=f"urn:feed:{salted_hmac(SALT, str(feed.pk)).hexdigest()[:32]}",
        title=sayable(f"{site_name()}: {name_of(feed)}"),
        author=site_name(),
        link=absolute(reverse("matches")),
        language=translation.to_locale(translation.get_language() or "en").replace("_", "-"),
        changed_at=max([feed.created_at, *(item.changed_at for item in items)]),
        items=items,
    )

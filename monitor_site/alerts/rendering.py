"""A delivery as a message: in the channel's language and its person's zone, escaped for each way out."""

from collections.abc import Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.translation import gettext

from monitor_site.accounts.exchange_rates import shown_to
from monitor_site.site_address import absolute
from monitor_site.watches.models import Match

from .escaping import for_html, for_markdown
from .models import Alert, AlertKind, Channel, Delivery, Importance, TroubleKind
from .payload import payload_of
from .ways.values import Message, Picture
from .words import Said, heading_of, said, watches_line

MOST_SHOWN = 10
# Where a person sees how a trouble stands.
PAGES: Mapping[str, str] = {
    TroubleKind.MARKETPLACE: "watches",
    TroubleKind.ACCOUNT: "watches",
    TroubleKind.MACHINE: "operations",
    TroubleKind.LATENESS: "operations",
    TroubleKind.PROMOTER: "operations",
}


def alerts_of(delivery: Delivery) -> list[Alert]:
    """What a message tells of, in the order it came about."""
    alerts = Alert.objects.filter(notices__delivery=delivery).select_related("listing")
    return list(alerts.order_by("pk"))


def render(*, delivery: Delivery, channel: Channel, picture: Picture | None = None) -> Message:
    """The message of a delivery; three queries. The same delivery says the same each time, apart from what is gone."""
    language = channel.language or channel.user.language or settings.LANGUAGE_CODE
    zone, shown = ZoneInfo(channel.user.time_zone), shown_to(channel.user, now=delivery.created_at)
    with translation.override(language), timezone.override(zone), shown:
        alerts = alerts_of(delivery)
        matches = _matches(alerts)
        told = [_said(alert, matches, language) for alert in alerts]
        return message_of(delivery, told, picture, payload_of(delivery, told, matches))


def _matches(alerts: Sequence[Alert]) -> dict[int, Match]:
    ids = {pk for alert in alerts for pk in alert.match_ids}
    return Match.objects.select_related("watch").in_bulk(ids)


def _said(alert: Alert, matches: Mapping[int, Match], language: str) -> Said:
    own = [matches[pk] for pk in alert.match_ids if pk in matches]
    path = reverse("decision", args=[own[0].public_id]) if own else _page_of(alert)
    return said(alert, watches=[match.watch.name for match in own], path=path, language=language)


def _page_of(alert: Alert) -> str:
    if alert.listing_id:
        return reverse("matches")
    return reverse(PAGES.get(str(alert.facts.get("trouble")), "channels"))


def message_of(
    delivery: Delivery, told: Sequence[Said], picture: Picture | None, payload: Mapping[str, Any]
) -> Message:
    """What is told as a message, in the active language and zone."""
    single = told[0] if len(told) == 1 else None
    subject = single.headline if single else heading_of(told)
    page = absolute(single.path if single else reverse("matches"))
    return Message(
        id=delivery.public_id,
        at=delivery.created_at,
        subject=subject,
        text=_text(told, page),
        html=_html(told, page),
        markdown=_markdown(told, page),
        mail_html=_mail(subject, told, page, picture),
        url=page,
        picture=picture if single else None,
        payload=payload,
        urgent=any(one.alert.importance == Importance.HIGH for one in told),
    )


def _left(told: Sequence[Said]) -> str:
    more = len(told) - MOST_SHOWN
    return gettext("and %(n)d more") % {"n": more} if more > 0 else ""


def _details(one: Said) -> list[str]:
    return [line for line in (" · ".join(one.facts), watches_line(one)) if line]


def _text(told: Sequence[Said], page: str) -> str:
    """Everything but the subject, for whoever shows no more than letters."""
    if len(told) == 1:
        return "\n".join([*_details(told[0]), page])
    lines = [f"{one.headline}\n{absolute(one.path)}" for one in told[:MOST_SHOWN]]
    return "\n\n".join([*lines, *filter(None, [_left(told)]), page])


def _html(told: Sequence[Said], page: str) -> str:
    """Only what every chat knows: links and line breaks."""
    look = _html_link(gettext("Look at it"), page)
    if len(told) == 1:
        return "<br>".join([*map(for_html, _details(told[0])), look])
    lines = [_html_link(one.headline, absolute(one.path)) for one in told[:MOST_SHOWN]]
    return "<br><br>".join([*lines, *filter(None, [for_html(_left(told))]), look])


def _html_link(words: str, address: str) -> str:
    return f'<a href="{for_html(address)}">{for_html(words)}</a>'


def _markdown(told: Sequence[Said], page: str) -> str:
    look = _markdown_link(gettext("Look at it"), page)
    if len(told) == 1:
        return "\n".join([*map(for_markdown, _details(told[0])), look])
    lines = [_markdown_link(one.headline, absolute(one.path)) for one in told[:MOST_SHOWN]]
    return "\n\n".join([*lines, *filter(None, [for_markdown(_left(told))]), look])


def _markdown_link(words: str, address: str) -> str:
    return f"[{for_markdown(words)}]({address})"


def _mail(subject: str, told: Sequence[Said], page: str, picture: Picture | None) -> str:
    entries = [
        {"headline": one.headline, "details": _details(one), "url": absolute(one.path)} for one in told[:MOST_SHOWN]
    ]
    context = {
        "subject": subject,
        "entries": entries,
        "left": _left(told),
        "page": page,
        "picture": picture,
        "channels": absolute(reverse("channels")),
        "language": translation.get_language(),
    }
    return render_to_string("alerts/mail.html", context)


def pictured(alerts: Sequence[Alert]) -> str:
    """The address of the picture that goes with a message: that of its one listing."""
    if len(alerts) != 1 or alerts[0].kind == AlertKind.SOLD or alerts[0].listing is None:
        return ""
    images = alerts[0].listing.images
    return str(images[0]) if images else ""

"""The small building blocks of all pages, built into every template.

Tags: ``icon``, ``match_card``, ``beats``, ``ring``, ``sparkline``, ``title_of``, ``titles_of``, ``rate_words``.
Filters: ``money``, ``about``, ``charged``, ``price``,
``ago``, ``until``, ``countdown``, ``end``, ``exact``, ``dur``, ``ms``, ``foreign``.
A moment becomes a ``<time>`` with the exact stamp in its title.
"""

import re
from collections.abc import Sequence
from datetime import datetime
from functools import cache
from typing import Any

from django import template
from django.templatetags.static import static
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from monitor_site import second_currency, wording
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches.models import Match
from monitor_site.web import drawing
from monitor_site.web.cards import card_of
from monitor_site.web.watch_words import marketplace_titles

register = template.Library()


@register.simple_tag
def icon(name: str, size: str = "") -> SafeString:
    """An icon of the sprite; ``size`` is ``s``, ``l`` or ``end`` (at the end of a row).

    Decoration only: the text beside it says what it means.
    """
    return _icon(name, size)


@cache  # some four hundred on a page of the feed, of a few dozen kinds
def _icon(name: str, size: str) -> SafeString:
    return format_html(
        '<svg class="icon{}" aria-hidden="true"><use href="{}#{}"></use></svg>',
        f" icon--{size}" if size else "",
        static("ui/icons.svg"),
        name,
    )


@register.filter
def money(amount: int | None, currency: str = wording.YEN) -> SafeString:
    """An amount with what it is about in the reader's second currency: for texts, never inside an attribute."""
    return format_html("{}{}", wording.money(amount, currency), _about(amount, currency, " "))


@register.filter
def charged(amount: int | None, currency: str = wording.YEN) -> str:
    """An amount alone, as it is charged: for buttons, attributes, and where there is no room."""
    return wording.money(amount, currency)


@register.filter
def about(amount: int | None, currency: str = wording.YEN) -> SafeString:
    """What an amount is about in the reader's second currency, with its rate on hover; empty without one."""
    return _about(amount, currency, "")


def _about(amount: int | None, currency: str, before: str) -> SafeString:
    if not (words := second_currency.approximate(amount, currency)):
        return SafeString("")
    return format_html('{}<small class="muted" title="{}">{}</small>', before, second_currency.source_words(), words)


@register.simple_tag
def rate_words() -> str:
    """By which rate amounts are shown in the reader's second currency; empty without one."""
    return second_currency.source_words()


@register.filter
def price(amount: int | None, currency: str = wording.YEN) -> SafeString:
    """The same with a small sign behind the figure, for the big price of a card."""
    text = wording.money(amount, currency)
    if found := re.fullmatch(r"([\d,]+)(\D+)", text):
        return format_html("{}<small>{}</small>", *found.groups())
    return format_html("{}", text)


@register.filter
def ago(moment: datetime | None) -> SafeString | str:
    """How long ago, ticking in the page."""
    if moment is None:
        return ""
    now = timezone.now()
    return _time(moment, "ago", wording.ago(moment, now=now), then=wording.clock_after_an_hour(moment, now=now))


@register.filter
def until(moment: datetime | None) -> SafeString | str:
    """How long until then, ticking in the page."""
    if moment is None:
        return ""
    return _time(moment, "in", wording.until(moment, now=timezone.now()))


@register.filter
def countdown(moment: datetime | None) -> SafeString | str:
    """The time left, ticking each second; for assistive technology in words that change by the minute."""
    if moment is None:
        return ""
    now = timezone.now()
    return format_html(
        '<span aria-hidden="true">{}</span><span class="vh"> {}</span>',
        _time(moment, "end", wording.countdown(moment, now=now)),
        _time(moment, "in", wording.until(moment, now=now, least=wording.MINUTE), then=str(wording.MINUTE)),
    )


@register.filter
def end(moment: datetime | None) -> SafeString | str:
    """When it ends on the reader's clock, and on Japan's where that differs."""
    return "" if moment is None else _time(moment, "at", wording.end(moment, now=timezone.now()))


@register.filter
def exact(moment: datetime | None) -> SafeString | str:
    """The full stamp with seconds."""
    return "" if moment is None else _time(moment, "at", wording.exact(moment))


def _time(moment: datetime, kind: str, text: str, *, then: str = "") -> SafeString:
    """``kind`` tells the script how to go on, ``then`` is what it needs for that."""
    value = format_html('="{}"', then) if then else ""
    return format_html(
        '<time datetime="{}" data-{}{} title="{}">{}</time>',
        moment.isoformat(), kind, value, wording.exact(moment), text,
    )  # fmt: skip


@register.filter
def dur(seconds: float | None) -> str:
    """A duration in its two largest units."""
    return "" if seconds is None else wording.duration(seconds)


@register.filter
def ms(value: int | None) -> str:
    """Milliseconds as people read them."""
    return "" if value is None else wording.milliseconds(value)


@register.filter
def foreign(text: str) -> SafeString:
    """Text of a marketplace inside a sentence of ours: in Japanese, so that its characters take the right shape."""
    return format_html('<span lang="ja">{}</span>', text)


@register.simple_tag
def title_of(marketplace: str) -> str:
    """The name of a marketplace in the page's language."""
    return catalog().title(marketplace, get_language() or "en")


@register.simple_tag
def titles_of(marketplaces: Sequence[str]) -> str:
    """The names of several marketplaces in the page's language."""
    return marketplace_titles(marketplaces)


@register.simple_tag
def beats(states: Sequence[str]) -> SafeString:
    """The last 16 runs as ticks, oldest first: ``ok``, ``late``, ``fail``, ``none``."""
    return drawing.beats(states)


@register.simple_tag
def ring(due: datetime | None, every: int, state: str = "") -> SafeString:
    """The wait for the next run as a ring; ``every`` is the interval in seconds, no ``due`` is an empty ring.

    ``state`` is empty, ``warn`` or ``bad``.
    """
    if due is None:
        return drawing.ring(0, state=state)
    left = (due - timezone.now()).total_seconds()
    return drawing.ring(1 - left / max(every, 1), state=state, due=due.isoformat(), every=every)


@register.simple_tag
def sparkline(values: Sequence[int]) -> SafeString:
    """A small line over equal steps of time."""
    return drawing.sparkline(values)


@register.inclusion_tag("web/_match_card.html", takes_context=True)
def match_card(context: template.Context, match: Match, position: int = 1) -> dict[str, Any]:
    """The card of a match; ``match`` comes with its watch and listing loaded. ``position`` counts from 1."""
    return {"card": card_of(match), "position": position, "csrf_token": context.get("csrf_token")}

"""What alerts say, in the active language. Titles and names of strangers are tamed here."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, gettext_lazy, ngettext, pgettext

from monitor_site import second_currency
from monitor_site.contract import Condition, Shipping
from monitor_site.marketplaces.catalog import catalog
from monitor_site.order_reasons import reason_words
from monitor_site.watches.models import CrossingKind, Listing
from monitor_site.watches.named import CONDITIONS, SHIPPINGS

from . import trouble_words
from .escaping import tame
from .models import Alert, AlertKind

MOST_WATCHES = 4
# Translators: headlines of alerts; the title comes last, since it may be long.
PRICED = gettext_lazy("%(price)s · %(title)s")
MOVED = gettext_lazy("%(before)s → %(price)s · %(title)s")
OF_LISTINGS = {
    AlertKind.PRICE_DROP: MOVED,
    AlertKind.PRICE_RISE: MOVED,
    AlertKind.BACK: gettext_lazy("Back on sale: %(price)s · %(title)s"),
    AlertKind.SOLD: gettext_lazy("Sold or gone: %(title)s"),
}
# What its person is to do, or what has become of it.
OF_ORDERS = {
    "awaiting_approval": gettext_lazy("Buy it? %(price)s · %(title)s"),
    "handed_over": gettext_lazy("Order it now: %(price)s · %(title)s"),
    "whose": gettext_lazy("Sold – was it you? %(title)s"),
    "expired": gettext_lazy("Nobody answered in time: %(title)s"),
    "placed": gettext_lazy("Bought: %(price)s · %(title)s"),
    "unknown": gettext_lazy("Bought or not? We are asking the marketplace. Do not buy it by hand yet: %(title)s"),
    "needs_human": gettext_lazy("Nobody knows whether it was bought. Please look: %(title)s"),
    "not_placed": gettext_lazy("Not bought after all: %(title)s"),
    "late_placed": gettext_lazy("Bought after all, found out late: %(title)s"),
    "not_cancelled": gettext_lazy("Not cancelled at the marketplace: %(title)s"),
    "market_cancelled": gettext_lazy("Cancelled by the marketplace: %(title)s"),
    "sold_to_other": gettext_lazy("Sold to someone else: %(title)s"),
}
NOT_ORDERED = gettext_lazy("Not ordered: %(title)s")
NOT_ORDERED_SINCE = gettext_lazy("Not ordered, %(reason)s: %(title)s")


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """An alert in words: a headline, facts, and where to look."""

    alert: Alert
    headline: str
    facts: Sequence[str]
    watches: Sequence[str]
    path: str


def said(alert: Alert, *, watches: Collection[str], path: str, language: str) -> Said:
    """An alert in the active language; ``watches`` are the names of those that hit."""
    names = [tame(name) for name in watches]
    facts = facts_of(alert.listing, language) if alert.listing else _of_trouble(alert)
    return Said(alert=alert, headline=headline(alert), facts=facts, watches=names, path=path)


def headline(alert: Alert) -> str:
    """The one line that must be enough."""
    return _of_listing(alert, alert.listing) if alert.listing else _of_ourselves(alert)


def _of_trouble(alert: Alert) -> list[str]:
    return trouble_words.lines(alert.facts, at=alert.created_at) if alert.kind == AlertKind.TROUBLE else []


def _of_listing(alert: Alert, listing: Listing) -> str:
    values = {name: _money(alert.facts.get(name), listing) for name in ("price", "before")} | {
        "title": tame(listing.title)
    }
    if alert.kind == AlertKind.CROSSING:
        moves = alert.facts.get("before") not in {None, alert.facts.get("price")}
        event, what = CrossingKind(alert.facts["event"]).label, str(MOVED if moves else PRICED) % values
        return gettext("%(event)s: %(what)s") % {"event": event, "what": what}
    if alert.kind == AlertKind.ORDER:
        values["reason"] = reason_words(str(alert.facts.get("reason")))
        ended = NOT_ORDERED_SINCE if values["reason"] else NOT_ORDERED
        return str(OF_ORDERS.get(str(alert.facts.get("order")), ended)) % values
    return str(OF_LISTINGS.get(AlertKind(alert.kind), PRICED)) % values


def _money(amount: Any, listing: Listing) -> str:
    """An unknown price says so; it is never 0."""
    if amount is None:
        return gettext("price unknown")
    return second_currency.both(int(amount), listing.currency)


def _of_ourselves(alert: Alert) -> str:
    facts = alert.facts
    if alert.kind == AlertKind.TEST:
        test = (
            gettext("The weekly test of “%(channel)s”") if facts.get("weekly") else gettext("A test of “%(channel)s”")
        )
        return test % {"channel": tame(facts.get("channel", ""))}
    return trouble_words.headline(facts)


def facts_of(listing: Listing, language: str) -> list[str]:
    """Marketplace, grade, shipping: what decides in two seconds."""
    condition = CONDITIONS.get(Condition(listing.condition))
    named = [catalog().title(listing.marketplace, language), condition, SHIPPINGS[Shipping(listing.shipping)]]
    return [str(name) for name in named if name]


def heading_of(many: Sequence[Said]) -> str:
    """The subject of a message that tells of several things."""
    names = list(dict.fromkeys(name for one in many for name in one.watches))
    count = len(many)
    if not names:
        return ngettext("%(n)d message", "%(n)d messages", count) % {"n": count}
    shown = pgettext("between names", ", ").join(names[:MOST_WATCHES])
    more = len(names) - MOST_WATCHES
    if more > 0:
        shown = gettext("%(names)s and %(n)d more") % {"names": shown, "n": more}
    return ngettext("%(n)d message: %(names)s", "%(n)d messages: %(names)s", count) % {"n": count, "names": shown}


def watches_line(one: Said) -> str:
    """Which watches it met."""
    names = pgettext("between names", ", ").join(one.watches)
    return ngettext("Watch: %(names)s", "Watches: %(names)s", len(one.watches)) % {"names": names} if names else ""

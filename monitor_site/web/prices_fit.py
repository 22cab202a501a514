"""How a price compares with what such things were sold for lately: the strip on a card and its words."""

from dataclasses import dataclass
from datetime import datetime

from django.core.exceptions import ObjectDoesNotExist
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from monitor_site import second_currency
from monitor_site.contract import Kind
from monitor_site.watches import pricing
from monitor_site.watches.models import Listing, Match, Watch, WatchPrices
from monitor_site.watches.prices import difference
from monitor_site.watches.pricing import CARD_DAYS

from . import pictures, prices_drawing
from .charts import Named
from .standing import standing_of

COMPARED = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Fit:
    """The drawing, the words beside it, and from how many sales they come."""

    drawing: SafeString
    words: str
    hint: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparable:
    """Something like it that was sold; ``picture`` is a thumbnail here."""

    listing: Listing
    picture: str


def fit_of(match: Match, *, now: datetime) -> Fit | None:
    """``None`` when the price is not known, or too few sales of such things are.

    ``match`` comes with its listing, watch and the watch's prices loaded.
    """
    prices, listing = _prices_of(match), match.listing
    if prices is None or prices.median is None or listing.price is None or listing.currency != match.watch.currency:
        return None
    hint = ngettext("from %(n)d sale in %(days)d days", "from %(n)d sales in %(days)d days", prices.sales)
    return Fit(
        drawing=prices_drawing.strip(prices, listing.price),
        words=_words(listing, listing.price, prices.median, now),
        hint=hint % {"n": prices.sales, "days": CARD_DAYS},
    )


def _prices_of(match: Match) -> WatchPrices | None:
    try:
        return match.watch.prices
    except ObjectDoesNotExist:
        return None


def _middle(median: int, currency: str) -> str:
    facts = {"median": second_currency.both(median, currency), "days": CARD_DAYS}
    return gettext("%(days)d-day median %(median)s") % facts


def _words(listing: Listing, price: int, median: int, now: datetime) -> str:
    """The bid of a running auction is no price yet: nothing is said of how low it is."""
    middle = _middle(median, listing.currency)
    if listing.kind == Kind.AUCTION and not standing_of(listing, now=now).gone:
        return middle
    return gettext("%(difference)s, %(median)s") % {"difference": compared(price, median), "median": middle}


def limit_words(watch: Watch) -> str:
    """The most that a person wants to pay, as a legend says it."""
    return gettext("your limit, %(price)s") % {"price": second_currency.both(watch.price_max, watch.currency)}


def lines_of(match: Match) -> list[Named]:
    """What the prices of a match's listing are compared with: what such things were sold for, and the limit."""
    watch, prices = match.watch, _prices_of(match)
    if watch.currency != match.listing.currency:
        return []
    lines = [Named(price=watch.price_max, mark="cap", words=limit_words(watch))] if watch.price_max else []
    if prices and prices.median:
        lines.append(Named(price=prices.median, mark="mid", words=_middle(prices.median, watch.currency)))
    return lines


def compared(price: int, median: int) -> str:
    """By how much a price lies above or below another."""
    percent = difference(price, median)
    if not percent:
        return gettext("level")
    words = gettext("%(n)s%% below") if percent < 0 else gettext("%(n)s%% above")
    return words % {"n": f"{abs(percent):,}"}


def comparable(match: Match, *, now: datetime) -> list[Comparable]:
    """The latest sales of things that meet the words of the match's watch, without the thing itself."""
    found = pricing.sales_of(match.watch, now=now, days=max(pricing.DAYS), most=50 * COMPARED)
    ids = [one.listing_id for one in found if one.listing_id != match.listing_id][:COMPARED]
    rows = Listing.objects.defer("description").in_bulk(ids)
    return [Comparable(listing=rows[pk], picture=_picture(rows[pk])) for pk in ids if pk in rows]


def _picture(row: Listing) -> str:
    return pictures.address(row.images[0], size=160) if row.images else ""

"""What the entries of a feed say, in the language of its person. All of it is text from strangers: none is markup."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext

from monitor_site import second_currency, wording
from monitor_site.alerts.feed_reads import Entry
from monitor_site.contract import Condition, Shipping
from monitor_site.marketplaces.catalog import catalog
from monitor_site.site_address import absolute
from monitor_site.watches.models import Listing
from monitor_site.watches.named import CONDITIONS, SHIPPINGS

from . import pictures
from .standing import price_word, standing_of

# They turn the direction of what stands around them; no title needs them.
TURNING = dict.fromkeys([*range(0x202A, 0x202F), *range(0x2066, 0x206A), 0x200E, 0x200F, 0x061C])


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One entry, ready to be written. ``id`` never changes; ``picture`` is an address of ours, or empty."""

    id: str
    link: str
    title: str
    html: SafeString
    picture: str
    tags: tuple[str, ...]
    at: datetime
    changed_at: datetime


def item_of(entry: Entry, *, now: datetime) -> Item:
    """What an entry says."""
    listing = entry.match.listing
    picture = absolute(pictures.address(listing.images[0], size=480)) if listing.images else ""
    link = absolute(reverse("decision", args=[entry.match.public_id]))
    return Item(
        id=_id(entry),
        link=link,
        title=sayable(f"{_price(entry)} · {listing.title}"),
        html=_html(link, picture, _facts(entry, now)),
        picture=picture,
        tags=tuple(map(sayable, entry.watches)),
        at=entry.at,
        changed_at=entry.changed_at,
    )


def _id(entry: Entry) -> str:
    """Every drop is news of its own; a match is the same for ever."""
    drop = f":drop:{int(entry.drop.at.timestamp() * 1000)}" if entry.drop else ""
    return f"urn:match:{entry.match.public_id}{drop}"


def sayable(text: str) -> str:
    """One line without what XML forbids, what turns the direction of a line, and what is no character."""
    plain = " ".join(text.split()).translate(TURNING)
    return "".join(char for char in plain if _is_of_xml(ord(char)))


def _is_of_xml(code: int) -> bool:
    return 0x20 <= code <= 0x7E or 0xA0 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000


def _price(entry: Entry) -> str:
    listing, drop = entry.match.listing, entry.drop
    if drop is not None:
        money = [wording.money(figure, listing.currency) for figure in (drop.before, drop.after)]
        return " → ".join(money)
    return gettext("Price unknown") if listing.price is None else second_currency.both(listing.price, listing.currency)


def _facts(entry: Entry, now: datetime) -> Iterable[str]:
    """What the card says, in short; what is not known is left out or called unknown."""
    listing = entry.match.listing
    standing = standing_of(listing, now=now)
    return (
        standing.word,
        " ".join(filter(None, (_now(listing), price_word(listing, gone=standing.gone)))),
        str(CONDITIONS.get(Condition(listing.condition), "")),
        str(SHIPPINGS[Shipping(listing.shipping)]),
        gettext("ends %(when)s") % {"when": wording.end(standing.ends, now=now)} if standing.ends else "",
        catalog().title(listing.marketplace, get_language() or "en"),
        gettext("Watches: %(names)s") % {"names": ", ".join(entry.watches)},
    )


def _now(listing: Listing) -> str:
    return gettext("Price unknown") if listing.price is None else second_currency.both(listing.price, listing.currency)


def _html(link: str, picture: str, facts: Iterable[str]) -> SafeString:
    image = format_html('<p><a href="{}"><img src="{}" alt=""></a></p>', link, picture) if picture else ""
    lines = format_html_join("", "<li>{}</li>", ((sayable(fact),) for fact in facts if fact))
    return format_html("{}<ul>{}</ul>", image, lines)

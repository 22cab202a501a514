"""What the card of a match shows, as plain values."""

from dataclasses import dataclass
from datetime import datetime

import structlog
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from monitor_site.contract import Condition, Kind, Shipping
from monitor_site.contract.rules import Promise
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches import trigger_words
from monitor_site.watches.models import Cause, Listing, Match, MatchState
from monitor_site.watches.named import CONDITIONS, SHIPPINGS

from . import pictures, why
from .highlighting import marked
from .prices_fit import Fit, fit_of
from .resting_words import muted_words
from .standing import Standing, price_word, standing_of

log = structlog.get_logger(__name__)

MOST_STARS = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The slots of a card. Prices are in minor units of the currency of ``listing``.

    ``was`` and ``drop`` (percent) only after a price drop.
    """

    match: Match
    listing: Listing
    marketplace: str
    title: SafeString
    picture: str
    picture_count: int
    condition: str
    shipping: str
    standing: Standing
    price_word: str
    seen_as: datetime
    rating: str
    price: int | None
    was: int | None
    drop: int | None
    decision: list[why.Line]
    note: str
    muted: str
    fit: Fit | None

    @property
    def crossed(self) -> str:
        """What a listing watch had to tell; empty for any other match."""
        told = self.match.decision if self.match.cause == Cause.CROSSED else []
        return trigger_words.headline_of(told, self.listing.currency)

    @property
    def key(self) -> str:
        """The number by which an open page knows the card; another one each time it comes back to the top."""
        return key_of(self.match.pk, self.match.cause, self.match.matched_at)

    @property
    def is_new(self) -> bool:
        """Not looked at yet."""
        return self.match.state == MatchState.NEW

    @property
    def is_ignored(self) -> bool:
        """Put aside by the person."""
        return self.match.state == MatchState.IGNORED

    @property
    def is_auction(self) -> bool:
        """The price is a current bid."""
        return self.listing.kind == Kind.AUCTION

    @property
    def is_shop(self) -> bool:
        """Sold by a shop, not by a person."""
        return self.listing.kind == Kind.SHOP


def key_of(pk: int, cause: str, matched_at: datetime) -> str:
    """The number of a match; with a fraction that tells when, for one that has come back to the top."""
    return f"{pk}.{1 + int(matched_at.timestamp()) % 99_999:05}" if cause == Cause.CROSSED else str(pk)


def hit_words(match: Match) -> list[str]:
    """The words of the rules that said yes."""
    hits = (one for one in match.decision if one.get("rule") in {"must", "any_of"})
    return [word for one in hits for word in one.get("words", [])]


def purchase_url(listing: Listing, *, gone: bool) -> str:
    """Where the marketplace asks a person to confirm a purchase; empty where that is the listing's own page, or none.

    An auction is bid for on its own page.
    """
    plugin, practice = catalog().plugins.get(listing.marketplace), catalog().practice_address(listing.marketplace)
    if plugin is None or plugin.link is None or gone or listing.kind == Kind.AUCTION:
        return ""
    try:
        link = plugin.link(listing.external_id, web=practice or plugin.manifest.home.rstrip("/"))
    except Exception as error:  # noqa: BLE001 - a plugin's fault is no reason to keep a person from the page
        log.warning("plugin.link_failed", plugin=listing.marketplace, error=type(error).__name__)
        return ""
    own = Promise(manifest=plugin.manifest, practice=practice).is_own(link)
    return link if own and link != listing.url else ""


def card_of(match: Match) -> Card:
    """Everything the card of a match shows; ``match`` comes with its listing loaded."""
    listing, now = match.listing, timezone.now()
    was, drop = _price_drop(match)
    standing = standing_of(listing, now=now)
    return Card(
        match=match,
        listing=listing,
        marketplace=catalog().title(listing.marketplace, get_language() or "en"),
        title=marked(listing.title, hit_words(match)),
        picture=pictures.address(listing.images[0], size=480) if listing.images else "",
        picture_count=len(listing.images),
        condition=str(CONDITIONS.get(Condition(listing.condition), "")),
        shipping=str(SHIPPINGS[Shipping(listing.shipping)]),
        standing=standing,
        price_word=price_word(listing, gone=standing.gone),
        seen_as=match.matched_at,
        rating=rating_words(listing.seller_rating),
        price=listing.price,
        was=was,
        drop=drop,
        decision=why.lines_of(match.decision, currency=listing.currency),
        note=getattr(match, "note", None) or "",
        muted=muted_words(match.watch, now=now),
        fit=fit_of(match, now=now),
    )


def rating_words(figure: float | None) -> str:
    """Stars out of five, or the share of good ratings in percent: what is above five can only be a share."""
    if figure is None:
        return ""
    return f"{figure:.1f}%" if figure > MOST_STARS else f"{figure:.1f}"


def _price_drop(match: Match) -> tuple[int | None, int | None]:
    """The price before the last drop and by how many percent it fell: one that brought this match, or came after it."""
    now, before = match.listing.price, getattr(match, "price_before", None)
    if not now or not before or before <= now:
        return None, None
    return before, round(100 * (before - now) / before)

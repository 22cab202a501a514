"""What the card of a match shows, as plain values."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.safestring import SafeString
from django.utils.translation import get_language, pgettext_lazy

from monitor_site.contract import Condition, Kind, Shipping, Status
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches.models import Cause, Listing, Match, MatchState

from . import pictures
from .highlighting import marked

CONDITIONS = {
    Condition.NEW: pgettext_lazy("condition", "New, unused"),
    Condition.LIKE_NEW: pgettext_lazy("condition", "Like new"),
    Condition.GOOD: pgettext_lazy("condition", "No visible damage"),
    Condition.FAIR: pgettext_lazy("condition", "Some wear"),
    Condition.WORN: pgettext_lazy("condition", "Worn"),
    Condition.POOR: pgettext_lazy("condition", "Poor"),
}
SHIPPINGS = {
    Shipping.INCLUDED: pgettext_lazy("shipping", "Free shipping"),
    Shipping.BUYER_PAYS: pgettext_lazy("shipping", "Buyer pays shipping"),
    Shipping.UNKNOWN: pgettext_lazy("shipping", "Shipping unknown"),
}
ENDED = {
    Status.SOLD: pgettext_lazy("status", "Sold to someone else"),
    Status.RESERVED: pgettext_lazy("status", "Reserved"),
    Status.ENDED: pgettext_lazy("status", "Ended"),
    Status.STOPPED: pgettext_lazy("status", "Taken offline"),
    Status.REMOVED: pgettext_lazy("status", "Removed"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """The slots of a card. Prices are whole yen; ``was`` and ``drop`` (percent) only after a price drop."""

    match: Match
    listing: Listing
    marketplace: str
    title: SafeString
    picture: str
    picture_count: int
    condition: str
    shipping: str
    ended: str
    seen_as: datetime
    price: int | None
    was: int | None
    drop: int | None

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


def hit_words(match: Match) -> list[str]:
    """The words of the rules that said yes."""
    hits = (reason for reason in match.reasons if reason.get("rule") in {"must", "any_of"})
    return [word for reason in hits for word in reason.get("words", [])]


def card_of(match: Match) -> Card:
    """Everything the card of a match shows; ``match`` comes with its listing loaded."""
    listing = match.listing
    was, drop = _price_drop(match)
    return Card(
        match=match,
        listing=listing,
        marketplace=catalog().title(listing.marketplace, get_language() or "en"),
        title=marked(listing.title, hit_words(match)),
        picture=pictures.address(listing.images[0], size=480) if listing.images else "",
        picture_count=len(listing.images),
        condition=str(CONDITIONS.get(Condition(listing.condition), "")),
        shipping=str(SHIPPINGS[Shipping(listing.shipping)]),
        ended=str(ENDED.get(Status(listing.status), "")),
        seen_as=match.matched_at,
        price=listing.price,
        was=was,
        drop=drop,
    )


def _price_drop(match: Match) -> tuple[int | None, int | None]:
    """The price before the last drop and by how many percent it fell, when a drop brought this match."""
    now, before = match.listing.price, getattr(match, "price_before", None)
    if match.cause != Cause.PRICE_DROP or not now or not before or before <= now:
        return None, None
    return before, round(100 * (before - now) / before)

"""What the card of a match shows, as plain values."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.safestring import SafeString
from django.utils.translation import get_language

from monitor_site.contract import Condition, Kind, Shipping, Status
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches.models import Cause, Listing, Match, MatchState

from . import pictures, why
from .highlighting import marked
from .named import CONDITIONS, ENDED, SHIPPINGS


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
    decision: list[why.Line]

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
    hits = (one for one in match.decision if one.get("rule") in {"must", "any_of"})
    return [word for one in hits for word in one.get("words", [])]


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
        decision=why.lines_of(match.decision),
    )


def _price_drop(match: Match) -> tuple[int | None, int | None]:
    """The price before the last drop and by how many percent it fell, when a drop brought this match."""
    now, before = match.listing.price, getattr(match, "price_before", None)
    if match.cause != Cause.PRICE_DROP or not now or not before or before <= now:
        return None, None
    return before, round(100 * (before - now) / before)

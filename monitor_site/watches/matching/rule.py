"""What a watch accepts, as plain values. Pure."""

from dataclasses import dataclass, replace
from datetime import timedelta

from monitor_site.contract import Sighting


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:
    """What a person wants to see in no watch: ids of sellers at the listing's marketplace, and phrases."""

    sellers: tuple[str, ...] = ()
    phrases: tuple[str, ...] = ()

    def about(self, sighting: Sighting) -> "Blocks":
        """What of it concerns a sighting: where nobody tells who sells, one blocked seller must not lose everything."""
        return self if sighting.seller else replace(self, sellers=())


NO_BLOCKS = Blocks()


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """Every part that is empty or ``None`` accepts everything.

    A word may hold alternatives: ``ルミナ|LUMINA`` is either; a word with spaces is a phrase. Words are looked for in
    the title, with ``in_description`` in the description as well; ``none_of`` and ``blocked_phrases`` cover the
    description whenever it is known, and with ``in_description`` they wait for it. ``pattern`` is a regular expression
    that the title must match. Prices are in minor units of ``currency``; with ``landed`` they bound price and shipping
    together. ``kinds`` and ``conditions`` are values of the contract's enums. ``rating_min`` is a share of good
    ratings in percent. ``bids_max`` and ``ends_within`` concern auctions only.
    """

    must: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ()
    none_of: tuple[str, ...] = ()
    blocked_phrases: tuple[str, ...] = ()
    in_description: bool = False
    pattern: str = ""
    price_min: int | None = None
    price_max: int | None = None
    currency: str = "JPY"
    landed: bool = False
    kinds: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    shipping_included: bool = False
    blocked_sellers: tuple[str, ...] = ()
    rating_min: float | None = None
    rated_min: int | None = None
    bids_max: int | None = None
    ends_within: timedelta | None = None
    listed_within: timedelta | None = None

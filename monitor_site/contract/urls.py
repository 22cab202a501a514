"""What an address that a person pastes asks for."""

from dataclasses import dataclass

from .fields import SearchCriteria
from .values import Condition


@dataclass(frozen=True, slots=True, kw_only=True)
class ListingUrl:
    """The address of one listing."""

    external_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchUrl:
    """The address of a search, of a category or of a seller.

    ``criteria`` is what is asked of the marketplace, in the plugin's own class. The rest is what we check ourselves:
    words, prices in minor units, grades, shipping. ``leftovers`` are the parts that were not understood or cannot be
    kept, each as it stands in the address (``name=value``), so that a person can be told.
    """

    criteria: SearchCriteria
    any_of: tuple[str, ...] = ()
    none_of: tuple[str, ...] = ()
    price_min: int | None = None
    price_max: int | None = None
    conditions: tuple[Condition, ...] = ()
    shipping_included: bool = False
    leftovers: tuple[str, ...] = ()

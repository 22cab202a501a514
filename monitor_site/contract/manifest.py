"""What a plugin says about itself; all of it is data, readable without network and without credentials."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from .fields import AccountSettings, SearchCriteria
from .values import Kind

CONTRACT_VERSION = 1


class Capability(StrEnum):
    """What a plugin can do; it declares exactly what it implements."""

    SEARCH = "search"
    LOOK = "look"
    BUY = "buy"
    BID = "bid"
    CANCEL = "cancel"
    OUTCOME = "outcome"
    LINK = "link"
    SOLD_PRICES = "sold_prices"


class Access(StrEnum):
    """How the marketplace is reached."""

    OFFICIAL_API = "official_api"
    PUBLIC_PAGES = "public_pages"


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """How often a marketplace may be asked: requests a minute, the ceiling an operator may set,

    the shortest interval of one question in seconds, and how many requests may be under way at once.
    """

    per_minute: int
    ceiling_per_minute: int
    floor_seconds: int
    concurrency: int = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The face of a plugin.

    ``name`` is the folder's name. ``title`` maps a language code (``en``, ``ja``, ``zh-hans``) to the name people
    read. ``hosts`` may be reached by the session, ``picture_hosts`` by the picture proxy; a leading dot means any
    sub-domain. ``index_lag`` is how long a new listing stays invisible in search, in seconds. ``control`` is a
    question that always has answers: it tells an empty result from a soft block. ``search_tells`` names the fields
    of a :class:`Sighting` that results of a search usually carry; the others are known only after a look.
    ``settings`` is the class of an account's settings, ``None`` when there are no accounts. ``reads_signed_in``:
    the installation reads with an account of its own, if it has one; else accounts only order. ``ordered_kinds``
    are sold at a fixed price at this marketplace itself, so that they can be ordered there. ``lists_purchases``: an
    account's purchases can be listed. ``purchase_lag`` is how long a purchase may stay invisible to its buyer, in
    seconds.
    """

    name: str
    title: Mapping[str, str]
    contract: int
    home: str
    hosts: tuple[str, ...]
    picture_hosts: tuple[str, ...]
    currency: str
    time_zone: str
    capabilities: frozenset[Capability]
    criteria: type[SearchCriteria]
    pace: Pace
    access: Access
    control: SearchCriteria
    search_tells: frozenset[str]
    settings: type[AccountSettings] | None = None
    reads_signed_in: bool = True
    ordered_kinds: frozenset[Kind] = frozenset({Kind.FIXED, Kind.SHOP})
    lists_purchases: bool = False
    purchase_lag: int = 900
    terms_url: str = ""
    index_lag: int = 0
    notes: Mapping[str, str] = field(default_factory=dict)

    def title_in(self, language: str) -> str:
        """The title in a language, else in English, else the bare name."""
        return self.title.get(language.lower()) or self.title.get("en") or self.name

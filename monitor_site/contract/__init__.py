"""What a plugin sees of us: plain Python, no Django. Everything a plugin may import is listed here.

Its practice market may import :mod:`monitor_site.contract.practice` too.
"""

from .currencies import digits_of
from .errors import (
    Blocked,
    ChallengeRequired,
    LayoutChanged,
    ListingGone,
    MarketplaceError,
    NoPace,
    OutcomeUnknown,
    Pauses,
    PluginFault,
    Refused,
    SignInNeeded,
    SuspectEmpty,
    SuspectStale,
    Tells,
    Throttled,
    Unavailable,
)
from .fields import AccountSettings, SearchCriteria, canonical, criteria_from, gettext_noop, option
from .manifest import CONTRACT_VERSION, Access, Capability, Manifest, Pace
from .marketplace import CanLook, CanSearch, CanTellSoldPrices, Plugin, Session
from .prices import YEN, PriceStyle, read_price
from .reading import LONGEST_WAIT, retry_after
from .urls import ListingUrl, SearchUrl
from .values import (
    Answer,
    BadRow,
    Condition,
    Kind,
    Money,
    SearchPage,
    Seller,
    Shipping,
    Sighting,
    Status,
)

__all__ = [
    "CONTRACT_VERSION",
    "LONGEST_WAIT",
    "YEN",
    "Access",
    "AccountSettings",
    "Answer",
    "BadRow",
    "Blocked",
    "CanLook",
    "CanSearch",
    "CanTellSoldPrices",
    "Capability",
    "ChallengeRequired",
    "Condition",
    "Kind",
    "LayoutChanged",
    "ListingGone",
    "ListingUrl",
    "Manifest",
    "MarketplaceError",
    "Money",
    "NoPace",
    "OutcomeUnknown",
    "Pace",
    "Pauses",
    "Plugin",
    "PluginFault",
    "PriceStyle",
    "Refused",
    "SearchCriteria",
    "SearchPage",
    "SearchUrl",
    "Seller",
    "Session",
    "Shipping",
    "Sighting",
    "SignInNeeded",
    "Status",
    "SuspectEmpty",
    "SuspectStale",
    "Tells",
    "Throttled",
    "Unavailable",
    "canonical",
    "criteria_from",
    "digits_of",
    "gettext_noop",
    "option",
    "read_price",
    "retry_after",
]

"""What a plugin sees of us: plain Python, no Django. Everything a plugin may import is listed here.

Its practice market may import :mod:`monitor_site.contract.practice` too.
"""

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
    Tells,
    Throttled,
    Unavailable,
)
from .fields import SearchCriteria, canonical, criteria_from, gettext_noop, option
from .manifest import CONTRACT_VERSION, Access, Capability, Manifest, Pace
from .marketplace import Marketplace, Plugin, Session
from .reading import LONGEST_WAIT, retry_after
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
    "Access",
    "Answer",
    "BadRow",
    "Blocked",
    "Capability",
    "ChallengeRequired",
    "Condition",
    "Kind",
    "LayoutChanged",
    "ListingGone",
    "Manifest",
    "Marketplace",
    "MarketplaceError",
    "Money",
    "NoPace",
    "OutcomeUnknown",
    "Pace",
    "Pauses",
    "Plugin",
    "PluginFault",
    "Refused",
    "SearchCriteria",
    "SearchPage",
    "Seller",
    "Session",
    "Shipping",
    "Sighting",
    "SignInNeeded",
    "Status",
    "SuspectEmpty",
    "Tells",
    "Throttled",
    "Unavailable",
    "canonical",
    "criteria_from",
    "gettext_noop",
    "option",
    "retry_after",
]

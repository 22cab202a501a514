"""What a plugin sees of us: plain Python, no Django. Everything a plugin may import is listed here.

Its practice market may import :mod:`monitor_site.contract.practice` too.
"""

from .consequence import Pauses, Tells
from .currencies import digits_of
from .errors import (
    Blocked,
    ChallengeRequired,
    LayoutChanged,
    ListingGone,
    MarketplaceError,
    NoPace,
    NotSent,
    OutcomeUnknown,
    PluginFault,
    Refused,
    SignInNeeded,
    SuspectEmpty,
    SuspectStale,
    Throttled,
    Unavailable,
)
from .fields import AccountSettings, SearchCriteria, canonical, criteria_from, gettext_noop, option, shown_fields
from .manifest import CONTRACT_VERSION, Access, Capability, Manifest, Pace
from .marketplace import (
    CanBuy,
    CanFindOutcome,
    CanLook,
    CanSearch,
    CanTellSoldPrices,
    CanVerify,
    Plugin,
    Session,
)
from .orders import AccountInfo, BuyRequest, Purchase, PurchasePage, PurchaseStage, Receipt
from .prices import YEN, PriceStyle, read_price
from .reading import LONGEST_WAIT, retry_after
from .reading_again import ReadBefore
from .refusals import CONSEQUENCES, FOR_GOOD, Consequence, RefusalKind
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
    "CONSEQUENCES",
    "CONTRACT_VERSION",
    "FOR_GOOD",
    "LONGEST_WAIT",
    "YEN",
    "Access",
    "AccountInfo",
    "AccountSettings",
    "Answer",
    "BadRow",
    "Blocked",
    "BuyRequest",
    "CanBuy",
    "CanFindOutcome",
    "CanLook",
    "CanSearch",
    "CanTellSoldPrices",
    "CanVerify",
    "Capability",
    "ChallengeRequired",
    "Condition",
    "Consequence",
    "Kind",
    "LayoutChanged",
    "ListingGone",
    "ListingUrl",
    "Manifest",
    "MarketplaceError",
    "Money",
    "NoPace",
    "NotSent",
    "OutcomeUnknown",
    "Pace",
    "Pauses",
    "Plugin",
    "PluginFault",
    "PriceStyle",
    "Purchase",
    "PurchasePage",
    "PurchaseStage",
    "ReadBefore",
    "Receipt",
    "RefusalKind",
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
    "shown_fields",
]

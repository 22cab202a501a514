"""Why an order is refused, in one list of words for all marketplaces, each with its consequence as data."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from .consequence import Pauses, Tells

FOR_GOOD = math.inf
"""As the seconds of a pause: until a person ends it."""
HOUR, DAY = 3600.0, 86_400.0


class RefusalKind(StrEnum):
    """The words for a refusal; whatever a marketplace answers that is none of them is no refusal."""

    SOLD_OUT = "sold_out"
    NOT_ON_SALE = "not_on_sale"
    LISTING_GONE = "listing_gone"
    PRICE_CHANGED = "price_changed"
    NO_PRICE = "no_price"
    AUCTION_UNSUPPORTED = "auction_unsupported"
    VARIANT_REQUIRED = "variant_required"
    OUT_OF_STOCK = "out_of_stock"
    BUYER_PAYS_SHIPPING = "buyer_pays_shipping"
    SHIPPING_UNKNOWN = "shipping_unknown"
    OVER_LIMIT = "over_limit"
    ADDRESS_INVALID = "address_invalid"
    PAYMENT_REQUIRED = "payment_required"
    ACCOUNT_RESTRICTED = "account_restricted"
    VERIFICATION_REQUIRED = "verification_required"
    AUTH_EXPIRED = "auth_expired"
    NOT_CANCELLABLE = "not_cancellable"
    UNSUPPORTED = "unsupported"


@dataclass(frozen=True, slots=True, kw_only=True)
class Consequence:
    """What follows: what pauses, for how many seconds (:data:`FOR_GOOD`: until a person ends it), who hears of it."""

    pauses: Pauses = Pauses.NOTHING
    seconds: float | None = None
    tells: Tells = Tells.USER


_NONE = Consequence()
CONSEQUENCES: Mapping[RefusalKind, Consequence] = MappingProxyType(
    dict.fromkeys(RefusalKind, _NONE)
    | {
        RefusalKind.ADDRESS_INVALID: Consequence(pauses=Pauses.ACCOUNT, seconds=DAY),
        RefusalKind.PAYMENT_REQUIRED: Consequence(pauses=Pauses.ACCOUNT, seconds=DAY),
        # Never answered by another account: that would be a way around a ban.
        RefusalKind.ACCOUNT_RESTRICTED: Consequence(pauses=Pauses.ACCOUNT, seconds=FOR_GOOD, tells=Tells.OPERATOR),
        RefusalKind.VERIFICATION_REQUIRED: Consequence(pauses=Pauses.ACCOUNT, seconds=HOUR),
        RefusalKind.AUTH_EXPIRED: Consequence(pauses=Pauses.ACCOUNT, seconds=DAY),
    }
)
"""What follows from each kind."""

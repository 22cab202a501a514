"""Why an order was not sent, or was refused, as messages and pages say it."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

GONE = _("it is not on sale any more")
DEARER = _("it costs more than was allowed")
AUCTION = _("it is an auction")
SHIPPING_UNKNOWN = _("nobody says who pays the shipping")
BUYER_PAYS = _("the buyer pays the shipping, and nobody says how much")
ACCOUNT_PAUSED = _("the account is paused")
REASONS: Mapping[str, str | Promise] = {
    # What our own look saw, and what marketplaces call the same.
    "gone": GONE,
    "sold_out": _("it was sold"),
    "not_on_sale": GONE,
    "listing_gone": GONE,
    "out_of_stock": GONE,
    "over_limit": DEARER,
    "price_changed": _("its price changed"),
    "no_price": _("its price is not known"),
    "auction": AUCTION,
    "auction_unsupported": AUCTION,
    "flea": _("this kind of offer is not ordered from here"),
    "variant_required": _("one of several variants must be chosen"),
    "other_currency": _("it is priced in another currency"),
    "shipping_unknown": SHIPPING_UNKNOWN,
    "buyer_pays": BUYER_PAYS,
    "buyer_pays_shipping": BUYER_PAYS,
    "not_cancellable": _("the marketplace does not let it be cancelled"),
    # What is about the account.
    "address_invalid": _("the marketplace does not accept the address"),
    "payment_required": _("the marketplace could not take the payment"),
    "account_restricted": _("the marketplace has restricted the account"),
    "verification_required": _("the marketplace wants the account verified"),
    "auth_expired": _("the account must sign in again"),
    "sign_in_needed": _("the account must sign in again"),
    "challenge_required": _("the marketplace wants the account verified"),
    # What was in our own hands.
    "budget": _("no budget covered it"),
    "dry_run": _("a dry run: nothing was sent"),
    "not_sent": _("it could not be sent in three tries"),
    "released": _("its person gave back what was held for it"),
    "waited": _("it could not go for a day"),
}
# Why an account orders nothing for a while.
PAUSES: Mapping[str, str | Promise] = {
    "cool_down": _("three orders in a row failed"),
    "dearer": _("the marketplace took more than was allowed"),
    "outcome_unknown": _("the outcome of an order is not known"),
}


def reason_words(code: str) -> str:
    """A reason in words; empty for one nobody has words for."""
    return str(REASONS.get(code, ""))


def pause_words(code: str) -> str:
    """Why an account is paused, in words; that it is, where nobody has better ones."""
    return str(PAUSES.get(code) or REASONS.get(code, ACCOUNT_PAUSED))

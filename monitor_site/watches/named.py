"""What grades, kinds, ways of shipping and ends of a listing are called."""

from django.utils.translation import pgettext_lazy

from monitor_site.contract import Condition, Kind, Shipping, Status

CONDITIONS = {
    Condition.NEW: pgettext_lazy("condition", "New, unused"),
    Condition.LIKE_NEW: pgettext_lazy("condition", "Like new"),
    Condition.GOOD: pgettext_lazy("condition", "No visible damage"),
    Condition.FAIR: pgettext_lazy("condition", "Some wear"),
    Condition.WORN: pgettext_lazy("condition", "Worn"),
    Condition.POOR: pgettext_lazy("condition", "Poor"),
}
KINDS = {
    Kind.FIXED: pgettext_lazy("kind", "Fixed price"),
    Kind.AUCTION: pgettext_lazy("kind", "Auction"),
    Kind.SHOP: pgettext_lazy("kind", "From a shop"),
    Kind.FLEA: pgettext_lazy("kind", "Flea market"),
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

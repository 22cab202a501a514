"""An order as a few lines of text, for whoever it was bought for. Nothing of limits, budgets and rules is in it."""

from collections.abc import Iterator

from django.utils.translation import get_language, gettext, pgettext

from monitor_site import wording
from monitor_site.marketplaces.catalog import catalog
from monitor_site.purchasing.models import Order

from .order_words import state_words


def text_of(order: Order, *, tracking: str = "") -> str:
    """What it is, where it is from, what it costs, and where it is."""
    return "\n".join(_lines(order, tracking))


def _lines(order: Order, tracking: str) -> Iterator[str]:
    thing = order.listing
    yield f"{thing.title} ({catalog().title(thing.marketplace, get_language() or 'en')})"
    yield from _money(order)
    yield _line(pgettext("order", "State"), state_words(order.state))
    if order.reference:
        yield _line(gettext("Order number"), order.reference)
    if order.parcel:
        yield _line(gettext("Parcel"), order.parcel)
    if tracking:
        yield _line(gettext("Tracking number"), tracking)
    yield thing.url


def _money(order: Order) -> Iterator[str]:
    """What was paid in all where that is known; before that what it was offered for."""
    if order.paid is not None:
        yield _line(gettext("Paid"), wording.money(order.paid, order.currency))
        return
    yield _line(gettext("Price"), wording.money(order.price, order.currency))
    if order.shipping:
        yield _line(gettext("Shipping"), wording.money(order.shipping, order.currency))


def _line(label: str, value: str) -> str:
    return gettext("%(label)s: %(value)s") % {"label": label, "value": value}

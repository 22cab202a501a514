"""What is known of an account's purchases: which numbers were there before, and which belong to what."""

from datetime import datetime

from .models import Order, OrderStep, Stray
from .transitions import Verb

PERSON = "person"
TELLING = (Verb.PLACE, Verb.FIND_LATE)


def older_of(order: Order, *, before: datetime) -> dict[str, str]:
    """Number → listing of purchases the marketplace itself had shown before then, latest first.

    Any of them proves that a list shows older ones. What a person typed proves nothing.
    """
    told = OrderStep.objects.filter(order__account=order.account_id, verb__in=TELLING, at__lt=before)
    numbers = told.exclude(actor=PERSON).exclude(order=order.pk).exclude(order__reference="").order_by("-at")
    strays = Stray.objects.filter(account=order.account_id, first_seen_at__lt=before).order_by("-first_seen_at", "pk")
    found = dict(numbers.values_list("order__reference", "order__listing__external_id")[:20])
    return found | dict(strays.values_list("number", "external_id")[:20])


def taken_of(order: Order, *, before: datetime) -> frozenset[str]:
    """The numbers that are not this order's: those of other orders, and those that were there before it was sent."""
    others = Order.objects.filter(account=order.account_id).exclude(pk=order.pk).exclude(reference="")
    strays = Stray.objects.filter(account=order.account_id, first_seen_at__lt=before)
    return frozenset(others.values_list("reference", flat=True)) | frozenset(strays.values_list("number", flat=True))


def known_of(account_id: int) -> frozenset[str]:
    """Every number that is known of an account."""
    ours = Order.objects.filter(account=account_id).exclude(reference="").values_list("reference", flat=True)
    return frozenset(ours) | frozenset(Stray.objects.filter(account=account_id).values_list("number", flat=True))

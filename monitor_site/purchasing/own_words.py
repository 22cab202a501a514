"""What a person says of their orders in their own words: the parcel it is shipped in, and what is wrong with it.

It moves no state and no money.
"""

import unicodedata
from collections.abc import Collection
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext

from .models import Order

LONGEST_PARCEL, LONGEST_PROBLEM = 40, 200


def clean_words(text: str, *, longest: int) -> str:
    """Words on one line as they are kept; raises ``ValidationError`` with a sentence."""
    clean = " ".join(text.split())
    if len(clean) > longest:
        raise ValidationError(gettext("That is longer than %(n)d characters.") % {"n": longest})
    if any(unicodedata.category(char) in {"Cc", "Cs", "Cn"} for char in clean):
        raise ValidationError(gettext("That holds characters that cannot be shown. Please type it again."))
    return clean


@transaction.atomic
def put_in_parcel(*, orders: Collection[Order], parcel: str) -> None:
    """These are shipped together, under a name; without one in no parcel. Raises ``ValidationError``."""
    clean = clean_words(parcel, longest=LONGEST_PARCEL)
    Order.objects.filter(pk__in=[order.pk for order in orders]).update(parcel=clean)


@transaction.atomic
def open_problem(*, order: Order, words: str, now: datetime) -> None:
    """Something is wrong with it; other words later leave the moment. Empty closes it. Raises ``ValidationError``."""
    clean = clean_words(words, longest=LONGEST_PROBLEM)
    since = (order.problem_at or now) if clean else None
    Order.objects.filter(pk=order.pk).update(problem=clean, problem_at=since)

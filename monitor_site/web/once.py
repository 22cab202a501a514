"""A form that makes something makes it once: a second submit of the same page finds the first result.

The result is kept in the user's session, written in the transaction that makes the thing.
"""

from collections.abc import Callable
from typing import Any

from django.contrib.auth import get_user_model
from django.db import transaction
from django.http import HttpRequest

KEPT_RESULTS = 20
NAME = "made"


@transaction.atomic
def make_once(request: HttpRequest, *, user: Any, key: str, make: Callable[[], int]) -> tuple[int, bool]:
    """Call ``make``, which returns an id, unless this key has made something already; returns (id, made now).

    Two submits at the same moment meet at the row of their user, the second one then reads what the first one wrote.
    Whatever ``make`` raises goes through, and nothing is kept then. An empty key always makes.
    """
    get_user_model().objects.select_for_update(no_key=True).get(pk=user.pk)
    fresh = type(request.session)(request.session.session_key)
    made: dict[str, int] = fresh.get(NAME, {})
    if key and key in made:
        return made[key], False
    result = make()
    request.session[NAME] = dict([*made.items(), (key, result)][-KEPT_RESULTS:])
    request.session.save()
    return result, True

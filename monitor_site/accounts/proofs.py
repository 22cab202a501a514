"""When and how whoever is signed in has last proven to be the person, as their session remembers it.

A person with a second factor proves it with that. Others have a password, or else the address that signed them in; on a
practice installation, where nothing real can be bought, somebody without a password may prove it with a press.
"""

from datetime import datetime, timedelta
from typing import Any

from allauth.account.internal.flows.login import get_authentication_records, record_authentication
from django.conf import settings
from django.http import HttpRequest

from .factors import has_second_factor

FACTOR, PASSWORD, LINK, PRESS = "mfa", "password", "link", "press"


def proven_recently(request: HttpRequest, *, now: datetime) -> bool:
    """Whether the person has signed in or proven it again within ``PROOF_MINUTES``."""
    user = request.user
    if not user.is_authenticated:
        return False
    ways, since = ways_of(user), now - timedelta(minutes=settings.PROOF_MINUTES)
    records = get_authentication_records(request, user)
    return any(one["method"] in ways and since.timestamp() < one["at"] for one in records)


def ways_of(user: Any) -> frozenset[str]:
    """What proves it for this person."""
    if has_second_factor(user):
        return frozenset({FACTOR})
    return frozenset({PASSWORD, LINK} | ({PRESS} if may_press(user) else set()))


def may_press(user: Any) -> bool:
    """Whether a press is enough: nothing real happens here, and the person has nothing else to show."""
    real = settings.LIVE or settings.PRODUCTION
    return not real and not user.has_usable_password() and not has_second_factor(user)


def note_proof(request: HttpRequest, *, user: Any, way: str) -> None:
    """Remember in the session that the person has proven it now."""
    record_authentication(request, user, method=way)


def last_way(request: HttpRequest) -> str:
    """How whoever is signed in proved it last; empty when nobody knows."""
    user: Any = request.user
    records = get_authentication_records(request, user)
    return str(max(records, key=lambda one: one["at"])["method"]) if records else ""

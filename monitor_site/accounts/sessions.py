"""Where a person is signed in: what the library lists, and what is older than its list.

Whose a session is stands in no column, so the older ones have to be opened; what the library lists is left out.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from allauth.usersessions.models import UserSession
from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import transaction
from django.utils.crypto import constant_time_compare

# Strangers can begin sessions, too: so many are opened to draw a page, the latest first.
MOST_OPENED = 5000


@dataclass(frozen=True, slots=True, kw_only=True)
class SignIn:
    """One device, or one browser of it. Of an older one only its end is known."""

    key: str
    agent: str = ""
    since: datetime | None = None
    until: datetime | None = None


def sign_ins_of(user: Any, *, now: datetime) -> list[SignIn]:
    """All that are good now, the latest first; the older ones come last."""
    listed = [_listed(one) for one in UserSession.objects.purge_and_list(user)]
    older = [SignIn(key=row.session_key, until=row.expire_date) for row in _older(user, now, most=MOST_OPENED)]
    return sorted(listed, key=lambda one: one.since, reverse=True) + older


def _listed(row: UserSession) -> Any:
    return SignIn(key=row.session_key, agent=row.user_agent, since=row.created_at)


@transaction.atomic
def end_older(*, user: Any, but: str, now: datetime) -> int:
    """End those that the library does not list, except the one with the key ``but``; how many."""
    keys = [row.session_key for row in _older(user, now) if row.session_key != but]
    return Session.objects.filter(session_key__in=keys).delete()[0]


def _older(user: Any, now: datetime, *, most: int | None = None) -> Iterator[Session]:
    unlisted = Session.objects.filter(expire_date__gt=now).exclude(session_key__in=_listed_keys())
    hashes = [user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()]
    rows = unlisted.order_by("-expire_date", "session_key").iterator(chunk_size=500)
    return (row for row in islice(rows, most) if _is_of(row, user, hashes))


def _listed_keys() -> Any:
    return UserSession.objects.values("session_key")


def _is_of(row: Session, user: Any, hashes: list[str]) -> bool:
    """Whether it still signs this person in: another password has ended it."""
    data = row.get_decoded()
    if data.get(SESSION_KEY) != str(user.pk):
        return False
    return any(constant_time_compare(str(data.get(HASH_SESSION_KEY, "")), one) for one in hashes)

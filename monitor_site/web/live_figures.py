"""The figures of the live chip, asked for apart from the reading: a slow database delays no message.

A person's figures are asked for when something happened, when a page opens, and now and then while one is open.
"""

import asyncio
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import Any

import structlog
from asgiref.sync import sync_to_async
from django.contrib.auth import get_user_model
from django.contrib.sessions.models import Session
from django.db import DatabaseError, connections
from django.utils import timezone

from .freshness import Freshness, freshness_of
from .live_listener import Listener

log = structlog.get_logger(__name__)

PING_SECONDS = 5.0
FRESH_SECONDS = 10.0
AT_ONCE = 20
Listeners = Mapping[int, Collection[Listener]]


class Teller:
    """Pings everybody in time, and tells figures to those for whom they may have changed."""

    def __init__(self, listeners: Listeners) -> None:
        self._listeners = listeners
        self._wanted: set[int] = set()
        self._called = asyncio.Event()
        self._known: dict[int, tuple[float, Freshness]] = {}
        self._next_ping = 0.0

    def want(self, user_ids: Collection[int]) -> None:
        """Something happened to these people, or one of them has opened a page."""
        self._wanted.update(user_ids)
        self._called.set()

    async def step(self) -> None:
        """Wait until there is something to tell, and tell it."""
        with suppress(TimeoutError):
            async with asyncio.timeout(max(0.0, self._next_ping - time.monotonic())):
                await self._called.wait()
        self._called.clear()
        wanted, self._wanted = self._wanted, set()
        if time.monotonic() >= self._next_ping:
            self._next_ping = time.monotonic() + PING_SECONDS
            stale = self._stale() - wanted
            self._tell(set(self._listeners) - wanted - stale)
            await self._end_signed_out()
            wanted |= stale
        here = sorted(wanted & set(self._listeners))
        for start in range(0, len(here), AT_ONCE):
            await self._ask(here[start : start + AT_ONCE])
            self._tell(here[start : start + AT_ONCE])

    def _stale(self) -> set[int]:
        """Those whose figures are old; what was known of people who have gone is forgotten."""
        self._known = {user_id: known for user_id, known in self._known.items() if user_id in self._listeners}
        old = time.monotonic() - FRESH_SECONDS
        return {user_id for user_id in self._listeners if self._known.get(user_id, (0.0, None))[0] <= old}

    async def _ask(self, user_ids: Collection[int]) -> None:
        for user_id, fresh in (await sync_to_async(_figures)(user_ids)).items():
            self._known[user_id] = (time.monotonic(), fresh)

    def _tell(self, user_ids: Collection[int]) -> None:
        for user_id in user_ids:
            figures = self._figures_of(user_id)
            for listener in tuple(self._listeners.get(user_id, ())):
                listener.tell("figures", figures)

    def _figures_of(self, user_id: int) -> dict[str, Any]:
        if user_id not in self._known:
            return {}
        at, fresh = self._known[user_id]
        age = None if fresh.age_s is None else fresh.age_s + int(time.monotonic() - at)
        return asdict(fresh) | {"age_s": age}

    async def _end_signed_out(self) -> None:
        """A stream ends with the session that opened it; a page of another session comes back at once."""
        listeners = [listener for some in self._listeners.values() for listener in some if listener.proof]
        for listener in await sync_to_async(_signed_out)(listeners):
            listener.end()


def _signed_out(listeners: Collection[Listener]) -> set[Listener]:
    """Those whose session is over or whose person may not be here; nobody while the database cannot say."""
    try:
        return set(listeners) - set(_good(listeners))
    except DatabaseError as error:
        log.warning("live.database_away", error=str(error))
        return set()
    finally:
        let_go()


def _good(listeners: Collection[Listener]) -> Iterator[Listener]:
    keys = {listener.proof.session_key for listener in listeners if listener.proof}
    open_sessions = Session.objects.filter(pk__in=keys, expire_date__gt=timezone.now())
    alive = set(open_sessions.values_list("pk", flat=True))
    people = get_user_model().objects.filter(pk__in={listener.user_id for listener in listeners}, is_active=True)
    hashes = {user.pk: user.get_session_auth_hash() for user in people}
    for listener in listeners:
        proof = listener.proof
        if proof and proof.session_key in alive and hashes.get(listener.user_id) == proof.auth_hash:
            yield listener


def _figures(user_ids: Collection[int]) -> dict[int, Freshness]:
    """Figures of several people; the connection is given back, pages may stay open for hours."""
    now = timezone.now()
    try:
        return {user_id: freshness_of(user_id, now=now) for user_id in user_ids}
    except DatabaseError as error:
        log.warning("live.database_away", error=str(error))
        return {}
    finally:
        let_go()


def let_go() -> None:
    """Give back the database connections of this thread."""
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close_if_unusable_or_obsolete()

"""The HTTP library's pool of connections, which gives each request its connection at a cost that does not grow.

The library asks every connection of its pool, at the beginning and at the end of each request, whether it is still
open, and counts them anew for each that is idle: with a hundred connections that takes longer than all of the request.
Here only the one that is about to be used is asked, and all of them once a second.
"""

import time
from collections.abc import Iterator
from typing import Any

import httpcore

LOOK_SECONDS = 1.0


class Swift(httpcore.AsyncConnectionPool):
    """Overrides how waiting requests come to connections, and nothing else; for any pool of the library."""

    _look_at = 0.0

    def _assign_requests_to_connections(self) -> list[Any]:
        """Called by the library whenever a request comes or goes; the connections that it is to close."""
        closing = self._outworn()
        for asked in [one for one in self._requests if one.connection is None]:
            found = self._usable(asked.request.url.origin, closing) or self._opened(asked.request.url.origin, closing)
            if found is not None:
                asked.assign_to_connection(found)
        return closing

    def _outworn(self) -> list[Any]:
        """Once a second: what is closed, what has been idle for too long, and more that is idle than is kept."""
        now = time.monotonic()
        if now < self._look_at:
            return []
        self._look_at = now + LOOK_SECONDS
        closing = [one for one in self._connections if not one.is_closed() and one.has_expired()]
        open_ones = [one for one in self._connections if not one.is_closed() and one not in closing]
        idle = [one for one in open_ones if one.is_idle()]
        closing += idle[self._max_keepalive_connections :]
        self._connections = [one for one in open_ones if one not in closing]
        return closing

    def _usable(self, origin: httpcore.Origin, closing: list[Any]) -> Any:
        """The first that is free and alive; those found dead are taken out."""
        for one in self._free(origin):
            if not one.has_expired():
                return one
            self._connections.remove(one)
            closing.append(one)
        return None

    def _free(self, origin: httpcore.Origin) -> Iterator[Any]:
        return (one for one in list(self._connections) if one.is_available() and one.can_handle_request(origin))

    def _opened(self, origin: httpcore.Origin, closing: list[Any]) -> Any:
        """A new one, in the place of an idle one when there are too many; ``None``: it waits for one to end."""
        if len(self._connections) >= self._max_connections and not self._make_room(closing):
            return None
        self._connections.append(found := self.create_connection(origin))
        return found

    def _make_room(self, closing: list[Any]) -> bool:
        for one in self._connections:
            if one.is_closed() or one.is_idle():
                self._connections.remove(one)
                closing.append(one)
                return True
        return False


class SwiftPool(Swift, httpcore.AsyncConnectionPool):
    """A pool of connections to whom is asked."""


class SwiftProxyPool(Swift, httpcore.AsyncHTTPProxy):
    """A pool of connections through a proxy."""

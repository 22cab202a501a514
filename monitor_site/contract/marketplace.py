"""The protocols between core and plugin. A plugin implements :class:`Marketplace`; the core hands it a

:class:`Session`, the only way out. A package exports ``plugin``, a :class:`Plugin`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, TypeVar

from .fields import SearchCriteria
from .manifest import Manifest
from .values import Answer, SearchPage

T = TypeVar("T")


class Session(Protocol):
    """The way out to one marketplace: its hosts only, with deadline, size caps and pace.

    Both requests raise :class:`Unavailable` (no answer, too slow), :class:`NoPace` (never sent),
    :class:`LayoutChanged` (too large) and :class:`PluginFault` (a host the manifest does not name). They return an
    answer of any status. A connection that breaks before an answer begins is tried once more.
    """

    base: str
    """Address of the marketplace's API without trailing slash; a practice market has its own."""

    web: str
    """Where people open the marketplace's pages, without trailing slash: its home, or the practice market itself.

    Addresses of listings begin with it.
    """

    async def get(self, url: str, *, headers: Mapping[str, str] | None = None) -> Answer:
        """Fetch ``url``. A query belongs into the address."""
        ...

    async def post(self, url: str, *, json: Any, headers: Mapping[str, str] | None = None) -> Answer:
        """Post ``json``. Never for a request that can spend money."""
        ...

    async def read(self, parse: Callable[[Answer], T], answer: Answer) -> T:
        """Run a pure parser over an answer, off the event loop when the answer is big."""
        ...

    def now(self) -> datetime:
        """The current time, aware UTC."""
        ...


class Marketplace(Protocol):
    """A connected marketplace."""

    async def search(self, criteria: SearchCriteria, *, page_token: str | None = None) -> SearchPage:
        """One page of listings for ``criteria``, newest first as far as the marketplace can.

        Called when: a check runs or a person previews; ``page_token`` comes from the previous page.
        Returns: a page; an empty one only when the marketplace really said "nothing found".
        Raises: Unavailable, NoPace, Throttled, Blocked, SignInNeeded, LayoutChanged.
        Must never: drop a page for one bad row, retry, sleep, or write to the marketplace.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Plugin:
    """What a plugin's package exports as ``plugin``.

    ``connect(session)`` gives the marketplace; it must not touch the network. ``api`` is the live address that
    becomes ``session.base``. ``practice`` is the dotted path of the module with the plugin's practice market; it has
    ``create(*, seed: int, truth_log: pathlib.Path | None) -> ASGI application`` and is imported only to run it.
    """

    manifest: Manifest
    connect: Callable[[Session], Marketplace]
    api: str
    practice: str

"""What a plugin promised, checked on what it did: nothing it raises or returns reaches the core unlooked at."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx

from monitor_site.contract import (
    BadRow,
    Manifest,
    MarketplaceError,
    Pauses,
    PluginFault,
    SearchPage,
    Sighting,
    errors,
)

from .checkup import in_words
from .hosts import host_matches, origin
from .mending import cleaned, forgiven, is_storable
from .shape import LONGEST_URL, PAGE, SIGHTING, is_price, is_sum, is_text

T = TypeVar("T")

CODES = {kind.code for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, MarketplaceError)}


async def kept(call: Callable[[], Awaitable[T]]) -> T:
    """Run a plugin's code. A :class:`MarketplaceError` of the contract passes, and so does our own cancelling.

    Everything else becomes :class:`PluginFault`: even ``SystemExit``, a time-out of the plugin's own, or a
    cancelling that nobody asked for. A plugin that answers our cancelling with another error is cancelled all the same.
    """
    try:
        return await call()
    except MarketplaceError as error:
        if _of_contract(error):
            raise
        raise PluginFault(f"raised {type(error).__name__}, which is not as the contract has it") from error
    except GeneratorExit:
        raise
    except asyncio.CancelledError as error:
        if _being_cancelled():
            raise
        raise PluginFault("cancelled itself") from error
    except BaseException as error:
        if _being_cancelled():
            raise asyncio.CancelledError from error
        raise PluginFault(f"raised {in_words(error)}") from error


def _being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _of_contract(error: MarketplaceError) -> bool:
    """A known code, and consequences that can be drawn."""
    pauses: object = error.pauses
    seconds: object = error.retry_after
    return error.code in CODES and isinstance(pauses, Pauses) and isinstance(seconds, int | float | None)


class Promise:
    """What pages of one marketplace must look like; ``practice`` is the address of its practice market, if any."""

    def __init__(self, *, manifest: Manifest, practice: str = "") -> None:
        currency = manifest.currency
        self._practice = practice
        home = urlsplit(manifest.home).hostname or ""
        self._hosts = (home, f".{home.removeprefix('www.')}", home.removeprefix("www."), *manifest.hosts)
        # What nearly every listing begins with: taking an address apart costs more than reading the whole page.
        own = [f"https://{host}" for host in self._hosts if host[0] != "."] + [practice] * bool(practice)
        self._prefixes = tuple(f"{each}/" for each in own)
        self._fields = SIGHTING | {
            "url": self._is_own,
            "price": is_price(currency),
            "buy_now": is_price(currency),
            "shipping_fee": is_sum(currency),
        }

    def page(self, found: object) -> SearchPage:
        """The page with every row that is as promised; the others become bad rows, and what can be mended is mended.

        Raises :class:`PluginFault` when it is no page, or when of the rows it had none is left.
        """
        if not isinstance(found, SearchPage):
            raise PluginFault(f"search returned {type(found).__name__}")
        if broken := _broken(found, PAGE):
            raise PluginFault(broken)
        if _are_whole(found.sightings, self._fields):
            return found
        return self._mended(found)

    def sighting(self, found: object, *, external_id: str) -> Sighting:
        """A look at one listing, as promised and mended as the rows of a page are.

        Raises :class:`PluginFault` when it is none, when it is of another listing.
        """
        if not isinstance(found, Sighting):
            raise PluginFault(f"look returned {type(found).__name__}")
        row = self._row(0, found)
        if isinstance(row, BadRow):
            raise PluginFault(row.reason)
        if row.external_id != external_id:
            raise PluginFault(f"asked for {external_id}, told of {row.external_id}")
        return row

    def _mended(self, page: SearchPage) -> SearchPage:
        rows = [self._row(at, sighting) for at, sighting in enumerate(page.sightings)]
        good = tuple(row for row in rows if isinstance(row, Sighting))
        bad = tuple(row for row in rows if isinstance(row, BadRow))
        if not good:
            raise PluginFault(f"of {len(bad)} rows none is left: {bad[0].reason}")
        return replace(page, sightings=good, bad_rows=page.bad_rows + bad)

    def _row(self, position: int, sighting: Sighting) -> Sighting | BadRow:
        try:
            found = forgiven(sighting)
            broken = _broken(found, self._fields)
        except Exception as error:  # noqa: BLE001  a value that cannot even be looked at costs its own row only
            broken = in_words(error)
        return BadRow(position=position, reason=broken) if broken else cleaned(found)

    def _is_own(self, url: object) -> bool:
        """On the home's host or below it, on a host the manifest names, or at the practice market."""
        if not is_text(url, LONGEST_URL):
            return False
        return str(url).startswith(self._prefixes) or self._is_below(str(url))

    def _is_below(self, url: str) -> bool:
        try:
            address = httpx.URL(url)
        except httpx.InvalidURL:
            return False
        if self._practice and origin(address) == origin(httpx.URL(self._practice)):
            return True
        return address.scheme == "https" and host_matches(address.host, self._hosts)


def _are_whole(sightings: Sequence[Sighting], fields: Mapping[str, Callable[[Any], bool]]) -> bool:
    """Field by field over all rows, since a page has many rows and is nearly always as promised."""
    try:
        return all(all(map(holds, map(attrgetter(name), sightings))) for name, holds in fields.items()) and is_storable(
            sightings
        )
    except Exception:  # noqa: BLE001  whose value it is, the look at each single row tells
        return False


def _broken(thing: object, fields: Mapping[str, Callable[[Any], bool]]) -> str:
    """What is not as promised, in words; empty when all is."""
    for name, holds in fields.items():
        if not holds(value := getattr(thing, name)):
            return f"{name} is {value!r:.120}, not as promised"
    return ""

"""What a plugin promised, checked on what it did: nothing it raises or returns reaches the core unlooked at."""

import asyncio
import math
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from itertools import chain
from operator import attrgetter
from typing import Any, TypeVar
from urllib.parse import urlsplit

import httpx

from monitor_site.contract import (
    BadRow,
    Condition,
    Kind,
    Manifest,
    MarketplaceError,
    Money,
    Pauses,
    PluginFault,
    SearchPage,
    Seller,
    Shipping,
    Sighting,
    Status,
    errors,
)

from .checkup import in_words
from .hosts import host_matches, origin

T = TypeVar("T")

LONGEST_ID = 64
LONGEST_URL = 500
LONGEST_TOKEN = 4000
LONGEST_TITLE = 1000
LONGEST_NAME = 120
MOST_MONEY = 10**15
MOST = 2**31 - 1
YEARS = range(1970, 9999)
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
        self._currency = manifest.currency
        self._practice = practice
        home = urlsplit(manifest.home).hostname or ""
        self._hosts = (home, f".{home.removeprefix('www.')}", home.removeprefix("www."), *manifest.hosts)
        # What nearly every listing begins with: taking an address apart costs more than reading the whole page.
        own = [f"https://{host}" for host in self._hosts if host[0] != "."] + [practice] * bool(practice)
        self._prefixes = tuple(f"{each}/" for each in own)
        money = self._is_money
        self._fields = FIELDS | {"url": self._is_own, "price": money, "buy_now": money, "shipping_fee": money}

    def page(self, found: object) -> SearchPage:
        """The page, when it is as promised; raises :class:`PluginFault`. Text no database can hold is cleaned."""
        if not isinstance(found, SearchPage):
            raise PluginFault(f"search returned {type(found).__name__}")
        _look_at([found], PAGE_FIELDS)
        _look_at(found.sightings, self._fields)
        if _fit(found.sightings):
            return found
        return replace(found, sightings=tuple(map(_fitted, found.sightings)))

    def _is_own(self, url: object) -> bool:
        """On the home's host or below it, on a host the manifest names, or at the practice market."""
        if not _is_text(url, LONGEST_URL):
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

    def _is_money(self, value: object) -> bool:
        if value is None:
            return True
        return isinstance(value, Money) and value.currency == self._currency and _is_count(value.amount, MOST_MONEY)


def _look_at(things: Sequence[object], fields: Mapping[str, Callable[[Any], bool]]) -> None:
    """Field by field over all rows, since a page has many rows and is nearly always as promised."""
    for name, holds in fields.items():
        if not all(map(holds, map(attrgetter(name), things))):
            culprit = next(thing for thing in things if not holds(getattr(thing, name)))
            raise PluginFault(f"{name} is {getattr(culprit, name)!r:.120}, not as promised, in {culprit!r:.300}")


def _is_count(value: object, most: int = MOST) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most


def _is_maybe_count(value: object) -> bool:
    return value is None or _is_count(value)


def _is_time(value: object) -> bool:
    if value is None:
        return True
    return isinstance(value, datetime) and value.utcoffset() is not None and value.year in YEARS


def _is_rating(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and math.isfinite(value))


def _is_text(value: object, longest: int) -> bool:
    return isinstance(value, str) and 0 < len(value) <= longest and value.isprintable()


def _is_id(value: object) -> bool:
    return _is_text(value, LONGEST_ID)


def _is_maybe_text(value: object) -> bool:
    return value is None or isinstance(value, str)


def _is_seller(value: object) -> bool:
    if value is None:
        return True
    if not isinstance(value, Seller) or not _is_id(value.id) or not _is_maybe_text(value.name):
        return False
    return _is_rating(value.rating) and _is_maybe_count(value.count)


def _is_extra(value: object) -> bool:
    return (
        isinstance(value, Mapping) and all(map(_is_id, value)) and all(isinstance(each, str) for each in value.values())
    )


def _is_a(kind: type) -> Callable[[object], bool]:
    return kind.__instancecheck__


def _are(kind: type) -> Callable[[object], bool]:
    return lambda value: isinstance(value, tuple) and all(isinstance(each, kind) for each in value)


FIELDS: dict[str, Callable[[Any], bool]] = {
    "external_id": _is_id,
    "title": _is_a(str),
    "kind": _is_a(Kind),
    "status": _is_a(Status),
    "shipping": _is_a(Shipping),
    "condition": _is_a(Condition),
    "seller": _is_seller,
    "images": lambda value: isinstance(value, tuple) and all(_is_text(each, LONGEST_URL) for each in value),
    "extra": _is_extra,
    "created": _is_time,
    "updated": _is_time,
    "ends_at": _is_time,
    "bids": _is_maybe_count,
    "description": _is_maybe_text,
}
PAGE_FIELDS: dict[str, Callable[[Any], bool]] = {
    "sightings": _are(Sighting),
    "bad_rows": _are(BadRow),
    "padding": _is_count,
    "next_token": lambda value: value is None or _is_text(value, LONGEST_TOKEN),
}


def _fit(sightings: Sequence[Sighting]) -> bool:
    """Whether every text fits the database as it is: nearly always."""
    too_long = any(
        len(each.title) > LONGEST_TITLE or (each.seller and len(each.seller.name or "") > LONGEST_NAME)
        for each in sightings
    )
    return not too_long and _is_storable("".join(chain.from_iterable(map(_texts, sightings))))


def _texts(sighting: Sighting) -> Iterator[str]:
    """All that people typed."""
    yield sighting.title
    yield sighting.description or ""
    yield from sighting.extra.values()
    if sighting.seller:
        yield sighting.seller.name or ""


def _fitted(sighting: Sighting) -> Sighting:
    """Marketplaces send half characters, NULs and endless names; one such row must not cost its page."""
    seller = sighting.seller
    return replace(
        sighting,
        title=_cleaned(sighting.title)[:LONGEST_TITLE],
        description=_cleaned(sighting.description) if sighting.description else sighting.description,
        extra={name: _cleaned(text) for name, text in sighting.extra.items()},
        seller=replace(seller, name=_cleaned(seller.name)[:LONGEST_NAME]) if seller and seller.name else seller,
    )


def _is_storable(text: str) -> bool:
    try:
        return b"\x00" not in text.encode()
    except UnicodeEncodeError:
        return False


def _cleaned(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "")

"""What a plugin promised of its pages and listings: no row reaches the core unlooked at. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any
from urllib.parse import urlsplit

from ..errors import PluginFault
from ..manifest import Manifest
from ..same import OfTheSame
from ..values import BadRow, SearchPage, Sighting
from .hosts import host_matches, origin_of
from .mending import cleaned, forgiven, is_storable
from .shape import LONGEST_URL, PAGE, SIGHTING, is_price, is_sum, is_text
from .whole import in_words

PAGES_KEPT = 128


class Promise:
    """What pages of one marketplace must look like; ``practice`` is the address of its practice market, if any.

    A page that was as promised is not looked at again: a question that nothing happened to is answered by the very
    same page.
    """

    def __init__(self, *, manifest: Manifest, practice: str = "") -> None:
        currency = manifest.currency
        self._looked_at: OfTheSame[object, SearchPage] = OfTheSame(most=PAGES_KEPT)
        self._practice = practice
        home = urlsplit(manifest.home).hostname or ""
        self._hosts = (home, f".{home.removeprefix('www.')}", home.removeprefix("www."), *manifest.hosts)
        # What nearly every listing begins with: taking an address apart costs more than reading the whole page.
        own = [f"https://{host}" for host in self._hosts if host[0] != "."] + [practice] * bool(practice)
        self._prefixes = tuple(f"{each}/" for each in own)
        self._fields = SIGHTING | {
            "url": self.is_own,
            "price": is_price(currency),
            "buy_now": is_price(currency),
            "shipping_fee": is_sum(currency),
        }

    def page(self, found: object) -> SearchPage:
        """The page with every row that is as promised; the others become bad rows, and what can be mended is mended.

        Raises :class:`PluginFault` when it is no page, or when of the rows it had none is left.
        """
        return self._looked_at.of(found, conclude=self._page)

    def _page(self, found: object) -> SearchPage:
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

    def is_own(self, url: object) -> bool:
        """On the home's host or below it, on a host the manifest names, or at the practice market."""
        if not is_text(url, LONGEST_URL):
            return False
        return str(url).startswith(self._prefixes) or self._is_below(str(url))

    def _is_below(self, url: str) -> bool:
        origin = origin_of(url)
        if origin is None:
            return False
        if self._practice and origin == origin_of(self._practice):
            return True
        scheme, host, _ = origin
        return scheme == "https" and host_matches(host, self._hosts)


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

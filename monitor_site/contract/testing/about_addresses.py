"""Rules about addresses that people paste, and about the link where they buy by hand."""

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest

from ..manifest import Capability
from ..marketplace import Plugin
from ..rules import Promise, in_words
from ..urls import ListingUrl, SearchUrl
from ..values import Sighting
from .rule import Rules, demand, fail

PRACTICE = "http://127.0.0.1:9000"
JUNK = (
    "",
    " ",
    "x",
    "https://",
    "https://[",
    "http://[::1",
    "//",
    "\x00",
    "\ud800",
    "https://elsewhere.example:99999999/",
    "https://elsewhere.example/" + "x" * 5000,
    "javascript:alert(1)",
    "カメラ",
)


class AboutAddresses(Rules):
    """``parse_url`` and ``link``."""

    def test_it_understands_the_addresses_of_its_own_listings(self) -> None:
        """What a sighting says is its address leads back to it."""
        for row in self._listings():
            found = self._parsed(row.url)
            meant = ListingUrl(external_id=row.external_id)
            demand(found == meant, f"parse_url({row.url!r}) must be {meant}, and is {found!r:.200}")

    def test_addresses_elsewhere_mean_nothing(self) -> None:
        """Another host is another marketplace, however much it looks like this one."""
        promise = Promise(manifest=self.plugin.manifest)
        for row in self._listings():
            for url in filter(lambda url: not promise.is_own(url), _lookalikes(row.url)):
                found = self._parsed(url)
                demand(
                    found is None, f"parse_url({url!r}) must be None, since it leads elsewhere, and is {found!r:.200}"
                )

    def test_junk_is_no_address_and_raises_nothing(self) -> None:
        """People paste anything."""
        self._needs_addresses()
        for text in JUNK:
            found = self._parsed(text)
            demand(found is None, f"parse_url({text[:40]!r}) must be None, and is {found!r:.200}")

    def test_a_broken_address_of_its_own_raises_nothing(self) -> None:
        """Cut, doubled or garbled, an address is understood or not; it is never a fault."""
        for row in self._listings()[:3]:
            broken = (row.url[:at] for at in range(len(row.url)))
            for url in (*broken, row.url + "/x", row.url + "?%ff=%zz&&=;", row.url + "#", row.url * 2):
                found = self._parsed(url)
                known = found is None or isinstance(found, ListingUrl) or self._is_question(found)
                demand(known, f"parse_url({url!r}) must be a ListingUrl, a SearchUrl or None, and is {found!r:.200}")

    def test_its_link_is_on_its_own_hosts(self) -> None:
        """The address where a person spends money is the marketplace's own, or its practice market's."""
        promise = Promise(manifest=self.plugin.manifest)
        for row in self._linked():
            url = self._link(row.external_id, self._home)
            demand(promise.is_own(url), f"the link {url!r:.200} is not https on the marketplace's own hosts")
            practice = self._link(row.external_id, PRACTICE)
            demand(
                str(practice).startswith(PRACTICE + "/"), f"the link {practice!r:.200} must begin with web={PRACTICE}"
            )

    def test_it_understands_its_own_link(self) -> None:
        """Whoever pastes the link means that listing."""
        self._needs_addresses()
        for row in self._linked():
            url = self._link(row.external_id, self._home)
            found = self._parsed(str(url))
            meant = ListingUrl(external_id=row.external_id)
            demand(found == meant, f"parse_url of its own link {url!r:.200} must be {meant}, and is {found!r:.200}")

    def _is_question(self, found: object) -> bool:
        """Whether it is a search in the plugin's own words, whose criteria can be stored."""
        return isinstance(found, SearchUrl) and isinstance(found.criteria, self.plugin.manifest.criteria)

    @property
    def _home(self) -> str:
        return self.plugin.manifest.home.rstrip("/")

    def _listings(self) -> list[Sighting]:
        self._needs_addresses()
        return self._shown()

    def _linked(self) -> list[Sighting]:
        self.needs(Capability.LINK)
        return self._shown()

    def _shown(self) -> list[Sighting]:
        """What the full samples show."""
        return [row for outcome in self.outcomes("full") for row in outcome.rows if isinstance(row, Sighting)]

    def _needs_addresses(self) -> None:
        if self.plugin.parse_url is Plugin.__dataclass_fields__["parse_url"].default:
            pytest.skip("it understands no addresses")

    def _parsed(self, url: str) -> Any:
        try:
            return self.plugin.parse_url(url)
        except Exception as error:  # noqa: BLE001  the rule is that it raises none
            fail(f"parse_url({url[:80]!r}) must raise nothing, and raised {in_words(error)}")

    def _link(self, external_id: str, web: str) -> object:
        try:
            return self.plugin.link(external_id, web=web) if self.plugin.link else None
        except Exception as error:  # noqa: BLE001  the rule is that it raises none
            fail(f"link({external_id!r}) must raise nothing, and raised {in_words(error)}")


def _lookalikes(url: str) -> Iterator[str]:
    """Addresses that hold the host of ``url`` and lead elsewhere."""
    host = urlsplit(url).netloc
    rest = url.partition(host)[2]
    yield f"https://elsewhere.example{rest}"
    yield f"https://{host}.elsewhere.example{rest}"
    yield f"https://elsewhere.example/{host}{rest}"
    yield f"https://elsewhere.example/?u={url}"
    yield f"https://{host}@elsewhere.example{rest}"
    yield f"https://{host.replace('.', '-')}.example{rest}"
    yield f"https://{host}x{rest}"
    yield f"https://x{host}{rest}"
    yield f"https://x{host.removeprefix('www.')}{rest}"
    yield f"ftp://{host}{rest}"
    yield f"javascript:alert(1)//{url}"

"""Rules about what is read out of good answers."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from ..errors import PluginFault
from ..manifest import Capability
from ..rules import Promise
from ..values import BadRow, Kind, Money, Shipping, Sighting, Status
from .rule import Rules, demand, fail

MOST = 0.5
ONLY_FOR: dict[str, Callable[[Sighting], bool]] = {
    "bids": lambda row: row.kind == Kind.AUCTION,
    "buy_now": lambda row: row.kind == Kind.AUCTION,
    "ends_at": lambda row: row.kind == Kind.AUCTION,
    "shipping_fee": lambda row: row.shipping == Shipping.BUYER_PAYS,
}
"""Fields that not every listing can have; they are looked for where they belong."""


class AboutAnswers(Rules):
    """Full, empty, and partly unreadable answers."""

    def test_a_full_answer_is_a_page_of_several_listings(self) -> None:
        """The sample shows something, and all of it can be read."""
        for sample, page in self.pages("full"):
            demand(
                len(page.sightings) >= 3,
                f"{sample.file}: a full sample has at least three listings, not {len(page.sightings)}",
            )
            demand(not page.bad_rows, f"{sample.file}: rows of the full sample cannot be read: {_first(page.bad_rows)}")

    def test_every_listing_is_as_the_contract_promises(self) -> None:
        """Types, lengths, currency, and addresses on the marketplace's own hosts."""
        promise = Promise(manifest=self.plugin.manifest)
        for sample, row in self._rows():
            try:
                kept = promise.sighting(row, external_id=row.external_id)
            except PluginFault as reason:
                fail(f"{sample}: a listing is not as the contract promises: {reason}")
            demand(kept == row, f"{sample}: the core would have to mend this listing: {row!r:.300}")

    def test_every_listing_stands_once(self) -> None:
        """Promoted copies are dropped and counted as padding."""
        for sample, page in self.pages("full"):
            ids = [row.external_id for row in page.sightings]
            twice = sorted({each for each in ids if ids.count(each) > 1})
            demand(not twice, f"{sample.file}: a listing stands twice on one page: {', '.join(map(str, twice))}")

    def test_no_price_is_zero(self) -> None:
        """Nobody sells for nothing; a price that is not known is None."""
        for sample, row in self._rows():
            zero = [name for name in ("price", "buy_now") if _amount(getattr(row, name)) == 0]
            demand(
                not zero, f"{sample}: {row.external_id} has a {' and a '.join(zero)} of 0; what is not known is None"
            )

    def test_every_time_is_aware(self) -> None:
        """A time without a zone is nine hours wrong somewhere."""
        for sample, row in self._rows():
            naive = [name for name in ("created", "updated", "ends_at") if _is_naive(getattr(row, name))]
            demand(not naive, f"{sample}: {', '.join(naive)} of {row.external_id} has no time zone")

    def test_a_search_tells_what_the_manifest_says_it_tells(self) -> None:
        """``search_tells`` is what most rows carry, where they can."""
        rows = [
            row
            for sample, page in self.pages("full")
            if sample.capability == Capability.SEARCH
            for row in page.sightings
        ]
        silent = sorted(name for name in self.plugin.manifest.search_tells if not _is_told(rows, name))
        demand(
            not rows or not silent,
            f"search_tells names what most rows of the full sample do not tell: {', '.join(silent)}",
        )

    def test_an_empty_answer_is_an_empty_page(self) -> None:
        """Nothing found is a page without rows and without a next one, not an error."""
        for sample, page in self.pages("empty"):
            empty = not page.sightings and not page.bad_rows and page.next_token is None
            demand(empty, f"{sample.file}: an empty answer is an empty page and the last one, not {page!r:.200}")

    def test_one_bad_row_does_not_cost_the_page(self) -> None:
        """What cannot be read is counted; the rest stands."""
        for outcome in self.outcomes("bad_row"):
            rows, bad = outcome.rows, getattr(outcome.found, "bad_rows", ())
            demand(
                rows and bad, f"{outcome.sample.file}: one bad row must cost itself only, as a BadRow: {outcome.words}"
            )

    def test_a_look_tells_of_the_listing_asked_for(self) -> None:
        """That one, and no other that the page shows too."""
        self.needs(Capability.LOOK)
        for outcome in self.outcomes("full", able=Capability.LOOK):
            sample, found = outcome.sample, outcome.found
            demand(isinstance(found, Sighting), f"{sample.file} must be read as a listing, and is: {outcome.words}")
            demand(
                found.external_id == sample.external_id,
                f"{sample.file}: asked for {sample.external_id}, a look told of {found.external_id}",
            )

    def test_sold_prices_are_of_things_that_were_sold(self) -> None:
        """Each row is sold and says for how much."""
        self.needs(Capability.SOLD_PRICES)
        for outcome in self.outcomes("full", able=Capability.SOLD_PRICES):
            unsold = [row.external_id for row in outcome.rows if row.status != Status.SOLD or row.price is None]
            demand(not unsold, f"{outcome.sample.file}: not sold, or no price was paid: {', '.join(map(str, unsold))}")

    def _rows(self) -> Iterable[tuple[str, Sighting]]:
        """All listings of the full samples."""
        for outcome in self.outcomes("full"):
            yield from ((outcome.sample.file, row) for row in outcome.rows if isinstance(row, Sighting))


def _first(bad: Sequence[BadRow]) -> str:
    return bad[0].reason if bad else ""


def _amount(price: Any) -> int | None:
    return price.amount if isinstance(price, Money) else None


def _is_naive(moment: Any) -> bool:
    return isinstance(moment, datetime) and moment.utcoffset() is None


def _is_told(rows: Sequence[Sighting], name: str) -> bool:
    known = {each.name for each in fields(Sighting)}
    applies = ONLY_FOR.get(name)
    where = [row for row in rows if applies is None or applies(row)]
    told = [row for row in where if name in known and _tells(getattr(row, name))]
    return bool(where) and len(told) >= MOST * len(where)


def _tells(value: Any) -> bool:
    return value is not None and value != () and str(value) != "unknown"

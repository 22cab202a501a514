"""What was usual of a question, and what therefore cannot be true of its next answer. Pure.

A single page may read well and still be wrong: a field that every row had is gone, every price is the same, the newest
listing of a busy search stays the newest. Only against the last good answer does that show.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import Any, Self

from monitor_site.contract import Condition, Kind, LayoutChanged, SearchPage, Shipping, Sighting, Status, SuspectStale
from monitor_site.contract.same import OfTheSame

ENOUGH_ROWS = 10
USUAL_SHARE = 0.8
DIFFERENT_PRICES = 3
BUSY, STILL = 20, 12
BITS = BUSY + STILL
# Judged elsewhere, or honestly missing from any row.
NOT_JUDGED = {"buy_now", "extra", "external_id", "price", "shipping_fee", "status", "title", "url"}
OF_AUCTIONS = {"bids", "ends_at"}
EMPTY = (None, "", (), Condition.UNKNOWN, Shipping.UNKNOWN, Status.UNKNOWN)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usual:
    """What the last good answer to a question was like.

    ``told`` are the fields that nearly all of its rows carried, ``varied`` whether its prices differed, ``top`` the id
    of its newest listing. ``changes`` has a ``1`` for each of the last 32 checks whose newest listing was another one
    than before, else a ``0``, the latest last. ``stale`` is kept while an unchanged top is doubted.
    """

    told: tuple[str, ...] = ()
    varied: bool = False
    top: str = ""
    changes: str = ""
    stale: bool = False

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> Self:
        """From what :meth:`stored` gave, by this version or another; whatever is missing was not known."""
        known = {spec.name: stored[spec.name] for spec in fields(cls) if spec.name in stored}
        return cls(**known | {"told": tuple(known.get("told", ()))})

    def stored(self) -> dict[str, Any]:
        """As plain JSON."""
        plain = {spec.name: getattr(self, spec.name) for spec in fields(self)}
        return plain | {"told": list(self.told)}


class StaleTop(SuspectStale):
    """An unchanged top is doubted; ``usual`` is what to remember although the check failed."""

    def __init__(self, detail: str, usual: Usual) -> None:
        super().__init__(detail)
        self.usual = usual


def compare(page: SearchPage, before: Usual, *, tells: frozenset[str]) -> Usual:
    """What is usual now, from the first page of an answer; ``tells`` are the fields that the plugin's searches tell.

    Raises :class:`LayoutChanged` when a field is gone or all prices are the same, :class:`StaleTop` when the top of a
    busy search stands still. An empty page says nothing here.
    """
    if not page.sightings:
        return before
    _refuse_gone(page.sightings, before, tells)
    _refuse_one_price(page.sightings, before)
    told, varied = _LIKE.of(page.sightings, tells, conclude=partial(_like, tells))
    now = replace(_with_top(before, page.sightings[0].external_id), told=told, varied=varied)
    if now.stale:
        kept = replace(before, changes=now.changes, stale=True)
        raise StaleTop(f"nothing new on top of a search that used to change at each of {BUSY} checks", kept)
    return now


_LIKE: OfTheSame[Sequence[Sighting], tuple[tuple[str, ...], bool]] = OfTheSame(most=256)


def _like(tells: frozenset[str], sightings: Sequence[Sighting]) -> tuple[tuple[str, ...], bool]:
    """The fields that nearly all rows carry, and whether prices differ."""
    told = tuple(name for name in sorted(tells - NOT_JUDGED) if _is_usual(sightings, name))
    return told, len({row.price.amount for row in sightings if row.price}) >= DIFFERENT_PRICES


def _refuse_gone(sightings: Sequence[Sighting], before: Usual, tells: frozenset[str]) -> None:
    told, _varied = _LIKE.of(sightings, tells, conclude=partial(_like, tells))
    for name in sorted(tells.intersection(before.told).difference(told)):
        rows = _rows(sightings, name)
        if len(rows) >= ENOUGH_ROWS and not any(_carries(row, name) for row in rows):
            raise LayoutChanged(f"{name} gone from all of {len(rows)} rows, where nearly all had it")


def _refuse_one_price(sightings: Sequence[Sighting], before: Usual) -> None:
    if not before.varied or len(sightings) < ENOUGH_ROWS:
        return
    prices = {row.price for row in sightings}
    if len(prices) == 1 and None not in prices:
        raise LayoutChanged(f"one same price in all of {len(sightings)} rows, where prices differed")


def _is_usual(sightings: Sequence[Sighting], name: str) -> bool:
    rows = _rows(sightings, name)
    return len(rows) >= ENOUGH_ROWS and sum(_carries(row, name) for row in rows) >= USUAL_SHARE * len(rows)


def _rows(sightings: Sequence[Sighting], name: str) -> Sequence[Sighting]:
    """The rows that could carry a field: only auctions have bids."""
    return [row for row in sightings if row.kind == Kind.AUCTION] if name in OF_AUCTIONS else sightings


def _carries(row: Sighting, name: str) -> bool:
    return getattr(row, name) not in EMPTY


def _with_top(before: Usual, top: str) -> Usual:
    """Whether it changed, noted. Doubt begins when a top that always changed has stood still for twelve checks.

    It ends when something new comes, or when nothing is left of the busy time: then the search is simply quiet now.
    """
    if not before.top:
        return replace(before, top=top)
    changed = top != before.top
    changes = (before.changes + ("1" if changed else "0"))[-BITS:]
    doubted = (before.stale and "1" in changes) or changes == "1" * BUSY + "0" * STILL
    return replace(before, top=top, changes=changes, stale=doubted and not changed)

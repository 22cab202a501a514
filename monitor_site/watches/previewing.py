"""What a wish would find: sightings sorted by what its rule says of them, and the same of what is known already.

Nothing here is recorded, and nobody is asked.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from statistics import median_low

from monitor_site.contract import Kind, Sighting, Status

from .matching import NO_BLOCKS, Blocks, Decision, Rule, Verdict, decide, funnel
from .matching.words import word_rules
from .models import Listing
from .portable import of_listing

LATELY = timedelta(days=7)
MOST_LISTINGS = 5000
_UNREAD = ("images", "extra", "digest", "trace", "seller_name")


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """One sighting at a marketplace, and what the rule says of it."""

    marketplace: str
    sighting: Sighting
    decision: Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What was fetched, in three groups; ``funnel`` is (rule, how many are left after it), in the rules' order."""

    matching: Sequence[Judged]
    rejected: Sequence[Judged]
    unclear: Sequence[Judged]
    funnel: Sequence[tuple[str, int]]

    @property
    def total(self) -> int:
        """How many listings were fetched."""
        return len(self.matching) + len(self.rejected) + len(self.unclear)

    @property
    def hardest(self) -> str:
        """The rule that removes most; empty when none removes anything."""
        before, worst, name = self.total, 0, ""
        for rule, left in self.funnel:
            if before - left > worst:
                worst, name = before - left, rule
            before = left
        return name


_Blocks = Mapping[str, Blocks]


def judge(rule: Rule, found: Iterable[tuple[str, Sighting]], *, blocks: _Blocks, now: datetime) -> Preview:
    """Ask the rule about (marketplace, sighting); a listing that two questions found is asked about once.

    ``blocks`` holds for each marketplace what the person wants to see in no watch.
    """
    once = {(name, sighting.external_id): (name, sighting) for name, sighting in found}
    judged = [
        Judged(marketplace=name, sighting=one, decision=_decide(rule, name, one, blocks, now))
        for name, one in once.values()
    ]
    return Preview(
        matching=[one for one in judged if one.decision.matches],
        rejected=[one for one in judged if one.decision.rejected],
        unclear=[one for one in judged if not one.decision.matches and not one.decision.rejected],
        funnel=funnel(one.decision for one in judged),
    )


def _decide(rule: Rule, marketplace: str, sighting: Sighting, blocks: _Blocks, now: datetime) -> Decision:
    mine = blocks.get(marketplace, NO_BLOCKS).about(sighting)
    blocked = replace(rule, blocked_phrases=mine.phrases, blocked_sellers=mine.sellers)
    return decide(blocked, sighting, now=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """Of ``total`` listings first seen lately ``matching`` meet the rule.

    ``price`` is the median of those with one in the rule's currency; ``cut``: there were more than anybody counts.
    """

    total: int
    matching: int
    price: int | None
    cut: bool


def known(rule: Rule, marketplaces: Sequence[str], *, blocks: _Blocks, now: datetime) -> Known:
    """What would have matched in seven days, of what any search here has shown; bounded by its newest rows.

    Each is judged as it was when it came: on sale, and as old as it was then. Rows whose words are wrong are not read.
    """
    newest = Listing.objects.filter(marketplace__in=marketplaces).order_by("-pk")
    told = newest.values_list("pk", "title", "first_seen_at")[:MOST_LISTINGS]
    lately = [(pk, title) for pk, title, first_seen_at in told if first_seen_at >= now - LATELY]
    worth = [pk for pk, title in lately if _words_may_fit(rule, title)]
    rows = Listing.objects.defer(*_UNREAD).in_bulk(worth).values()
    met = [row for row in rows if _met(rule, row, blocks)]
    prices = [row.price for row in met if row.price is not None and row.currency == rule.currency]
    return Known(
        total=len(lately),
        matching=len(met),
        price=median_low(prices) if prices else None,
        cut=len(lately) == MOST_LISTINGS,
    )


def _words_may_fit(rule: Rule, title: str) -> bool:
    """No rule about words says no to a title; what only a description can tell is open."""
    bare = Sighting(external_id="", title=title, url="", price=None, kind=Kind.FLEA, status=Status.ON_SALE)
    return all(said["verdict"] != Verdict.FAIL for said in word_rules(rule, bare))


def _met(rule: Rule, row: Listing, blocks: _Blocks) -> bool:
    return _decide(rule, row.marketplace, _as_it_came(row), blocks, row.first_seen_at).matches


def _as_it_came(row: Listing) -> Sighting:
    row.images, row.extra, row.seller_name, row.status = [], {}, "", Status.ON_SALE
    return of_listing(row)

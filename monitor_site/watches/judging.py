"""What one watch makes of one answer: matches, doubts, and doubts that are none any more."""

from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta

from monitor_site.contract import Sighting
from monitor_site.marketplaces.catalog import UnknownMarketplace, catalog

from . import doubts, follow
from .blocking import BlockBook
from .facts import amount_of, completed
from .matching import Blocks, Decision, Rule, decide
from .models import Cause, Doubt, DoubtOutcome, EventKind, Listing, Match, WatchTarget
from .nearing import came_within
from .pages import Page
from .rules import rule_of
from .sightings import Seen

# A listing may be older than the watch by the time the marketplace's search needs to show it, and some more.
INDEX_MARGIN = timedelta(minutes=2)
EDGE_MEMORY = timedelta(minutes=10)
# Listing → what happened to it, and when.
Edges = dict[int, list[tuple[str, datetime]]]
EDGES = ((EventKind.PRICE_DROP, Cause.PRICE_DROP), (EventKind.BACK, Cause.BACK), (EventKind.RELISTED, Cause.RELISTED))


@dataclass(frozen=True, slots=True, kw_only=True)
class Past:
    """What stood before: matches and open doubts by (watch, listing), what is known of the listings and what lately

    happened to them, and what people have blocked.
    """

    blocks: BlockBook
    edges: Edges = field(default_factory=dict)
    matched: set[doubts.Pair] = field(default_factory=set)
    doubted: dict[doubts.Pair, int] = field(default_factory=dict)
    listings: dict[int, Listing] = field(default_factory=dict)


@dataclass(slots=True, kw_only=True)
class Judged:
    """The judgement of a link (watch asks target) about a page. ``settled``: open doubts that the search decided."""

    link: WatchTarget
    page: Page
    past: Past
    now: datetime
    drafts: list[Match] = field(default_factory=list)
    doubtful: list[Doubt] = field(default_factory=list)
    settled: dict[DoubtOutcome, list[int]] = field(default_factory=dict)

    def judge(self, rows: dict[str, Seen]) -> None:
        """Decide every row that is worth it."""
        rule = rule_of(self.link.watch, blocks=self._blocks())
        # As Blocks.about says, without making a rule for each row.
        of_unknown = replace(rule, blocked_sellers=())
        for one in rows.values():
            row = self.past.listings.get(one.listing_id)
            sighting = one.sighting if row is None else completed(one.sighting, row)
            if self._is_worth_it(one, sighting, rule):
                self._take(one, decide(rule if sighting.seller else of_unknown, sighting, now=self.now))

    def _blocks(self) -> Blocks:
        return self.past.blocks.of(self.link.watch.user_id, self.page.target.marketplace)

    def _is_worth_it(self, one: Seen, sighting: Sighting, rule: Rule) -> bool:
        """No match yet; and it changed, or time has brought it nearer, or everything is looked at."""
        if one.doubted or (self.link.watch_id, one.listing_id) in self.past.matched:
            return False
        since = self.page.target.succeeded_at
        nearer = came_within(sighting.ends_at, rule.ends_within, since=since, now=self.now)
        return nearer or self.link.baselined_at is None or one.sighting.external_id in self.page.changed

    def _take(self, one: Seen, decision: Decision) -> None:
        open_doubt = self.past.doubted.get((self.link.watch_id, one.listing_id))
        if decision.matches:
            self.drafts.append(self._draft(one, decision))
        elif open_doubt is None and decision.needs_a_look:
            self._doubt(one, decision)
        if open_doubt is not None and not decision.needs_a_look:
            self.settled.setdefault(doubts.outcome_of(decision), []).append(open_doubt)

    def _doubt(self, one: Seen, decision: Decision) -> None:
        """Only about what would be told, so a silent baseline asks nothing."""
        cause = _cause(self.link, self.page, one, self.past.edges)
        told = cause != Cause.EXISTING or not self.link.quiet
        if told and follow.can_look(self.page.target.marketplace):
            pair = (self.link.watch_id, one.listing_id)
            self.doubtful.append(doubts.doubt_of(pair, cause=cause, decision=decision, now=self.now))

    def _draft(self, one: Seen, decision: Decision) -> Match:
        cause = _cause(self.link, self.page, one, self.past.edges)
        return Match(
            user_id=self.link.watch.user_id,
            watch=self.link.watch,
            listing_id=one.listing_id,
            cause=cause,
            silent=cause == Cause.EXISTING and self.link.quiet,
            price=amount_of(one.sighting.price),
            decision=list(decision.rules),
            trace=self.page.result.trace,
            matched_at=self.now,
        )


def _cause(link: WatchTarget, page: Page, one: Seen, edges: Edges) -> Cause:
    """New is: not shown before, and created since the watch began. A bumped old listing is not new."""
    if link.baselined_at is None:
        return Cause.LISTED if _created_after(link.began_at, one) else Cause.EXISTING
    edge = _edge(one, edges, since=page.result.started_at - EDGE_MEMORY)
    if edge is not None:
        return edge
    if page.shown_before(one.sighting.external_id):
        return Cause.CHANGED
    grace = _index_lag(page.target.marketplace) + INDEX_MARGIN
    return Cause.LISTED if _created_after(link.began_at - grace, one, unknown=one.fresh) else Cause.EXISTING


def _created_after(moment: datetime, one: Seen, *, unknown: bool = False) -> bool:
    created = one.sighting.created
    return unknown if created is None else created >= moment


def _edge(one: Seen, edges: Edges, *, since: datetime) -> Cause | None:
    """The edge that made it match, of this check or of another's a moment ago."""
    kinds = set(one.events)
    if not one.fresh and not kinds:
        kinds = {kind for kind, at in edges.get(one.listing_id, ()) if at >= since}
    for kind, cause in EDGES:
        if kind in kinds:
            return cause
    return None


def _index_lag(marketplace: str) -> timedelta:
    try:
        return timedelta(seconds=catalog().get(marketplace).manifest.index_lag)
    except UnknownMarketplace:
        return timedelta()

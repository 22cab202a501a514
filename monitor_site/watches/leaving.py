"""Auctions that have left a search's answer, pushed off its page by newer ones, and whose end has come near since.

Time alone makes them fit, and what is known of them is old. One look decides where the marketplace can be looked at;
elsewhere what is known does. In the recording transaction.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from monitor_site.contract import Sighting, Status

from . import doubts, follow
from .blocking import BlockBook
from .joining import Joined, save
from .matching import Decision, Rule, decide
from .models import Cause, Listing, Match, Watch
from .nearing import came_within
from .pages import Page
from .portable import of_listing
from .rules import rule_of

# What a look is asked for: whether it is still to be had, and for how much.
ASKED = ("status",)
# A watch, a page that shows the listing no more, and the listing.
Left = tuple[Watch, Page, Listing]


def decide_left(pages: Sequence[Page], links: Sequence[Any], joined: Joined, *, now: datetime) -> None:
    """Doubt what may fit, and match it where nobody can look. A link comes with the ``minutes`` its watch asks for.

    The same few questions to the database, however many auctions have left.
    """
    left = list(_unmatched(list(_near(pages, links, now=now))))
    if not left:
        return
    book = BlockBook({watch.user_id for watch, _page, _row in left})
    pairs, drafts = [], []
    for watch, page, row in left:
        blocks = book.of(watch.user_id, row.marketplace).about(sighting := of_listing(row))
        rule = rule_of(watch, blocks=blocks)
        if follow.can_look(row.marketplace):
            pairs += [] if decide(rule, as_it_may_be(sighting, rule), now=now).rejected else [(watch.pk, row.pk)]
        elif (decision := decide(rule, sighting, now=now)).matches:
            drafts.append(_draft(watch, page, row, decision, now))
    doubts.raise_at_once(pairs, rules=ASKED, cause=Cause.CHANGED, now=now)
    save(drafts, joined)


def as_it_may_be(sighting: Sighting, rule: Rule) -> Sighting:
    """What is known of an auction, less what may be otherwise by now: a bid only rises, nothing else is certain."""
    price, bids = sighting.price, sighting.bids
    too_dear = price is not None and rule.price_max is not None and price.amount > rule.price_max
    too_many = bids is not None and rule.bids_max is not None and bids > rule.bids_max
    return replace(sighting, status=Status.UNKNOWN, price=price if too_dear else None, bids=bids if too_many else None)


def _near(pages: Sequence[Page], links: Sequence[Any], *, now: datetime) -> Iterator[Left]:
    """What came near for the very watches that wait for it; a silent baseline waits for nothing."""
    by_target = {page.target.pk: page for page in pages if page.left}
    asking = [link for link in links if link.target_id in by_target and link.minutes is not None and link.baselined_at]
    watches = Watch.objects.in_bulk([link.watch_id for link in asking]) if asking else {}
    for link in (link for link in asking if link.watch_id in watches):
        page, window = by_target[link.target_id], timedelta(minutes=link.minutes)
        for row in page.left:
            if came_within(row.ends_at, window, since=page.target.succeeded_at, now=now):
                yield watches[link.watch_id], page, row


def _unmatched(left: Sequence[Left]) -> Iterator[Left]:
    if not left:
        return
    watches, listings = {watch.pk for watch, _page, _row in left}, {row.pk for _watch, _page, row in left}
    pairs = Match.objects.filter(watch_id__in=watches, listing_id__in=listings)
    matched = set(pairs.values_list("watch_id", "listing_id"))
    yield from (one for one in left if (one[0].pk, one[2].pk) not in matched)


def _draft(watch: Watch, page: Page, row: Listing, decision: Decision, now: datetime) -> Match:
    return Match(
        user_id=watch.user_id,
        watch=watch,
        listing=row,
        cause=Cause.CHANGED,
        price=row.price,
        decision=list(decision.rules),
        trace=page.result.trace,
        matched_at=now,
    )

"""A look answers the open doubts about its listing, of every watch. In the recording transaction."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from .blocking import BlockBook
from .doubts import decide_doubts, outcome_of
from .facts import amount_of, completed
from .joining import Joined, save
from .matching import Decision, decide
from .models import Doubt, DoubtOutcome, Listing, Match
from .results import Result
from .rules import rule_of
from .sightings import Seen


def answer(looks: Sequence[Result], seen: Mapping[str, Mapping[str, Seen]], joined: Joined, *, now: datetime) -> None:
    """Decide what these good looks were asked for; what they do not tell either stays unclear."""
    told = {one.listing_id: (one, look) for look in looks for one in seen.get(look.trace, {}).values()}
    doubts = _open_about(told)
    if not doubts:
        return
    listings = Listing.objects.in_bulk({doubt.listing_id for doubt in doubts})
    book = BlockBook({doubt.watch.user_id for doubt in doubts})
    drafts, ended = [], dict[DoubtOutcome, list[int]]()
    for doubt in doubts:
        one, look = told[doubt.listing_id]
        listing = listings[doubt.listing_id]
        sighting = completed(one.sighting, listing)
        blocks = book.of(doubt.watch.user_id, listing.marketplace).about(sighting)
        decision = decide(rule_of(doubt.watch, blocks=blocks), sighting, now=now)
        ended.setdefault(outcome_of(decision), []).append(doubt.pk)
        if decision.matches:
            drafts.append(_draft(doubt, one, decision, look, now))
    for outcome, ids in ended.items():
        decide_doubts(ids, outcome, now=now)
    save(drafts, joined)


def _open_about(listings: Mapping[int, object]) -> list[Doubt]:
    """The open doubts about these listings, held: before their matches are made, as a deletion comes to them first."""
    if not listings:
        return []
    rows = Doubt.objects.still_open().filter(listing_id__in=listings, watch__paused_at=None)
    return list(rows.select_related("watch").order_by("pk").select_for_update(of=("self",), no_key=True))


def _draft(doubt: Doubt, one: Seen, decision: Decision, look: Result, now: datetime) -> Match:
    return Match(
        user_id=doubt.watch.user_id,
        watch=doubt.watch,
        listing_id=one.listing_id,
        cause=doubt.cause,
        price=amount_of(one.sighting.price),
        decision=list(decision.rules),
        trace=look.trace,
        matched_at=now,
    )

"""What a search leaves open is decided after one look.

A doubt is raised in the recording of a search, waits until its watch has room, is asked (its listing becomes a target
of kind listing), and decided in the recording of the look. One look answers for all watches.
"""

from collections.abc import Collection, Iterable, Sequence
from datetime import datetime, timedelta

from django.db import connection
from django.db.models.functions import Coalesce

from monitor_site.outbox import services as outbox

from .matching import Decision
from .models import Doubt, DoubtOutcome, Watch

ASK = "doubt"
# What one watch may have looked at at once; looks give way to searches, so more would only wait elsewhere.
MOST_ASKED = 20
# What was asked longer ago and has no answer yet takes no room: its looks fail and come ever later.
ROOM_TAKEN = timedelta(hours=1)
# A listing that stays unclear and goes on changing, such as an auction with bids, is not looked at for every change.
REST = timedelta(hours=6)

Pair = tuple[int, int]


def _known(pairs: Collection[Pair]) -> dict[Pair, Doubt]:
    """The doubts that there are already of these (watch, listing)."""
    watches, listings = {pair[0] for pair in pairs}, {pair[1] for pair in pairs}
    rows = Doubt.objects.filter(watch_id__in=watches, listing_id__in=listings)
    return {(row.watch_id, row.listing_id): row for row in rows}


def raise_doubts(doubts: Sequence[Doubt], *, now: datetime) -> None:
    """Note what is open; what was decided before and has changed since is open again, after a rest."""
    if not doubts:
        return
    again = _known([(doubt.watch_id, doubt.listing_id) for doubt in doubts])
    new = [doubt for doubt in doubts if (doubt.watch_id, doubt.listing_id) not in again]
    new.sort(key=lambda doubt: (doubt.listing_id, doubt.watch_id))
    Doubt.objects.bulk_create(new, ignore_conflicts=True, batch_size=200)
    for doubt in doubts:
        old = again.get((doubt.watch_id, doubt.listing_id))
        if old is not None and old.decided_at is not None:
            _reopen(old, doubt, now)


def _reopen(old: Doubt, doubt: Doubt, now: datetime) -> None:
    last = old.asked_at
    Doubt.objects.filter(pk=old.pk).exclude(outcome=DoubtOutcome.OPEN).update(
        outcome=DoubtOutcome.OPEN,
        open_rules=doubt.open_rules,
        cause=doubt.cause,
        raised_at=now,
        due_at=now if last is None else max(now, last + REST),
        asked_at=None,
        decided_at=None,
    )


def raise_at_once(pairs: Iterable[Pair], *, rules: Sequence[str], cause: str, now: datetime) -> None:
    """Note that these are open, and open again without a rest what was decided: later it would be too late."""
    wanted = sorted(set(pairs), key=lambda pair: (pair[1], pair[0]))
    if not wanted:
        return
    facts = {"open_rules": list(rules), "cause": cause, "raised_at": now, "due_at": now}
    again = _known(wanted)
    new = [Doubt(watch_id=watch, listing_id=listing, **facts) for watch, listing in wanted]
    Doubt.objects.bulk_create(
        [one for one in new if (one.watch_id, one.listing_id) not in again], ignore_conflicts=True
    )
    decided = [again[pair].pk for pair in wanted if pair in again]
    closed = Doubt.objects.filter(pk__in=decided).exclude(outcome=DoubtOutcome.OPEN)
    closed.update(**facts, outcome=DoubtOutcome.OPEN, asked_at=None, decided_at=None)


def doubt_of(pair: Pair, *, cause: str, decision: Decision, now: datetime) -> Doubt:
    """A doubt that is not saved yet."""
    watch_id, listing_id = pair
    rules = list(decision.open_rules)
    return Doubt(watch_id=watch_id, listing_id=listing_id, open_rules=rules, cause=cause, raised_at=now, due_at=now)


def open_doubts(watch: Watch) -> int:
    """How many listings wait for a look, asked for or not yet."""
    return Doubt.objects.still_open().filter(watch=watch).count()


def unclear_doubts(watch: Watch) -> int:
    """How many a look has left unclear."""
    return Doubt.objects.filter(watch=watch, outcome=DoubtOutcome.UNCLEAR).count()


def outcome_of(decision: Decision) -> DoubtOutcome:
    """How a doubt ends when all is told that will be."""
    if decision.matches:
        return DoubtOutcome.MATCHED
    return DoubtOutcome.REJECTED if decision.rejected else DoubtOutcome.UNCLEAR


def decide_doubts(ids: Iterable[int], outcome: DoubtOutcome, *, now: datetime) -> None:
    """These doubts are no more open."""
    wanted = sorted(ids)
    if wanted:
        Doubt.objects.still_open().filter(pk__in=wanted).update(outcome=outcome, decided_at=now)


def close_gone(listing_ids: Collection[int | None], *, now: datetime) -> None:
    """These listings are gone: there is nothing to decide."""
    if listing_ids:
        gone = Doubt.objects.still_open().filter(listing_id__in=listing_ids)
        gone.update(outcome=DoubtOutcome.GONE, decided_at=now)


def ask_waiting(watch_ids: Collection[int], *, now: datetime) -> None:
    """Have the newest waiting doubts of these watches looked at, as far as each has room. The last step of a recording:

    rows that somebody else holds are left to the next one.
    """
    waiting = Doubt.objects.waiting().filter(watch_id__in=watch_ids, due_at__lte=now)
    asked: list[int] = []
    for watch_id in sorted(set(waiting.order_by().values_list("watch_id", flat=True))):
        asked += _ask(watch_id, now)
    outbox.write(topic=ASK, object_ids=asked, now=now)


def _ask(watch_id: int, now: datetime) -> list[int]:
    """The listings of those that are asked now."""
    doubts = Doubt.objects.filter(watch_id=watch_id)
    room = MOST_ASKED - doubts.asked().filter(asked_at__gt=now - ROOM_TAKEN).count()
    waiting = (
        doubts.waiting()
        .filter(due_at__lte=now)
        .order_by(Coalesce("listing__listed_at", "listing__first_seen_at").desc(), "-listing_id")
    )
    if connection.features.has_select_for_update_skip_locked:
        waiting = waiting.select_for_update(skip_locked=True, of=("self",), no_key=True)
    chosen = list(waiting[: max(0, room)].values_list("pk", "listing_id"))
    doubts.filter(pk__in=[pk for pk, _listing in chosen]).update(asked_at=now)
    return [listing_id for _pk, listing_id in chosen]

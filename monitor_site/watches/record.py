"""Record what checks found: one transaction for a flush of results.

The fence comes first: a result counts only if no newer one was recorded for its target. Everything else follows in
the same transaction, the outbox rows that tell of matches included.
"""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import F

from monitor_site.contract import NoPace, SuspectEmpty

from . import changes, crossing, doubts, gathering, looking, sold, strangers
from .answering import answer
from .beat import missed_beats, phase_ms
from .joining import Joined, join, tell
from .lapses import lapse_of
from .leaving import decide_left
from .models import Check, Outcome, Target, TargetKind, WatchTarget
from .nearing import due_rows, left_rows
from .pages import Page
from .questions import lock
from .results import LONGEST_REST, Recorded, Result, Standing, asked_rest
from .rows import insert_all, update_each
from .sightings import Seen, touch, upsert
from .wished_times import next_due

LONGEST_DELAY_MS = round(LONGEST_REST.total_seconds() * 1000)
# What is no search keeps its time, which has passed, when its result does not count: without a rest it would be asked
# on and on.
UNCOUNTED_DELAY_MS = 60 * 1000
# How coarse "last seen" of a listing is: one update per target and so many seconds, not one per row and check.
SEEN_SECONDS = 300
CHECKS_REMEMBERED = 5
# Seconds after which a question that waits counts as overdue by its whole deadline, however rarely it is asked.
LONGEST_DEADLINE = 300
# What a column holds: later than three weeks is simply very late.
MOST_MS = 2**31 - 1


@transaction.atomic
def record(results: Sequence[Result], *, now: datetime) -> Recorded:
    """Write the results; at most one per target. Returns what the schedule and the lanes need to know."""
    results = sorted(results, key=lambda result: result.target_id)
    targets = lock(result.target_id for result in results)
    results = [strangers.counted(targets.get(result.target_id), result) for result in results]
    recorded = Recorded()
    accepted = _accepted(results, targets, recorded)
    joined = _found(accepted, targets, now)
    insert_all(Check, [_check(r, targets[r.target_id], joined) for r in accepted])
    recorded.matches = joined.announced
    recorded.lapses = [lapse for r in accepted if (lapse := lapse_of(targets[r.target_id], r))]
    recorded.standings = [_standing(r, targets.get(r.target_id), recorded.stale) for r in results]
    return recorded


class NotHeld(Exception):
    """A row that we hold was changed by somebody else: nothing of this recording may stay."""


def _accepted(results: Sequence[Result], targets: dict[int, Target], recorded: Recorded) -> list[Result]:
    """The results that count. The rows are held: what they say of their fence is so until the transaction ends."""
    known = [result for result in results if result.target_id in targets]
    accepted = [result for result in known if targets[result.target_id].fence < result.fence]
    recorded.stale.update({result.target_id for result in known} - {result.target_id for result in accepted})
    told = {result.target_id: _accept(targets[result.target_id], result, recorded) for result in accepted}
    if update_each(Target, told, below="fence") != len(told):
        raise NotHeld
    return accepted


def _accept(target: Target, result: Result, recorded: Recorded) -> dict[str, Any]:
    """What the row is told; it is still as before but for what the rest of the recording must know."""
    told = _after_failure(target, result) if result.failed else _after_success(target, result)
    if result.usual not in (None, target.usual):
        told["usual"] = result.usual
    told |= _afterwards(target, result) | _answered(target, result)
    if bool(target.failures) != bool(told["failures"]):
        recorded.health_changed.add(target.pk)
    for name in ("failures", "empty_streak", "due_at"):
        setattr(target, name, told.get(name, getattr(target, name)))
    return told | {"fence": result.fence, "checked_at": result.finished_at}


def _answered(target: Target, result: Result) -> dict[str, Any]:
    """A search's answer, kept for the next comparison."""
    if result.failed or not target.is_search:
        return {}
    return {} if result.shown == target.recent else {"recent": result.shown}


def _afterwards(target: Target, result: Result) -> dict[str, Any]:
    """What one check costs, and when a question with times of its own is due again."""
    told: dict[str, Any] = {"spent": [*target.spent, [_duration_ms(result), max(1, result.pages)]][-CHECKS_REMEMBERED:]}
    if target.is_search and target.times:
        after = max(result.due_ms, round(result.finished_at.timestamp() * 1000))
        told["due_at"] = next_due(target, after_ms=after, served_ms=result.due_ms)
    return told


def _after_failure(target: Target, result: Result) -> dict[str, Any]:
    """Our own shortage of pace is no failure of the target: it neither counts nor delays the next beat."""
    suspect = result.error == SuspectEmpty.code or looking.says_gone_again(target, result)
    streak = target.empty_streak + 1 if suspect else target.empty_streak
    failures = target.failures if result.error == NoPace.code else target.failures + 1
    return {"failures": failures, "last_error": result.error, "empty_streak": streak}


def _after_success(target: Target, result: Result) -> dict[str, Any]:
    told = {"failures": 0, "last_error": "", "empty_streak": 0, "succeeded_at": result.finished_at}
    return told | {"strange_streak": strangers.streak_after(target, result)}


def _found(results: Sequence[Result], targets: dict[int, Target], now: datetime) -> Joined:
    """What searches, looks and questions for sales brought, and what follows from it."""
    searches, looks, sales = (_of_kind(results, targets, kind) for kind in TargetKind)
    pages, links = _pages(_good(searches), targets, now)
    closer = [looking.look_of(targets[r.target_id], r) for r in looks]
    seen = upsert([*(page.look for page in pages if page.look.sightings), *closer], now=now)
    for page in pages:
        _remember(page, seen.get(page.result.trace, {}))
    joined = join(
        pages=[page for page in pages if page.changed or page.due or page.whole], links=links, seen=seen, now=now
    )
    decide_left(pages, links, joined, now=now)
    looking.adopt(_good(looks), targets, seen)
    answer(_good(looks), seen, joined, now=now)
    crossing.cross(_good(looks), targets, seen, joined, now=now)
    tell(joined, now=now)
    gathering.note_found(pages, seen, now=now)
    _note_gifts(pages, joined, now)
    joined.new.update(gathering.gather(_good(sales), targets, now=now))
    sold.conclude(sales, targets, now=now)
    changes.tell(seen=seen, removed=looking.conclude(looks, targets, now=now), now=now)
    _touch(pages, now)
    doubts.ask_waiting({link.watch_id for link in links}, now=now)
    return joined


def _of_kind(results: Sequence[Result], targets: dict[int, Target], kind: TargetKind) -> list[Result]:
    return [result for result in results if targets[result.target_id].kind == kind]


def _good(results: Sequence[Result]) -> list[Result]:
    return [result for result in results if not result.failed]


def _pages(
    results: Sequence[Result], targets: dict[int, Target], now: datetime
) -> tuple[list[Page], list[WatchTarget]]:
    """Only rows that changed or came near their end, or all where some watch waits for its baseline, are looked at."""
    asking = WatchTarget.objects.filter(target_id__in=[r.target_id for r in results], watch__paused_at=None)
    links: list[Any] = list(asking.annotate(minutes=F("watch__ends_within_minutes")))
    waiting = {link.target_id for link in links if link.baselined_at is None}
    windows: dict[int, set[timedelta]] = {link.target_id: set() for link in links}
    for link in (link for link in links if link.minutes is not None):
        windows[link.target_id].add(timedelta(minutes=link.minutes))
    return [_page(targets[r.target_id], r, r.target_id in waiting, windows, now) for r in results], links


def _page(target: Target, result: Result, whole: bool, windows: dict[int, set[timedelta]], now: datetime) -> Page:
    wished = windows.get(target.pk, ())
    due, left = due_rows(target, result, wished, now=now), left_rows(target, result, wished, now=now)
    return Page(target=target, result=result, before=target.recent, whole=whole, due=due, left=left)


def _remember(page: Page, seen: dict[str, Seen]) -> None:
    """What is doubted counts as changed until it is believed."""
    if doubted := {name: "" for name, one in seen.items() if one.doubted}:
        Target.objects.filter(pk=page.target.pk).update(recent=page.recent | doubted)


def _note_gifts(pages: Sequence[Page], joined: Joined, now: datetime) -> None:
    """Of questions whose interval follows what they bring: when something new came, and how often it does."""
    for page in pages:
        target = page.target
        if target.wanted_fastest is None or page.whole or not joined.new.get(page.result.trace):
            continue
        gap = round((now - target.gave_at).total_seconds()) if target.gave_at else None
        usual = gap if gap is None or target.gives_every is None else round(0.7 * target.gives_every + 0.3 * gap)
        Target.objects.filter(pk=target.pk).update(gave_at=now, gives_every=usual)


def _touch(pages: Sequence[Page], now: datetime) -> None:
    for page in pages:
        if _slot(now) != _slot(page.target.succeeded_at):
            touch(marketplace=page.target.marketplace, external_ids=page.recent, now=now)


def _slot(moment: datetime | None) -> int:
    return int(moment.timestamp()) // SEEN_SECONDS if moment else -1


def _check(result: Result, target: Target, joined: Joined) -> dict[str, Any]:
    return {
        "target_id": target.pk,
        "trace": result.trace,
        "worker": result.worker,
        "outcome": _outcome(result),
        "error": result.error,
        "due_at": datetime.fromtimestamp(result.due_ms / 1000, tz=UTC),
        "started_at": result.started_at,
        "finished_at": result.finished_at,
        "lateness_ms": max(-MOST_MS, min(result.lateness_ms, MOST_MS)),
        "duration_ms": _duration_ms(result),
        "missed_beats": _missed(result, target),
        "fetched": len(result.sightings),
        "new": joined.new.get(result.trace, 0),
        "matched": joined.matched.get(result.trace, 0),
        "worded": result.worded,
        "bad_rows": result.bad_rows,
        "pages": result.pages,
        "bytes": result.bytes,
        "gap": result.gap,
    }


def _outcome(result: Result) -> str:
    if result.failed:
        return Outcome.FAILED
    return Outcome.OK if result.sightings else Outcome.EMPTY


def _duration_ms(result: Result) -> int:
    return min(MOST_MS, max(0, round((result.finished_at - result.started_at).total_seconds() * 1000)))


def _missed(result: Result, target: Target) -> int:
    """What is no search has no beats to miss, only a time; neither has a search with times of its own."""
    if not target.is_search or target.times:
        return 0
    missed = missed_beats(
        phase=phase_ms(target.key, target.every_seconds),
        interval_seconds=target.every_seconds,
        due_ms=result.due_ms,
        finished_ms=round(result.finished_at.timestamp() * 1000),
    )
    return min(missed, MOST_MS)


def _standing(result: Result, target: Target | None, stale: Collection[int]) -> Standing:
    """A target that is gone is inactive; one that failed comes back later, twice as late each time."""
    if target is None:
        return Standing(target_id=result.target_id, key="0" * 64, active=False, interval_seconds=1)
    if target.due_at is not None and target.pk in stale:
        return standing_of(target, delay_ms=UNCOUNTED_DELAY_MS)
    if not target.is_search:
        return standing_of(target, delay_ms=0)
    counts = result.failed and result.error != NoPace.code
    return standing_of(target, delay_ms=max(_delay_ms(target), _asked_ms(result)) if counts else 0)


def standing_of(target: Target, *, delay_ms: int) -> Standing:
    """What the schedule must know of a target, from its row."""
    return Standing(
        target_id=target.pk,
        key=target.key,
        active=target.active,
        interval_seconds=target.every_seconds,
        rank=rank_of(target),
        delay_ms=delay_ms,
        due_ms=due_ms_of(target),
    )


def rank_of(target: Target) -> str:
    """What decides its turn where not everything can run at once: importance, deadline in ms, ms a check takes."""
    cost = sum(ms for ms, _pages in target.spent) // max(1, len(target.spent))
    return f"{target.ranks}|{min(target.every_seconds, LONGEST_DEADLINE) * 1000}|{cost}"


def due_ms_of(target: Target) -> int | None:
    """The exact time of what is no search, in epoch milliseconds; ``None`` for what beats on a grid."""
    return None if target.due_at is None else round(target.due_at.timestamp() * 1000)


def _asked_ms(result: Result) -> int:
    return round(asked_rest(result).total_seconds() * 1000)


def _delay_ms(target: Target) -> int:
    doublings = min(max(target.failures - 1, 0), 10)
    delay: int = target.every_seconds * 1000 * (2**doublings - 1)
    return min(delay, LONGEST_DELAY_MS)

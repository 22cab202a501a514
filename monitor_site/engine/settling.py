"""Bring the schedule in line with the database: after an edit, after Redis was lost, and once a minute to be sure."""

from collections.abc import Sequence

from monitor_site.watches.beat import next_beat, phase_ms
from monitor_site.watches.models import Target, WatchTarget
from monitor_site.watches.record import LONGEST_DELAY_MS, due_ms_of, rank_of

from .members import member, member_of
from .schedule import UPKEEP, Schedule

NOW = 0
PACED = ("interval_seconds", "planned_seconds", "due_at", "importance", "spent")


def settle(schedule: Schedule, *, target_ids: Sequence[int]) -> None:
    """Targets that were made, changed or given up. One that somebody waits for to begin is due at once."""
    now = schedule.now_ms()
    rows = list(Target.objects.filter(pk__in=target_ids))
    waiting = set(
        WatchTarget.objects.filter(target__in=rows, baselined_at=None, watch__paused_at=None).values_list(
            "target_id", flat=True
        )
    )
    for marketplace in sorted({row.marketplace for row in rows}):
        schedule.rank(marketplace, {member(row): rank_of(row) for row in rows if row.marketplace == marketplace})
        moves = [_move(row, now, hurry=row.pk in waiting) for row in rows if row.marketplace == marketplace]
        schedule.put(marketplace=marketplace, moves=moves)


def _move(target: Target, now: int, *, hurry: bool) -> tuple[str, str, int]:
    name = member(target)
    if not target.active:
        return name, "remove", NOW
    if hurry and not target.failures:
        return name, "sooner", NOW
    return name, "at", beat_after(target, now)


def beat_after(target: Target, now_ms: int) -> int:
    """The next beat of a target's grid; of what is no search its time, which may have passed."""
    if (due_ms := due_ms_of(target)) is not None:
        return due_ms
    seconds = target.every_seconds
    return next_beat(phase=phase_ms(target.key, seconds), interval_seconds=seconds, after_ms=now_ms)


def draw_near(schedule: Schedule, *, target_ids: Sequence[int]) -> None:
    """Targets that are asked more often than before: due at the next beat of the new grid, if that is sooner.

    What is asked less often keeps the time it has, so that nothing is put off again and again; what backs off after a
    failure goes on doing so.
    """
    now = schedule.now_ms()
    moves: dict[str, list[tuple[str, str, int]]] = {}
    for row in Target.objects.filter(pk__in=target_ids, active=True, failures=0).only(
        "marketplace", "kind", "key", *PACED
    ):
        moves.setdefault(row.marketplace, []).append((member(row), "bound", beat_after(row, now)))
    for marketplace, own in moves.items():
        schedule.put(marketplace=marketplace, moves=own)


def hurry(schedule: Schedule, *, target_ids: Sequence[int]) -> None:
    """Check these now: the pace still holds."""
    for row in Target.objects.filter(pk__in=target_ids, active=True).only("marketplace", "kind"):
        schedule.put(marketplace=row.marketplace, moves=[(member(row), "sooner", NOW)])


def rebuild(schedule: Schedule) -> int:
    """Put every active target that is missing back, a search on its grid, spread by phase, others at their own time.

    Returns how many were missing.
    Adding only what is absent may be done by two at once. What lies further ahead than any beat or back-off can
    (an edit that came at a bad moment, a server clock that was set back) is pulled in.
    """
    now = schedule.now_ms()
    added = 0
    wanted: dict[str, list[tuple[str, str, int]]] = {}
    ranks: dict[str, dict[str, str]] = {}
    rows = Target.objects.filter(active=True).only("marketplace", "kind", "key", *PACED)
    for row in rows.iterator():
        ranks.setdefault(row.marketplace, {})[member(row)] = rank_of(row)
        moves = wanted.setdefault(row.marketplace, [])
        moves += [(member(row), "new", beat_after(row, now)), (member(row), "bound", _latest(row, now))]
    for marketplace, moves in wanted.items():
        added += schedule.put(marketplace=marketplace, moves=moves)
        schedule.rank(marketplace, ranks[marketplace])
    schedule.mark_built()
    return added


def _latest(target: Target, now: int) -> int:
    return due_ms_of(target) or now + target.every_seconds * 1000 + LONGEST_DELAY_MS


def prune(schedule: Schedule) -> int:
    """Take out what no active target stands for any more; returns how many."""
    removed = 0
    for marketplace in schedule.marketplaces() - {UPKEEP}:
        # First the schedule, then the database: a target made in between is in neither or in both.
        members = schedule.members(marketplace)
        active = Target.objects.filter(marketplace=marketplace, active=True).values_list("pk", "kind")
        strays = sorted(members - {member_of(pk, kind) for pk, kind in active})
        removed += schedule.put(marketplace=marketplace, moves=[(name, "remove", NOW) for name in strays])
    return removed

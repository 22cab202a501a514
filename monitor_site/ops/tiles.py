"""Lanes, planned load, rate budgets and housekeeping in words, for the operations page."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from django.utils.safestring import SafeString
from django.utils.translation import gettext, pgettext

from monitor_site import wording
from monitor_site.engine.nightly import GRAPH
from monitor_site.engine.upkeep import TASKS
from monitor_site.outbox.services import routes
from monitor_site.watches.plan import RESERVE
from monitor_site.web.watch_words import marketplace_title

from . import ahead, drawing
from .clockwork import Market
from .figures import Running
from .lanes import Lane
from .stored import Starved, Stored
from .work import flow

MOST_KINDS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class LaneLine:
    """A lane with what came and went a minute, until when nothing waits, how many facts of its jobs are dead."""

    lane: Lane
    came: str
    went: str
    drains: str
    dead: int


@dataclass(frozen=True, slots=True, kw_only=True)
class KindLine:
    """One kind of job in the last minutes: how many ended, which share failed, how long one took."""

    lane: str
    job: str
    ended: int
    failed: int
    mean: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadLine:
    """What is planned at a marketplace for the next ten minutes, and how its pace is shared out."""

    market: Market
    drawing: SafeString
    peak: str
    most: str
    over: bool
    searches: str
    reserve: str
    refill: str
    starved: Sequence[Starved]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskLine:
    """One housekeeping task: how often, how it went last. ``failed`` counts failures in a row."""

    name: str
    every: str
    after: str
    at: datetime | None
    took_ms: int | None
    well_at: datetime | None
    failed: int
    error: str


def lane_lines(now: Running, kept: Stored | None) -> list[LaneLine]:
    """Every lane."""
    return [_lane(now, kept, lane) for lane in now.lanes]


def _lane(now: Running, kept: Stored | None, lane: Lane) -> LaneLine:
    moves, dead = flow(now.work, lane.name, waiting=lane.waiting), kept.dead if kept else {}
    return LaneLine(
        lane=lane,
        came=f"{moves.came:,.1f}" if moves else "—",
        went=f"{moves.went:,.1f}" if moves else "—",
        drains=_drains(lane.waiting, moves.drain_seconds if moves else None),
        dead=sum(n for topic, n in dead.items() if topic in routes() and routes()[topic].lane == lane.name),
    )


def _drains(waiting: int, seconds: float | None) -> str:
    if not waiting:
        return "—"
    return gettext("not in sight") if seconds is None else wording.duration(seconds)


def kind_lines(now: Running) -> list[KindLine]:
    """The most frequent jobs of the last minutes."""
    return [
        KindLine(lane=lane, job=job, ended=ended, failed=failed, mean=wording.milliseconds(round(mean)))
        for lane, job, ended, failed, mean in now.work.kinds()[:MOST_KINDS]
    ]


def load_lines(now: Running, kept: Stored) -> list[LoadLine]:
    """Every marketplace that is asked."""
    return [_load(now, kept, one) for one in now.markets]


def _load(now: Running, kept: Stored, one: Market) -> LoadLine:
    rates = ahead.a_second(now.firsts.get(one.name, []), kept.beats.get(one.name, []))
    most, peak = one.pace.per_minute / 60, max(rates, default=0.0)
    label = gettext("Checks planned at %(marketplace)s for the next ten minutes")
    return LoadLine(
        market=one,
        drawing=drawing.plan(rates, most=most, label=label % {"marketplace": marketplace_title(one.name)}),
        peak=f"{peak:,.2f}",
        most=f"{most:,.2f}",
        over=peak > most,
        searches=_searches(now, one),
        reserve=f"{one.pace.per_minute * RESERVE:,.1f}",
        refill=_refill(one),
        starved=[person for person in kept.starved if person.marketplace == one.name],
    )


def _searches(now: Running, one: Market) -> str:
    """What the plan gives to searches a minute, of what they wish."""
    stands = now.plans.get(one.name)
    return f"{min(stands.wished, stands.pace):,.1f} / {stands.wished:,.1f}" if stands else "—"


def _refill(one: Market) -> str:
    """When the next request may go out."""
    missing = 1 - one.tokens
    if missing <= 0:
        return pgettext("the next request", "now")
    return wording.milliseconds(round(missing * 60_000 / one.pace.per_minute))


def task_lines(now: Running) -> list[TaskLine]:
    """Every task, those that fail first."""
    return sorted((_task(now, name) for name in TASKS), key=lambda line: (not line.failed, line.name))


def _task(now: Running, name: str) -> TaskLine:
    state = now.tasks.get(name)
    return TaskLine(
        name=name,
        every=gettext("once a night") if name in GRAPH else wording.duration(TASKS[name].every_seconds),
        after=", ".join(sorted(GRAPH.get(name, ()))),
        at=_moment(state.at) if state else None,
        took_ms=state.ms if state else None,
        well_at=_moment(state.well_at) if state else None,
        failed=state.failed if state else 0,
        error=state.error if state else "",
    )


def _moment(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, tz=UTC)

"""What the operations page shows, as plain values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise

import redis
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext, pgettext

from monitor_site import wording
from monitor_site.marketplaces.breaker import PAUSED
from monitor_site.web.watch_list import Segment
from monitor_site.web.watch_words import Note, error_words

from . import drawing, past, tiles, windows
from .clockwork import Market
from .figures import Figures, Running, last_running, moment
from .figures import course as take_course
from .lanes import Worker
from .past import EntryLine, IncidentLine
from .stored import Stored
from .tiles import KindLine, LaneLine, LoadLine, TaskLine
from .verdict import LEVELS, troubles
from .windows import Spread, Window

CLASSES = ("fast", "normal", "relaxed")
# Upper bounds of the bars in milliseconds; the last bar has none.
BARS_MS = (100, 250, 500, 1_000, 2_000, 5_000, 10_000, 30_000)
ON_TIME_MS = 1_000
MOST_WORKERS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class Late:
    """Lateness of a window in words; ``rows`` are (bound, counts by class)."""

    p50: str
    p95: str
    p99: str
    within: str
    total: int
    drawing: SafeString
    course: Sequence[int]
    medians: Sequence[int]
    axis: Sequence[str]
    rows: Sequence[tuple[str, Sequence[int]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class MarketLine:
    """One marketplace in words. ``tone`` is the badge's."""

    market: Market
    state: str
    tone: str
    paused: bool
    reason: str
    until: datetime | None
    failed: str
    worst: str
    p50: str
    p95: str
    throttled: int
    a_minute: str
    used: SafeString
    demand: str
    load: SafeString


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """Everything on the page. Without Redis or a database their parts are ``None``.

    ``running`` is what Redis says; while it is silent what it said last, and ``frozen`` since when nothing is new.
    """

    figures: Figures
    running: Running | None
    frozen: datetime | None
    notes: Sequence[Note]
    summary: Sequence[str]
    late: Late | None
    markets: Sequence[MarketLine]
    workers: Sequence[Worker]
    more_workers: int
    machines: Sequence[tuple[str, str, int, int]]
    lanes: Sequence[LaneLine]
    kinds: Sequence[KindLine]
    loads: Sequence[LoadLine]
    tasks: Sequence[TaskLine]
    incidents: Sequence[IncidentLine]
    entries: Sequence[EntryLine]


def board(client: redis.Redis, figures: Figures, *, minutes: int) -> Board:
    """The page for a stretch of time."""
    now = figures.running or last_running()
    course = take_course(client, now=now.now_ms / 1000, minutes=minutes) if now else []
    window = windows.joined(course)
    everybody = [worker for lane in now.lanes for worker in lane.workers] if now else []
    everybody.sort(key=lambda worker: worker.alive)
    return Board(
        figures=figures,
        running=now,
        frozen=moment(now) if now and not figures.running else None,
        notes=troubles(figures),
        summary=_summary(now, window) if now else [],
        late=_late(window, course) if window.late else None,
        markets=[_market(one, window, figures.stored, minutes) for one in now.markets] if now else [],
        workers=everybody[:MOST_WORKERS],
        more_workers=max(0, len(everybody) - MOST_WORKERS),
        machines=_machines(now) if now else [],
        lanes=tiles.lane_lines(now, figures.stored) if now else [],
        kinds=tiles.kind_lines(now) if now else [],
        loads=tiles.load_lines(now, figures.stored) if now and figures.stored else [],
        tasks=tiles.task_lines(now) if now else [],
        incidents=past.incidents(now=figures.at),
        entries=past.entries(),
    )


def _machines(now: Running) -> list[tuple[str, str, int, int]]:
    return [
        (host, LEVELS[state.level](), round(state.cpu), round(state.memory)) for host, state in now.machines.items()
    ]


def ms_words(value: float | None) -> str:
    """A duration from a spread; what lies beyond its last bound says so, and what nobody knows is a dash."""
    if value is None:
        return "—"
    words = wording.milliseconds(round(value))
    return f"> {words}" if value >= BARS_MS[-1] else words


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "—"


def _summary(now: Running, window: Window) -> list[str]:
    opened = sum(one.breaker["state"] == "open" for one in now.markets)
    waiting = sum(lane.waiting for lane in now.lanes)
    return [
        gettext("p95 {late}").format(late=ms_words(window.lateness().quantile(0.95))),
        ngettext("{n} breaker open", "{n} breakers open", opened).format(n=opened),
        ngettext("{n} job waits", "{n} jobs wait", waiting).format(n=waiting),
        ngettext("{n} worker", "{n} workers", now.workers_alive).format(n=now.workers_alive),
        ngettext("{n} promoter", "{n} promoters", now.promoters_alive).format(n=now.promoters_alive),
    ]


def _late(window: Window, course: Sequence[Window]) -> Late:
    whole = window.lateness()
    columns = list(zip(*(_columns(window.late.get(name, Spread())) for name in CLASSES), strict=True))
    return Late(
        p50=ms_words(whole.quantile(0.5)),
        p95=ms_words(whole.quantile(0.95)),
        p99=ms_words(whole.quantile(0.99)),
        within=_share(whole.at_most(ON_TIME_MS), whole.total),
        total=whole.total,
        drawing=drawing.bars(columns, limit=BARS_MS.index(ON_TIME_MS) + 1, label=gettext("How late searches started")),
        course=_over_time(course, 0.95),
        medians=_over_time(course, 0.5),
        axis=[*(f"{bound / 1000:g}" for bound in BARS_MS), f"> {BARS_MS[-1] / 1000:g} s"],
        rows=list(zip(_bounds(), columns, strict=True)),
    )


def _over_time(course: Sequence[Window], share: float) -> list[int]:
    return [round(value) for one in course if (value := one.lateness().quantile(share)) is not None]


def _columns(spread: Spread) -> list[int]:
    summed = [0, *(spread.at_most(bound) for bound in BARS_MS), spread.total]
    return [more - less for less, more in pairwise(summed)]


def _bounds() -> list[str]:
    return [*(f"≤ {bound / 1000:g} s" for bound in BARS_MS), f"> {BARS_MS[-1] / 1000:g} s"]


def _market(one: Market, window: Window, kept: Stored | None, minutes: int) -> MarketLine:
    total, failed = window.ended(one.name), window.ended(one.name, "failed")
    took = window.took.get(one.name, Spread())
    wanted = None if kept is None else kept.demand.get(one.name, 0.0)
    state, tone = _state(one.breaker["state"])
    share = (wanted or 0.0) / one.pace.per_minute
    return MarketLine(
        market=one,
        state=state,
        tone=tone,
        paused=one.breaker["reason"] == PAUSED,
        reason=error_words(one.breaker["reason"]) if one.breaker["reason"] else "",
        until=datetime.fromisoformat(one.breaker["until"]) if one.breaker["until"] else None,
        failed=_share(failed, total),
        worst=_worst(one.name, window),
        p50=ms_words(took.quantile(0.5)),
        p95=ms_words(took.quantile(0.95)),
        throttled=window.errors[one.name, "throttled"],
        a_minute=f"{total / minutes:,.1f}",
        used=drawing.bar(one.used, tone="warn" if one.used > 0.9 else "accent"),
        demand="—" if wanted is None else f"{wanted:,.1f}",
        load=drawing.bar(share, tone="warn" if share > 1 else "accent"),
    )


def _state(state: str) -> tuple[str, str]:
    words: Mapping[str, tuple[str, str]] = {
        "open": (pgettext("breaker", "open"), "bad"),
        "half_open": (pgettext("breaker", "half-open"), "warn"),
    }
    return words.get(state, (pgettext("breaker", "closed"), "ok"))


def _worst(marketplace: str, window: Window) -> str:
    """The most frequent error."""
    counted = [(count, code) for (name, code), count in window.errors.items() if name == marketplace]
    if not counted:
        return ""
    count, code = max(counted)
    return f"{error_words(code)} × {count}"


def segments(minutes: int) -> list[Segment]:
    """Which stretch of time to show."""
    labels = (gettext("15 min"), gettext("1 hour"), gettext("24 hours"))
    return [
        Segment(label=label, url=f"?window={choice}", current=choice == minutes)
        for choice, label in zip(windows.WINDOWS, labels, strict=True)
    ]

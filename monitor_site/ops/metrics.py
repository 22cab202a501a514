"""What ``/metrics`` tells: one table of metrics, each with its words and where its values come from.

A value that nobody knows is left out; it is never told as 0. ``docs/metrics.md`` lists them all.
"""

import platform
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import connection
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

from monitor_site import __version__
from monitor_site.engine.counting import BOUNDS_MS
from monitor_site.engine.machines import ORDER, LoadState
from monitor_site.watches.plan import RESERVE

from . import ahead
from .clockwork import Market
from .figures import Figures, Running
from .lanes import Lane
from .stored import Stored
from .windows import Spread

QUANTILES = (0.5, 0.95, 0.99)
BREAKER_VALUES = {"closed": 0, "half_open": 1, "open": 2}
Value = int | float | Spread
Samples = Iterable[tuple[Sequence[str], Value | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """``kind`` is ``gauge``, ``counter`` (its name ends with ``_total``) or ``histogram``."""

    name: str
    kind: str
    help: str
    labels: tuple[str, ...]
    samples: Callable[[Figures], Samples]


def _gauge(name: str, text: str, samples: Callable[[Figures], Samples], *labels: str) -> Metric:
    return Metric(name=f"monitor_{name}", kind="gauge", help=text, labels=labels, samples=samples)


def _known(value: Callable[[Running], Samples]) -> Callable[[Figures], Samples]:
    """Nothing while Redis does not answer."""
    return lambda figures: [] if figures.running is None else value(figures.running)


def _kept(value: Callable[[Stored], Samples]) -> Callable[[Figures], Samples]:
    """Nothing while the database does not answer."""
    return lambda figures: [] if figures.stored is None else value(figures.stored)


def _market(name: str, text: str, value: Callable[[Market], Value | None]) -> Metric:
    return _gauge(name, text, _known(lambda now: [([one.name], value(one)) for one in now.markets]), "marketplace")


def _lane(name: str, text: str, value: Callable[[Lane], Value | None]) -> Metric:
    return _gauge(name, text, _known(lambda now: [([one.name], value(one)) for one in now.lanes]), "lane")


def _machine(name: str, text: str, value: Callable[[LoadState], Value | None]) -> Metric:
    machines = _known(lambda now: [([host], value(state)) for host, state in now.machines.items()])
    return _gauge(name, text, machines, "host")


def _spread(name: str, text: str, label: str, value: Callable[[Running], dict[str, Spread]]) -> Metric:
    samples = _known(lambda now: [([key], spread) for key, spread in sorted(value(now).items())])
    return Metric(name=f"monitor_{name}", kind="histogram", help=text, labels=(label,), samples=samples)


def _count(name: str, text: str, samples: Callable[[Running], Samples], *labels: str) -> Metric:
    return Metric(name=f"monitor_{name}", kind="counter", help=text, labels=labels, samples=_known(samples))


def _since(figures: Figures, moment: datetime | None) -> float:
    return 0.0 if moment is None else max(0.0, (figures.at - moment).total_seconds())


def _build(figures: Figures) -> Samples:  # noqa: ARG001 - known without them
    kind = "live" if settings.LIVE else "practice"
    yield [__version__, platform.python_version(), connection.vendor, kind], 1


def _lateness(now: Running) -> Samples:
    spread = now.window.lateness()
    for share in QUANTILES:
        value = spread.quantile(share)
        yield [str(share)], None if value is None else value / 1000


def _members(now: Running) -> Samples:
    for one in now.markets:
        yield [one.name, "searches"], one.searches
        yield [one.name, "looks"], one.looks


def _overdue(now: Running) -> Samples:
    for one in now.markets:
        yield [one.name, "searches"], one.overdue
        yield [one.name, "looks"], one.looks_overdue


def _oldest_job(lane: Lane) -> Value | None:
    return lane.oldest_seconds if lane.waiting else 0


def _memory(lane: Lane) -> Value | None:
    """Unknown until one has told."""
    told = [worker.memory for worker in lane.workers if worker.alive and worker.memory is not None]
    return sum(told) if told else None


def _peaks(figures: Figures) -> Samples:
    now, kept = figures.running, figures.stored
    if now is not None and kept is not None:
        for name, first in now.firsts.items():
            yield [name], max(ahead.a_second(first, kept.beats.get(name, [])), default=None)


METRICS: tuple[Metric, ...] = (
    _gauge("build_info", "Always 1; what runs here.", _build, "version", "python", "database", "kind"),
    _gauge("redis_up", "1 if Redis answers.", lambda figures: [([], int(figures.running is not None))]),
    _gauge("database_up", "1 if the database answers.", lambda figures: [([], int(figures.stored is not None))]),
    _gauge("redis_round_trip_seconds", "How long Redis takes for nothing.",
           _known(lambda now: [([], now.round_trip_ms / 1000)])),
    _gauge("database_round_trip_seconds", "How long the database takes for nothing.",
           _kept(lambda kept: [([], kept.round_trip_ms / 1000)])),
    _gauge("promoters_alive", "Promoters that were heard of within 5 seconds.",
           _known(lambda now: [([], now.promoters_alive)])),
    _gauge("schedule_built", "1 if the schedule in Redis is complete.", _known(lambda now: [([], int(now.built))])),
    _gauge("schedule_members", "Questions that stand in the schedule.", _known(_members), "marketplace", "set"),
    _market("due", "Searches that could run now.", lambda one: one.due),
    _gauge("overdue", "Questions that are late by more than a second.", _known(_overdue), "marketplace", "set"),
    _market("oldest_due_seconds", "How late the latest search is.", lambda one: one.oldest_ms / 1000),
    _market("leases", "Questions at workers.", lambda one: one.leased),
    _market("tickets", "Tickets that live.", lambda one: one.tickets),
    _market("suspects", "Questions suspected of killing workers.", lambda one: one.suspects),
    _market("breaker_state", "0 closed, 1 half-open, 2 open.", lambda one: BREAKER_VALUES[one.breaker["state"]]),
    _market("last_success_timestamp_seconds", "When the marketplace last answered as it should.",
            lambda one: one.last_success.timestamp() if one.last_success else None),
    _market("pace_per_minute", "Requests a minute that the marketplace may be asked.", lambda one: one.pace.per_minute),
    _market("pace_tokens", "Requests that could go out now; below zero after a heavy one.", lambda one: one.tokens),
    _market("pace_used_ratio", "Share of the bucket that is used, 0 to 1.", lambda one: one.used),
    _gauge("questions", "Active searches.",
           _kept(lambda kept: [([name], count) for name, count in kept.questions.items()]), "marketplace"),
    _gauge("demand_per_minute", "Requests a minute that the active searches ask for.",
           _kept(lambda kept: [([name], demand) for name, demand in kept.demand.items()]), "marketplace"),
    _gauge("questions_quarantined", "Questions out of the schedule, since they killed workers.",
           _kept(lambda kept: [([], kept.quarantined)])),
    _lane("lane_waiting", "Jobs that wait on a lane.", lambda lane: lane.waiting),
    _lane("lane_oldest_seconds", "For how long the oldest job waits on a lane.", _oldest_job),
    _lane("lane_running", "Jobs that run.", lambda lane: lane.running),
    _lane("lane_failed", "Failed jobs that are kept.", lambda lane: lane.failed),
    _lane("workers_alive", "Workers that were heard of within three beats of 5 seconds.", lambda lane: lane.alive),
    _count("checks_total", "Checks since Redis began.",
           lambda now: [(names, count) for names, count in sorted(now.totals.checks.items())],
           "marketplace", "kind", "outcome"),
    _count("check_errors_total", "Failed checks since Redis began, by the code of the error.",
           lambda now: [(names, count) for names, count in sorted(now.totals.errors.items())], "marketplace", "code"),
    _spread("check_duration_seconds", "How long checks take.", "marketplace", lambda now: now.totals.took),
    _spread("lateness_seconds", "Start of a search less its due time.", "class", lambda now: now.totals.late),
    _gauge("lateness_recent_seconds", "The same of the last five minutes, by quantile.", _known(_lateness), "quantile"),
    _count("jobs_total", "Jobs since Redis began.",
           lambda now: [(names, count) for names, count in sorted(now.worked.jobs.items())], "lane", "job", "outcome"),
    _count("job_seconds_total", "How long they took together.",
           lambda now: [(names, ms / 1000) for names, ms in sorted(now.worked.ms.items())], "lane", "job"),
    _lane("workers_silent", "Workers that have not said good-bye and are not heard of.",
          lambda lane: len(lane.workers) - lane.alive),
    _lane("workers_memory_bytes", "Memory of the workers that told of it.", _memory),
    _market("pace_reserve_per_minute", "Requests a minute that searches leave to orders and previews.",
            lambda one: one.pace.per_minute * RESERVE),
    _gauge("planned_peak_per_second", "Most checks a second planned for the next ten minutes.", _peaks, "marketplace"),
    _gauge("people_starved", "People who wait longer than they wish where a pace is shared; five at most are counted.",
           _kept(lambda kept: [([], len({one.person for one in kept.starved}))])),
    _gauge("outbox_dead", "Facts whose consequence failed too often; a person decides.",
           _kept(lambda kept: [([], sum(kept.dead.values()))])),
    _gauge("upkeep_failures", "Failures in a row of a housekeeping task.",
           _known(lambda now: [([name], state.failed) for name, state in now.tasks.items()]), "task"),
    _gauge("upkeep_last_success_timestamp_seconds", "When a housekeeping task last ended well.",
           _known(lambda now: [([name], state.well_at) for name, state in now.tasks.items()]), "task"),
    _gauge("upkeep_duration_seconds", "How long its last run took.",
           _known(lambda now: [([name], state.ms / 1000) for name, state in now.tasks.items()]), "task"),
    _gauge("outbox_open", "Facts that wait for their consequence.", _kept(lambda kept: [([], kept.outbox_open)])),
    _gauge("outbox_oldest_seconds", "For how long the oldest of them waits.",
           lambda figures: [([], _since(figures, figures.stored.outbox_oldest))] if figures.stored else []),
    _gauge("deliveries", "Messages that wait, and those of the last day that were sent or given up.",
           _kept(lambda kept: [([state], count) for state, count in kept.deliveries.items()]), "state"),
    _gauge("deliveries_oldest_seconds", "For how long the oldest message that is due waits.",
           lambda figures: [([], _since(figures, figures.stored.deliveries_oldest))] if figures.stored else []),
    _machine("load_level", "0 normal, 1 careful, 2 shedding.", lambda state: ORDER.index(state.level)),
    _machine("load_cpu_percent", "Processor time in use, smoothed.", lambda state: state.cpu),
    _machine("load_memory_percent", "Memory in use.", lambda state: state.memory),
)  # fmt: skip


class _Told(Collector):
    """The metrics of one moment."""

    def __init__(self, figures: Figures) -> None:
        self._figures = figures

    def collect(self) -> Iterable[Family]:
        """Every metric that has a value."""
        families = (_family(metric, self._figures) for metric in METRICS)
        return [family for family in families if family.samples]


def _family(metric: Metric, figures: Figures) -> Family:
    family: Any = _KINDS[metric.kind](metric.name, metric.help, labels=metric.labels)
    for labels, value in metric.samples(figures):
        if isinstance(value, Spread):
            family.add_metric(labels, *_buckets(value))
        elif value is not None:
            family.add_metric(labels, value)
    told: Family = family
    return told


_KINDS: dict[str, Any] = {
    "gauge": GaugeMetricFamily,
    "counter": CounterMetricFamily,
    "histogram": HistogramMetricFamily,
}


def _buckets(spread: Spread) -> tuple[list[tuple[str, float]], float]:
    bounds = [*(str(bound / 1000) for bound in BOUNDS_MS), "+Inf"]
    summed = [sum(spread.counts[: index + 1]) for index in range(len(bounds))]
    return list(zip(bounds, map(float, summed), strict=True)), spread.sum_ms / 1000


def exposition(figures: Figures) -> bytes:
    """The text that Prometheus reads."""
    registry = CollectorRegistry()
    registry.register(_Told(figures))
    return generate_latest(registry)

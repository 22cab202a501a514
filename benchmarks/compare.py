"""The same beats by other schedulers, in the same run: how late, how many, at what cost; and a hundred mixed tasks.

    .venv/bin/python benchmarks/compare.py [--tasks 1000] [--interval 5] [--seconds 30] [--only NAME,NAME]
                                           [--venv FOLDER] [--json]

Each is used as its manual says, with two workers where it has workers; `benchmarks/baselines/` shows how. One that
keeps no due time is taken to be due an interval after it sent the task the time before: that forgives it its drift,
which shows in beats that did not run. Then a hundred tasks of 0.05 to 1 s come at once, every tenth of them critical:
how long until all are done, and how many of the critical began within half a second. We have a worker more for those,
as an installation has; who knows queues is given one for them.

What is compared with comes from ``compare-requirements.txt`` into an environment of its own, gone at the end unless
``--venv`` names a folder for it. Ours asks neither marketplace nor database, as the others do not.
"""

import argparse
import json
import sys
import time
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import beats
import foreign
import lateness
import mix
from bare import own_redis
from rig import HERE, Rig, rig, wait_for

OURS = "ours"
OUR_PACKAGES = ("rq", "redis", "hiredis")
WARM_UP_SECONDS, WORKERS_START_SECONDS, PATIENCE_SECONDS, MIX_SECONDS = 30, 5, 120, 300
SOON_SECONDS = 0.5


@dataclass(frozen=True)
class Baseline:
    """A script in ``baselines``, the packages it stands for, its parts beside the one that has the tasks."""

    script: str
    packages: tuple[str, ...] = ()
    workers: int = 0
    keeps_due: bool = False


BASELINES = {
    "thread per watch": Baseline("thread_per_watch", keeps_due=True),
    "naive ZSET loop": Baseline("naive_zset", ("redis",), keeps_due=True),
    "APScheduler": Baseline("apscheduler_memory", ("APScheduler",), keeps_due=True),
    "rq-scheduler": Baseline("rq_by_scheduler", ("rq-scheduler", "rq", "redis"), workers=2),
    "RQ cron": Baseline("rq_by_cron", ("rq", "redis"), workers=2),
    "Celery beat": Baseline("celery_beat", ("celery", "kombu", "redis"), workers=1),
}


def launch(made: Rig, baseline: Baseline, what: str, options: argparse.Namespace, python: str) -> None:
    """Workers first; then the part that has the tasks."""
    env = {"BENCH_TASKS": str(options.tasks), "BENCH_INTERVAL": str(options.interval)}
    script = HERE / "baselines" / f"{baseline.script}.py"
    for number in range(baseline.workers):
        made.start(f"worker-{number}", script, "worker", python=python, **env)
    if baseline.workers:
        time.sleep(WORKERS_START_SECONDS)
    made.start(what, script, what, python=python, **env)


def beats_of(baseline: Baseline, options: argparse.Namespace, python: str) -> dict[str, Any]:
    """Lateness and cost of a baseline."""
    with rig(f"{baseline.script}-beats") as made:
        launch(made, baseline, "beats", options, python)
        _settle(made, options)
        begin, end, costs = lateness.watch(made, seconds=options.seconds, counts=lambda _one: True)
        made.stop()
        runs = beats.read(made.folder)
    due = runs if baseline.keeps_due else beats.due_by_the_one_before(runs, options.interval)
    expected = round(options.tasks * (end - begin) / options.interval)
    return beats.figures(due, begin=begin, end=end, expected=expected) | costs


def _settle(made: Rig, options: argparse.Namespace) -> None:
    """Wait until most have run once, or for half a minute if it never comes to that; then two intervals."""
    give_up = time.monotonic() + WARM_UP_SECONDS

    def most() -> bool:
        return time.monotonic() > give_up or len(_tasks(made.folder)) >= 0.9 * options.tasks

    wait_for(most, made, seconds=PATIENCE_SECONDS)
    time.sleep(2 * options.interval)


def mixed_of(baseline: Baseline, options: argparse.Namespace, python: str) -> dict[str, Any]:
    """The mixed tasks by a baseline."""
    with rig(f"{baseline.script}-mixed") as made:
        launch(made, baseline, "mixed", options, python)
        return mixed_figures(made)


def ours_beats(options: argparse.Namespace) -> dict[str, Any]:
    """The same beats by the engine."""
    return lateness.run(_load(targets=options.tasks, interval=options.interval, seconds=options.seconds))


def ours_mixed() -> dict[str, Any]:
    """The mixed tasks by the engine: the critical on the lane for what cannot wait, the others as due checks."""
    from monitor_site.connections import lane_queue, redis_client
    from monitor_site.engine.schedule import Schedule

    with rig("ours-mixed") as made:
        made.start("express", HERE / "noop.py", "express", "express")
        lateness.start(made, _load(targets=mix.COUNT, interval=3600, seconds=0), "--mix")
        time.sleep(WORKERS_START_SECONDS)
        queue = lane_queue("express", redis_client())
        ordinary = [(str(task.number), "sooner", 0) for task in mix.tasks() if not task.critical]
        Schedule(redis_client()).put(marketplace="bench0", moves=ordinary)
        for task in mix.tasks():
            if task.critical:
                queue.enqueue("arrival.note", task.number, time.time(), task.seconds, result_ttl=0)
        return mixed_figures(made)


def mixed_figures(made: Rig) -> dict[str, Any]:
    """Wait for all; from the first that came to the last that ended, and how long the critical ones waited."""
    wait_for(lambda: len(_tasks(made.folder)) >= mix.COUNT, made, seconds=MIX_SECONDS)
    runs = beats.read(made.folder)
    waits = [run.started - run.due for run in runs if mix.task(run.task).critical]
    soon = sum(wait < SOON_SECONDS for wait in waits) / len(waits)
    return {
        "makespan_s": round(max(run.ended for run in runs) - min(run.due for run in runs), 2),
        "critical_soon_percent": round(100 * soon),
        "critical_wait_ms": round(1000 * max(waits)),
    }


def _tasks(folder: Path) -> set[int]:
    return {run.task for run in beats.read(folder)}


def _load(**load: float) -> argparse.Namespace:
    return argparse.Namespace(**{"marketplaces": 1, "workers": 2, "stragglers": 0} | load)


def against(theirs: dict[str, Any], ours: dict[str, Any]) -> dict[str, float | None]:
    """How many times ours; ``None`` where there is nothing to compare."""
    pairs = {
        "p99": (theirs["lateness_ms"]["p99"], ours["lateness_ms"]["p99"]),
        "cpu": (sum(theirs["cpu_seconds"].values()), sum(ours["cpu_seconds"].values())),
        "memory": (sum(theirs["memory_mb"].values()), sum(ours["memory_mb"].values())),
        "makespan": (theirs["mixed"]["makespan_s"], ours["mixed"]["makespan_s"]),
    }
    return {name: round(a / b, 2) if a is not None and b else None for name, (a, b) in pairs.items()}


def run(options: argparse.Namespace, python: str) -> dict[str, Any]:
    """Ours, then the others one after the other."""
    mine = {"versions": foreign.versions(sys.executable, OUR_PACKAGES)}
    found = {OURS: mine | ours_beats(options) | {"mixed": ours_mixed()}}
    for name in options.only:
        baseline = BASELINES[name]
        theirs = beats_of(baseline, options, python) | {"mixed": mixed_of(baseline, options, python)}
        versions = foreign.versions(python, baseline.packages)
        found[name] = {"versions": versions} | theirs | {"times_ours": against(theirs, found[OURS])}
    return found


def names(text: str) -> list[str]:
    """Names of baselines, comma separated."""
    asked = text.split(",")
    if unknown := set(asked) - set(BASELINES):
        raise argparse.ArgumentTypeError(f"{', '.join(sorted(unknown))}: known are {', '.join(BASELINES)}")
    return asked


def in_words(found: dict[str, Any]) -> str:
    """For a person."""
    return "\n".join(
        f"{name}\n" + "\n".join(f"    {what}: {value}" for what, value in mine.items()) for name, mine in found.items()
    )


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--interval", type=int, default=5, help="seconds")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--only", type=names, default=list(BASELINES), help="names, comma separated")
    parser.add_argument("--venv", default="", help="where the environment of the others is kept")
    parser.add_argument("--python", default="", help="a Python that has their packages already")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    env = nullcontext(options.python) if options.python else foreign.environment(options.venv)
    with env as python, own_redis():
        found = run(options, python)
    print(json.dumps(found) if options.json else in_words(found))


if __name__ == "__main__":
    main()

"""What an operator may do from the operations page: one table, each act with its words and what it does.

Every act is asked for with a reason and written into the audit log before it is done.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from rq.command import send_shutdown_command

from monitor_site.accounts import auditing
from monitor_site.connections import redis_client
from monitor_site.engine import upkeep
from monitor_site.marketplaces import pausing
from monitor_site.marketplaces.catalog import catalog
from monitor_site.outbox import replay
from monitor_site.outbox.services import routes
from monitor_site.purchasing import switching

MOST_ROWS = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """An act that somebody wants: on what, who, why, and when."""

    on: str
    user: Any
    reason: str
    now: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """``says`` what will follow, ``knows`` whether there is such a subject, ``run`` does it and says what came of it.

    ``preview`` gives lines (what, how many, since when, why) of what it is about.
    """

    title: Promise
    says: Promise
    knows: Callable[[str], bool]
    run: Callable[[Asked], str]
    icon: str
    bad: bool = False
    preview: Callable[[str], Sequence[tuple[str, int, datetime, str]]] = lambda _on: ()


def do(act: str, asked: Asked) -> str:
    """Write down that somebody does this, then do it; says what came of it. Raises ``RedisError``."""
    auditing.note(user=asked.user, act=act, subject=asked.on, reason=asked.reason, outcome="", now=asked.now)
    return ACTS[act].run(asked)


def _is_marketplace(on: str) -> bool:
    return on in catalog().plugins


def _pause(asked: Asked) -> str:
    made = pausing.pause(
        marketplace=asked.on, by=asked.user.get_username(), reason=asked.reason, now=asked.now
    )  # fmt: skip
    return gettext("It is asked nothing more.") if made else gettext("It was paused already.")


def _resume(asked: Asked) -> str:
    gone = pausing.resume(marketplace=asked.on)
    return gettext("It is asked again.") if gone else gettext("It was not paused.")


def _probe(asked: Asked) -> str:
    changed = pausing.probe(redis_client(), marketplace=asked.on)
    return gettext("One request tries now.") if changed else gettext("Nothing waits there that could be tried.")


def _is_worker(on: str) -> bool:
    return bool(on) and bool(redis_client().sismember("rq:workers", f"rq:worker:{on}"))


def _drain(asked: Asked) -> str:
    send_shutdown_command(redis_client(), asked.on)
    return gettext("It was told to finish what it has and end; its supervisor starts another.")


def _is_topic(on: str) -> bool:
    return on in routes()


def _dead(on: str) -> list[tuple[str, int, datetime, str]]:
    return [line for line in replay.dead_by_topic() if line[0] == on]


def _requeue(asked: Asked) -> str:
    count = replay.revive(topic=asked.on, now=asked.now, limit=MOST_ROWS)
    return ngettext("%(n)d is tried again.", "%(n)d are tried again.", count) % {"n": count}


def _discard(asked: Asked) -> str:
    count = replay.discard(topic=asked.on, now=asked.now, limit=MOST_ROWS)
    return ngettext("%(n)d is given up.", "%(n)d are given up.", count) % {"n": count}


def _run_task(asked: Asked) -> str:
    upkeep.run_soon(asked.on)
    return gettext("It runs as soon as a worker of the lane upkeep is free.")


def _stop(asked: Asked) -> str:
    switching.stop(user=None, reason=asked.reason, now=asked.now)
    return gettext("Nothing is spent any more.")


def _go_on(asked: Asked) -> str:
    switching.resume(user=None, now=asked.now)
    return gettext("Spending is possible again, but for those who paused their own.")


def _nothing(on: str) -> bool:
    return on == ""


ACTS: Mapping[str, Act] = {
    "pause": Act(
        title=_("Pause a marketplace"), icon="pause", bad=True, knows=_is_marketplace, run=_pause,
        says=_("Nobody asks it until somebody resumes it; its watches wait and say so."),
    ),
    "resume": Act(
        title=_("Resume a marketplace"), icon="play", knows=_is_marketplace, run=_resume,
        says=_("It is asked again at once, at its pace."),
    ),
    "probe": Act(
        title=_("Try a marketplace now"), icon="refresh-cw", knows=_is_marketplace, run=_probe,
        says=_("One request goes out although the breaker is open. If it fails, the breaker stays open for longer."),
    ),
    "drain": Act(
        title=_("Restart a worker"), icon="refresh-cw", bad=True, knows=_is_worker, run=_drain,
        says=_("It takes nothing new, finishes what it has within half a minute, gives back the rest, and ends."),
    ),
    "requeue": Act(
        title=_("Try dead jobs again"), icon="refresh-cw", knows=_is_topic, run=_requeue, preview=_dead,
        says=_("Each gets all its tries again. Jobs bear repeating; what failed for a bug will fail again."),
    ),
    "discard": Act(
        title=_("Discard dead jobs"), icon="trash-2", bad=True, knows=_is_topic, run=_discard, preview=_dead,
        says=_("What should have followed of these facts never follows. The facts themselves stay."),
    ),
    "task": Act(
        title=_("Run a task now"), icon="play", knows=upkeep.TASKS.__contains__, run=_run_task,
        says=_("It runs once without waiting for the night or for an idle machine."),
    ),
    "stop": Act(
        title=_("Pause all spending"), icon="pause", bad=True, knows=_nothing, run=_stop,
        says=_("No order of anybody is submitted from now on. What is sent already is followed to its end."),
    ),
    "spend": Act(
        title=_("Allow spending again"), icon="play", knows=_nothing, run=_go_on,
        says=_("Orders that were approved go on."),
    ),
    "bundle": Act(
        title=_("Diagnostic bundle"), icon="archive", knows=_nothing, run=lambda _asked: "",
        says=_("Figures, findings of the doctor, incidents and versions in one file, without names and secrets."),
    ),
}  # fmt: skip

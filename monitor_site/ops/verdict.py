"""Is it on time, and if not, which part? The worst fact first."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime

from django.utils.html import format_html
from django.utils.translation import gettext, ngettext, pgettext

from monitor_site import wording
from monitor_site.engine.lateness import MOST_OVERDUE, OLDEST_MS
from monitor_site.engine.machines import Level
from monitor_site.marketplaces.breaker import PAUSED
from monitor_site.marketplaces.catalog import catalog
from monitor_site.web.watch_words import Note, error_words, marketplace_title

from .figures import Figures, Running, last_running, moment
from .stored import Stored

LATE_MS = 2_000
OUTBOX_SECONDS = 120.0
# A task that failed once is tried again at its next beat.
FAILING_RUNS = 2
LEVELS = {
    Level.NORMAL: lambda: pgettext("load of a machine", "normal"),
    Level.CAREFUL: lambda: pgettext("load of a machine", "careful"),
    Level.SHEDDING: lambda: pgettext("load of a machine", "shedding"),
}


def troubles(figures: Figures) -> list[Note]:
    """What is wrong, the worst first; nothing when all is well."""
    found = list(_broken_plugins())
    if figures.running is None:
        found.append(_away(last_running()))
    else:
        found += [note for fact in FACTS for note in fact(figures.running)]
    if figures.running and figures.stored:
        found += _kept(figures.running, figures.stored)
    return sorted(found, key=lambda note: not note.bad)


def _bad(sentence: str, **facts: object) -> Note:
    return _note("circle-x", bad=True, sentence=sentence, facts=facts)


def _away(last: Running | None) -> Note:
    if last is None:
        return _bad(gettext("Redis does not answer: nothing is checked, and what it knows is not shown."))
    sentence = gettext("Redis does not answer: nothing is checked. What is marked as frozen is as it was {time}.")
    return _bad(sentence, time=wording.ago(moment(last), now=datetime.now(UTC)))


def _mild(sentence: str, **facts: object) -> Note:
    return _note("triangle-alert", bad=False, sentence=sentence, facts=facts)


def _note(icon: str, *, bad: bool, sentence: str, facts: dict[str, object]) -> Note:
    return Note(icon=icon, bad=bad, sentence=format_html(sentence, **facts) if facts else format_html("{}", sentence),
                url="", label="")  # fmt: skip


def _promoters(now: Running) -> Iterator[Note]:
    if now.promoters_alive:
        return
    last = max((one.beat_ms for one in now.promoters), default=None)
    if last is None:
        yield _bad(gettext("No promoter is alive: nothing is put on the lanes."))
    else:
        age = wording.duration((now.now_ms - last) / 1000)
        yield _bad(gettext("No promoter for {age}: nothing is put on the lanes."), age=age)


def _lanes(now: Running) -> Iterator[Note]:
    lonely = [lane.name for lane in now.lanes if not lane.alive]
    if lonely:
        names = pgettext("between words", ", ").join(lonely)
        yield _bad(gettext("No worker serves {lanes}."), lanes=names)


def _schedule(now: Running) -> Iterator[Note]:
    if not now.built:
        yield _bad(gettext("The schedule is not built: a promoter builds it from the database."))


def _silent(now: Running) -> Iterator[Note]:
    silent = [worker for lane in now.lanes for worker in lane.workers if not worker.alive]
    if silent:
        sentence = ngettext("{n} worker has fallen silent.", "{n} workers have fallen silent.", len(silent))
        yield _mild(sentence, n=len(silent))


def _tasks(now: Running) -> Iterator[Note]:
    failing = sorted(name for name, state in now.tasks.items() if state.failed >= FAILING_RUNS)
    if failing:
        names = pgettext("between words", ", ").join(failing)
        yield _mild(gettext("Housekeeping fails again and again: {tasks}."), tasks=names)


def _overdue(now: Running) -> Iterator[Note]:
    if now.overdue > MOST_OVERDUE or now.oldest_ms > OLDEST_MS:
        sentence = ngettext(
            "{n} search is late by over a second, the latest by {age}.",
            "{n} searches are late by over a second, the latest by {age}.",
            now.overdue,
        )
        yield _bad(sentence, n=now.overdue, age=wording.duration(now.oldest_ms / 1000))


def _late(now: Running) -> Iterator[Note]:
    value = now.window.lateness().quantile(0.95)
    if value is not None and value > LATE_MS:
        yield _mild(
            gettext("One search in twenty starts more than {late} late."), late=wording.milliseconds(int(value))
        )


def _breakers(now: Running) -> Iterator[Note]:
    for one in now.markets:
        if one.breaker["reason"] == PAUSED:
            yield _mild(gettext("{marketplace} is paused by an operator."), marketplace=marketplace_title(one.name))
        elif one.breaker["state"] == "open" and one.breaker["until"]:
            until = wording.until(datetime.fromisoformat(one.breaker["until"]), now=moment(now))
            facts = {"marketplace": marketplace_title(one.name), "reason": error_words(one.breaker["reason"])}
            yield _mild(gettext("{marketplace} is not asked ({reason}); we try again {time}."), **facts, time=until)


def _machines(now: Running) -> Iterator[Note]:
    for host, state in now.machines.items():
        if state.level != Level.NORMAL:
            yield _mild(
                gettext("{host} is busy ({level}): processors {cpu} %, memory {memory} %. Checks give way there."),
                host=host, level=LEVELS[state.level](), cpu=round(state.cpu), memory=round(state.memory),
            )  # fmt: skip


FACTS: tuple[Callable[[Running], Iterator[Note]], ...] = (
    _promoters, _lanes, _schedule, _overdue, _breakers, _late, _machines, _silent, _tasks,
)  # fmt: skip


def _kept(now: Running, kept: Stored) -> Iterator[Note]:
    for one in now.markets:
        wanted = kept.demand.get(one.name, 0.0)
        if wanted > one.pace.per_minute:
            sentence = gettext("The watches want {wanted} requests a minute of {marketplace}, its pace allows {pace}.")
            facts = {"wanted": round(wanted), "pace": one.pace.per_minute, "marketplace": marketplace_title(one.name)}
            yield _mild(sentence, **facts)
    age = 0.0 if kept.outbox_oldest is None else (moment(now) - kept.outbox_oldest).total_seconds()
    if age > OUTBOX_SECONDS:
        yield _mild(gettext("A fact waits for its consequence for {age}."), age=wording.duration(age))
    if dead := sum(kept.dead.values()):
        sentence = ngettext(
            "{n} consequence failed too often and waits for you.",
            "{n} consequences failed too often and wait for you.",
            dead,
        )  # fmt: skip
        yield _mild(sentence, n=dead)
    if kept.quarantined:
        sentence = ngettext(
            "{n} question is out of the schedule, because it kept crashing workers.",
            "{n} questions are out of the schedule, because they kept crashing workers.",
            kept.quarantined,
        )
        yield _mild(sentence, n=kept.quarantined)


def _broken_plugins() -> Iterator[Note]:
    for name in sorted(catalog().broken):
        yield _bad(gettext("The plugin {name} does not work; the administration says why."), name=name)

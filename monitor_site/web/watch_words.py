"""How a watch is, in words: its health, its rule, what it needs, how a run ended."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, ngettext, pgettext
from django.utils.translation import gettext_lazy as _

from monitor_site import wording
from monitor_site.marketplaces.catalog import catalog
from monitor_site.marketplaces.named import ERRORS
from monitor_site.watches import trigger_words
from monitor_site.watches.models import Check, Outcome, Watch
from monitor_site.watches.needs import Need
from monitor_site.watches.queries import Row

from .rule_words import auction_facts, listed, other_limit_facts, price_fact, seller_facts, when_facts, word_facts

FAILURES: Mapping[str, "str | Promise"] = {
    "unavailable": _("{watch}: {marketplace} did not answer the last check. We keep trying."),
    "no_pace": _("{watch} waits for its turn: {marketplace} is asked as often as we allow ourselves."),
    "throttled": _("{watch}: {marketplace} asked us to slow down. Checks go on more slowly by themselves."),
    "blocked": _("{watch}: {marketplace} refuses to answer us. We ask again after a longer pause."),
    "challenge_required": _("{watch}: {marketplace} wants a person to prove something there."),
    "sign_in_needed": _("{watch}: {marketplace} did not accept our sign-in."),
    "layout_changed": _("{watch}: {marketplace} answered in a form that we cannot read; its plugin needs an update."),
    "suspect_empty": _(
        "{watch}: {marketplace} returned nothing where there are usually results. We do not trust that."
    ),
    "suspect_stale": _(
        "{watch}: {marketplace} has shown nothing new for a while where something new is usual. We do not trust that."
    ),
    "listing_gone": _("{watch}: {marketplace} knows no such listing, or no more."),
    "plugin_fault": _("{watch}: the plugin for {marketplace} failed. Its log says why."),
}
OTHER_FAILURE = _("{watch}: the last check failed at {marketplace}.")
NEEDS: Mapping[Need, "str | Promise"] = {
    Need.PLUGIN: _("{watch}: the marketplace {marketplace} is not available here, so nothing is checked."),
    Need.QUARANTINED: _("{watch} was taken out of the schedule, because its checks kept crashing. An administrator can"
                        " let it run again."),
    Need.STALE: _("{watch} was due every {interval} and has not been checked in time."),
    Need.SILENT: _("{watch} ran for 7 days without any result. Are its words right?"),
    Need.FORGOTTEN: _("{watch} has been paused since {date}. Do you still need it?"),
    Need.STRANGE: _("{watch}: {marketplace} answers with other things: hardly any row has one of its words."),
    Need.PARTLY: _("{watch}: {marketplace} is not available here, so nothing is checked there."),
}  # fmt: skip
GONE = "gone"
MILD = {"unavailable", "no_pace", "throttled", "suspect_empty", "suspect_stale"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """``tone`` is a class of the stylesheet: good, warn, bad or muted. ``ring`` is the ring's state.

    ``others`` says of a watch over several marketplaces that the healthy ones go on; empty when there is no need to.
    """

    word: str
    tone: str
    others: str = ""

    @property
    def ring(self) -> str:
        """What colours the ring: empty, ``warn`` or ``bad``."""
        return self.tone if self.tone in {"warn", "bad"} else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One line of attention: an icon, a sentence, one link that helps."""

    icon: str
    bad: bool
    sentence: SafeString
    url: str
    label: str


def health(row: Row, *, still: Mapping[str, str] | None = None) -> Health:
    """How a watch is, in a word or two; ``still`` are the marketplaces that are not asked now, with the reason."""
    if row.watch.paused_at:
        return Health(word=gettext("Paused"), tone="muted")
    if partly := _partly(row, still or {}):
        return partly
    if row.need == Need.FAILED:
        return Health(word=_capital(error_words(row.error)), tone=_tone(row.error))
    words = {
        Need.PLUGIN: (gettext("Marketplace not available"), "bad"),
        Need.QUARANTINED: (gettext("Out of the schedule"), "bad"),
        Need.STALE: (gettext("Not checked in time"), "warn"),
        Need.SILENT: (gettext("No result for 7 days"), "warn"),
        Need.STRANGE: (gettext("Answered with other things"), "warn"),
    }
    fine = (gettext("OK"), "good") if row.checked_at else (gettext("Waiting for its first check"), "muted")
    word, tone = words.get(row.need, fine)
    return Health(word=word, tone=tone)


def _partly(row: Row, still: Mapping[str, str]) -> Health | None:
    """One of several marketplaces does not work and another does: which one, and that the others go on."""
    ill = {**row.failing, **still, **dict.fromkeys(gone_from(row.watch), GONE)}
    named = [name for name in row.watch.marketplaces if name in ill]
    well = [name for name in row.watch.marketplaces if name not in ill]
    if not named or not well:
        return None
    words = gettext("%(marketplace)s: %(error)s") % {
        "marketplace": marketplace_titles(named), "error": error_words(ill[named[0]])
    }  # fmt: skip
    return Health(word=words, tone=_tone(ill[named[0]]), others=go_on_words(well))


def go_on_words(marketplaces: Sequence[str]) -> str:
    """That these marketplaces are asked as ever."""
    words = ngettext("%(marketplaces)s goes on", "%(marketplaces)s go on", len(marketplaces))
    return words % {"marketplaces": marketplace_titles(marketplaces)}


def gone_from(watch: Watch) -> list[str]:
    """The marketplaces of a watch whose plugins do not work here."""
    return [name for name in watch.marketplaces if name not in catalog().plugins]


def _tone(error: str) -> str:
    return "warn" if error in MILD else "bad"


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def error_words(code: str) -> str:
    """The error of a check in words; the bare code when nobody has words for it."""
    return str(ERRORS.get(code, code))


def result_words(run: Check) -> str:
    """How a run ended."""
    if run.outcome == Outcome.FAILED:
        return error_words(run.error)
    return gettext("nothing found") if run.outcome == Outcome.EMPTY else gettext("found")


def marketplace_title(name: str) -> str:
    """The marketplace as the reader calls it."""
    return catalog().title(name, get_language() or "en")


def marketplace_titles(names: Iterable[str]) -> str:
    """Several marketplaces as a list in the reader's language."""
    return pgettext("between words", ", ").join(map(marketplace_title, names))


def pace_words(intervals: Mapping[str, int]) -> str:
    """How often each marketplace is asked; ``intervals`` are seconds."""
    words = gettext("%(marketplace)s every %(time)s")
    parts = [
        words % {"marketplace": marketplace_title(name), "time": wording.duration(seconds)}
        for name, seconds in intervals.items()
    ]
    return pgettext("between words", ", ").join(parts)


def note_of(watch: Any) -> Note:
    """The line of attention for a watch that has ``need``, ``error``, ``failed_at`` and ``strange_at``."""
    need = Need(watch.need)
    pattern = FAILURES.get(watch.error, OTHER_FAILURE) if need == Need.FAILED else NEEDS[need]
    sentence = format_html(
        str(pattern),
        watch=format_html("<b><bdi>{}</bdi></b>", watch.name),
        marketplace=marketplace_titles(_meant(watch, need)),
        interval=wording.duration(watch.interval_seconds),
        date=timezone.localtime(watch.paused_at).date().isoformat() if watch.paused_at else "",
    )
    return Note(icon=_icon(need), bad=_is_bad(watch, need), sentence=sentence, **_help(watch, need))


def _meant(watch: Any, need: Need) -> Iterable[str]:
    """The marketplaces of which the line of attention speaks."""
    if need in {Need.PLUGIN, Need.PARTLY}:
        return gone_from(watch)
    found = {Need.FAILED: watch.failed_at, Need.STRANGE: watch.strange_at}.get(need)
    return [found] if found is not None else watch.marketplaces


def _is_bad(watch: Any, need: Need) -> bool:
    return need in {Need.PLUGIN, Need.QUARANTINED, Need.PARTLY} or (need == Need.FAILED and watch.error not in MILD)


def _icon(need: Need) -> str:
    icons = {Need.SILENT: "search", Need.STRANGE: "search", Need.FORGOTTEN: "circle-pause", Need.STALE: "clock"}
    return icons.get(need, "triangle-alert")


def _help(watch: Watch, need: Need) -> dict[str, str]:
    if need in {Need.SILENT, Need.STRANGE}:
        return {"url": reverse("watch-edit", args=[watch.pk]), "label": gettext("Change words")}
    if need == Need.PARTLY:
        return {"url": reverse("watch-edit", args=[watch.pk]), "label": gettext("Edit")}
    if need in {Need.FAILED, Need.STALE, Need.QUARANTINED}:
        return {"url": reverse("watch-runs", args=[watch.pk]), "label": gettext("See runs")}
    return {"url": reverse("watch", args=[watch.pk]), "label": gettext("Look at it")}


def rule_facts(watch: Watch) -> list[str]:
    """The rule of a watch as short facts, each a whole phrase."""
    if watch.is_of_listing:
        return [*trigger_words.facts_of(watch), *when_facts(vars(watch))]
    groups = (
        (watch.must, gettext("all of: %(words)s")),
        (watch.any_of, gettext("one of: %(words)s")),
        (watch.none_of, gettext("none of: %(words)s")),
    )
    facts = [phrase % {"words": listed(words)} for words, phrase in groups if words]
    values = vars(watch)
    price = price_fact(values) or wording.limits(None, None)
    facts += [*word_facts(values), price, *other_limit_facts(values)]
    return [*facts, *seller_facts(values), *auction_facts(values), *when_facts(values)]


def price_words(watch: Watch) -> str:
    """The limits of the price."""
    return price_fact(vars(watch)) or wording.limits(None, None, watch.currency)


def cost_words(marketplace: str) -> SafeString:
    """What asking costs at a marketplace."""
    pace = catalog().pace(marketplace)
    return format_html(
        gettext("{marketplace}: asked at most {rate} times a minute, all questions together; one question every {floor}"
                " at the most."),
        marketplace=format_html("<b>{}</b>", marketplace_title(marketplace)),
        rate=f"{pace.per_minute:,}",
        floor=wording.duration(pace.floor_seconds),
    )  # fmt: skip

"""Why a listing matched or did not, in words: what every rule said, one line a rule, with what it saw and wanted."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.utils.translation import gettext, pgettext

from monitor_site import wording
from monitor_site.contract import Condition, Kind, Shipping
from monitor_site.watches import trigger_words
from monitor_site.watches.matching import Verdict
from monitor_site.watches.named import CONDITIONS, KINDS, SHIPPINGS
from monitor_site.watches.text import Reading, contains

from .rule_words import listed

RuleVerdict = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One rule in a sentence; ``good`` when it said yes."""

    words: str
    good: bool


def lines_of(decision: list[RuleVerdict], *, currency: str = wording.YEN) -> list[Line]:
    """The rules that this version knows, in the order in which they were asked; prices are in ``currency``."""
    return list(_lines(decision, currency))


def _lines(decision: list[RuleVerdict], currency: str) -> Iterator[Line]:
    known: Mapping[str, Callable[[RuleVerdict], str]] = {**SAID, "price": partial(_price, currency=currency)}
    for said in decision:
        say = known.get(str(said.get("rule")))
        if words := say(said) if say else trigger_words.line_of(said, currency):
            yield Line(words=words, good=said.get("verdict") == Verdict.PASS)


def _by_verdict(said: RuleVerdict, *, passed: str, failed: str, unknown: str) -> str:
    """The sentence for what the rule said."""
    sentences = {Verdict.PASS.value: passed, Verdict.FAIL.value: failed}
    return sentences.get(str(said.get("verdict")), unknown)


def _words(said: RuleVerdict) -> dict[str, str]:
    return {"words": listed(said.get("words", [])), "wanted": str(said.get("wanted", ""))}


def _in_title(said: RuleVerdict) -> bool:
    """Whether all that was found stands in the title, which is what the rule saw."""
    title = str(said.get("saw", ""))
    return not title or all(contains(Reading(title), word) for word in said.get("words", []))


def _must(said: RuleVerdict) -> str:
    title, anywhere = (
        gettext("The title has every word: %(words)s"),
        gettext("Title and description have every word: %(words)s"),
    )
    return _by_verdict(
        said,
        passed=title if _in_title(said) else anywhere,
        failed=gettext("Not every word is there; wanted: %(wanted)s"),
        unknown=gettext("The title has not every word, and the description is not known; wanted: %(wanted)s"),
    ) % _words(said)


def _any_of(said: RuleVerdict) -> str:
    title = gettext("The title has at least one of the words: %(words)s")
    anywhere = gettext("Title and description have at least one of the words: %(words)s")
    return _by_verdict(
        said,
        passed=title if _in_title(said) else anywhere,
        failed=gettext("None of the words is there; wanted: %(wanted)s"),
        unknown=gettext("The title has none of the words, and the description is not known; wanted: %(wanted)s"),
    ) % _words(said)


def _none_of(said: RuleVerdict) -> str:
    if said.get("verdict") == Verdict.PASS:
        return gettext("The title has none of the words: %(words)s") % {"words": said.get("wanted", "")}
    if said.get("verdict") == Verdict.FAIL:
        return gettext("It has an unwanted word: %(words)s") % _words(said)
    return gettext("The description is not known; unwanted there: %(wanted)s") % _words(said)


def _blocked_phrase(said: RuleVerdict) -> str:
    return _by_verdict(
        said,
        passed=gettext("It has none of the phrases that you block"),
        failed=gettext("It has a phrase that you block: %(words)s"),
        unknown=gettext("The description is not known; a phrase that you block may stand there"),
    ) % _words(said)


def _pattern(said: RuleVerdict) -> str:
    return _by_verdict(
        said,
        passed=gettext("The title has “%(words)s”, as the pattern wants: %(wanted)s"),
        failed=gettext("The title is not like the pattern: %(wanted)s"),
        unknown=gettext("The pattern cannot be read: %(wanted)s"),
    ) % _words(said)


def _status(said: RuleVerdict) -> str:
    return _by_verdict(
        said,
        passed=gettext("It was on sale"),
        failed=gettext("It was not on sale"),
        unknown=gettext("Nobody said whether it was on sale"),
    )


def _kind(said: RuleVerdict) -> str:
    facts = {"kind": _named(KINDS, Kind, _saw(said)), "wanted": _all_named(KINDS, Kind, said)}
    return gettext("Sold as “%(kind)s”, wanted %(wanted)s") % facts


def _price(said: RuleVerdict, currency: str) -> str:
    facts = {"price": wording.money(_whole(_saw(said)), currency), "wanted": _limits(said, currency)}
    return gettext("Price %(price)s, wanted %(wanted)s") % facts


def _limits(said: RuleVerdict, currency: str) -> str:
    low, _, high = str(said.get("wanted", "")).partition("–")
    return wording.limits(_whole(low), _whole(high), currency)


def _condition(said: RuleVerdict) -> str:
    facts = {"condition": _named(CONDITIONS, Condition, _saw(said)), "wanted": _all_named(CONDITIONS, Condition, said)}
    return gettext("Condition “%(condition)s”, wanted %(wanted)s") % facts


def _shipping(said: RuleVerdict) -> str:
    return gettext("Shipping: %(shipping)s, wanted included") % {"shipping": _named(SHIPPINGS, Shipping, _saw(said))}


def _blocked_seller(said: RuleVerdict) -> str:
    return _by_verdict(
        said,
        passed=gettext("The seller is none that you block"),
        failed=gettext("You block the seller"),
        unknown=gettext("The seller is not known; it may be one that you block"),
    )


def _rating(said: RuleVerdict) -> str:
    return gettext("Good ratings: %(saw)s, wanted at least %(wanted)s") % {
        "saw": _percent(_saw(said)), "wanted": _percent(str(said.get("wanted", "")))
    }  # fmt: skip


def _rated(said: RuleVerdict) -> str:
    return gettext("Number of ratings: %(saw)s, wanted at least %(wanted)s") % _figures(said)


def _bids(said: RuleVerdict) -> str:
    return gettext("Bids: %(saw)s, wanted at most %(wanted)s") % _figures(said)


def _ends_within(said: RuleVerdict) -> str:
    return gettext("Time to its end: %(saw)s, wanted at most %(wanted)s") % _spans(said)


def _listed_within(said: RuleVerdict) -> str:
    return gettext("Time since it was listed: %(saw)s, wanted at most %(wanted)s") % _spans(said)


def _saw(said: RuleVerdict) -> str:
    return str(said.get("saw", ""))


def _unknown() -> str:
    return pgettext("figure", "unknown")


def _whole(text: str) -> int | None:
    return int(text) if text.isdecimal() else None


def _percent(text: str) -> str:
    try:
        return f"{float(text):.4g} %" if text else _unknown()
    except ValueError:
        return text


def _figures(said: RuleVerdict) -> dict[str, str]:
    figures = {name: _whole(str(said.get(name, ""))) for name in ("saw", "wanted")}
    return {name: _unknown() if figure is None else f"{figure:,}" for name, figure in figures.items()}


def _spans(said: RuleVerdict) -> dict[str, str]:
    """Seconds in words; what is over already is nought."""
    texts = {name: str(said.get(name, "")) for name in ("saw", "wanted")}
    return {name: _span(text) for name, text in texts.items()}


def _span(text: str) -> str:
    if not text.removeprefix("-").isdecimal():
        return _unknown()
    return wording.duration(max(0, int(text)))


def _named(names: Mapping[Any, Any], kind: Any, value: str) -> str:
    """The word for a value; the bare value where a newer version wrote one that this one does not know."""
    if value == "unknown" and value not in names:
        return _unknown()
    return str(names.get(kind(value), value)) if value in set(kind) else value


def _all_named(names: Mapping[Any, Any], kind: Any, said: RuleVerdict) -> str:
    return listed(_named(names, kind, value) for value in str(said.get("wanted", "")).split())


SAID: Mapping[str, Callable[[RuleVerdict], str]] = {
    "status": _status,
    "must": _must,
    "any_of": _any_of,
    "none_of": _none_of,
    "blocked_phrase": _blocked_phrase,
    "pattern": _pattern,
    "kind": _kind,
    "condition": _condition,
    "shipping": _shipping,
    "blocked_seller": _blocked_seller,
    "rating": _rating,
    "rated": _rated,
    "bids": _bids,
    "ends_within": _ends_within,
    "listed_within": _listed_within,
}

"""Why a listing matched, in words: the decisions that were stored with the match, one line a rule."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.translation import gettext, pgettext

from monitor_site.contract import Condition, Shipping
from monitor_site.watches.matching import Verdict

from . import wording
from .named import CONDITIONS, SHIPPINGS

RuleVerdict = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One rule in a sentence; ``good`` when it said yes."""

    words: str
    good: bool


def lines_of(decision: list[RuleVerdict]) -> list[Line]:
    """The rules that this version knows, in the order in which they were asked."""
    return list(_lines(decision))


def _lines(decision: list[RuleVerdict]) -> Iterator[Line]:
    for said in decision:
        if say := SAID.get(str(said.get("rule"))):
            yield Line(words=say(said), good=said.get("verdict") == Verdict.PASS)


def _listed(words: list[str]) -> str:
    return pgettext("between words", ", ").join(words)


def _must(said: RuleVerdict) -> str:
    return gettext("The title has every word: %(words)s") % {"words": _listed(said.get("words", []))}


def _any_of(said: RuleVerdict) -> str:
    return gettext("The title has at least one of the words: %(words)s") % {"words": _listed(said.get("words", []))}


def _none_of(said: RuleVerdict) -> str:
    return gettext("The title has none of the words: %(words)s") % {"words": said.get("wanted", "")}


def _status(_: RuleVerdict) -> str:
    return gettext("It was on sale")


def _price(said: RuleVerdict) -> str:
    saw = str(said.get("saw", ""))
    facts = {"price": wording.money(int(saw) if saw.isdecimal() else None), "wanted": _limits(said)}
    return gettext("Price %(price)s, wanted %(wanted)s") % facts


def _limits(said: RuleVerdict) -> str:
    low, _, high = str(said.get("wanted", "")).partition("–")
    return wording.limits(int(low) if low.isdecimal() else None, int(high) if high.isdecimal() else None)


def _condition(said: RuleVerdict) -> str:
    wanted = _listed([_named(CONDITIONS, Condition, word) for word in str(said.get("wanted", "")).split()])
    facts = {"condition": _named(CONDITIONS, Condition, str(said.get("saw", ""))), "wanted": wanted}
    return gettext("Condition “%(condition)s”, wanted %(wanted)s") % facts


def _shipping(said: RuleVerdict) -> str:
    saw = _named(SHIPPINGS, Shipping, str(said.get("saw", "")))
    return gettext("Shipping: %(shipping)s, wanted included") % {"shipping": saw}


def _named(names: Mapping[Any, Any], kind: Any, value: str) -> str:
    """The word for a value; the bare value where a newer version wrote one that this one does not know."""
    return str(names.get(kind(value), value)) if value in set(kind) else value


SAID: Mapping[str, Callable[[RuleVerdict], str]] = {
    "status": _status,
    "must": _must,
    "any_of": _any_of,
    "none_of": _none_of,
    "price": _price,
    "condition": _condition,
    "shipping": _shipping,
}

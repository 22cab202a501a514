"""Why a listing matched, in words: the decisions that were stored with the match, one line a rule."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
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


def lines_of(decision: list[RuleVerdict], *, currency: str = wording.YEN) -> list[Line]:
    """The rules that this version knows, in the order in which they were asked; prices are in ``currency``."""
    return list(_lines(decision, currency))


def _lines(decision: list[RuleVerdict], currency: str) -> Iterator[Line]:
    known: Mapping[str, Callable[[RuleVerdict], str]] = {**SAID, "price": partial(_price, currency=currency)}
    for said in decision:
        if say := known.get(str(said.get("rule"))):
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


def _price(said: RuleVerdict, currency: str) -> str:
    saw = str(said.get("saw", ""))
    facts = {"price": wording.money(_bound(saw), currency), "wanted": _limits(said, currency)}
    return gettext("Price %(price)s, wanted %(wanted)s") % facts


def _limits(said: RuleVerdict, currency: str) -> str:
    low, _, high = str(said.get("wanted", "")).partition("–")
    return wording.limits(_bound(low), _bound(high), currency)


def _bound(text: str) -> int | None:
    return int(text) if text.isdecimal() else None


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
    "condition": _condition,
    "shipping": _shipping,
}

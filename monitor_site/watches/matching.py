"""Whether a sighting is what a watch wants, rule by rule. Pure: the same function serves checks, pages and tests.

Unknown is not a mismatch and not a match: a rule about something the marketplace did not say answers ``unknown``.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import TypedDict

from monitor_site.contract import Condition, Shipping, Sighting, Status

from .text import contains, fold


class Verdict(StrEnum):
    """What a rule says."""

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    FAIL = "fail"
    UNKNOWN = "unknown"


class RuleVerdict(TypedDict):
    """One rule's decision with the value it saw; stored with the match and shown to the person."""

    rule: str
    verdict: str
    saw: str
    wanted: str
    words: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """What a watch accepts, as plain values. Prices are in minor units of ``currency``."""

    must: tuple[str, ...] = ()
    any_of: tuple[str, ...] = ()
    none_of: tuple[str, ...] = ()
    price_min: int | None = None
    price_max: int | None = None
    currency: str = "JPY"
    conditions: tuple[str, ...] = ()
    shipping_included: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """All rules, in the order in which a person thinks: still there, words, price, state, shipping."""

    rules: tuple[RuleVerdict, ...]

    @property
    def matches(self) -> bool:
        """Every rule says yes."""
        return all(one["verdict"] == Verdict.PASS for one in self.rules)

    @property
    def rejected(self) -> bool:
        """Some rule says no."""
        return any(one["verdict"] == Verdict.FAIL for one in self.rules)


def decide(rule: Rule, sighting: Sighting) -> Decision:
    """Ask every rule that the watch has."""
    title = fold(sighting.title)
    asked = (
        _on_sale(sighting),
        _must(rule, title),
        _any_of(rule, title),
        _none_of(rule, title),
        _price(rule, sighting),
        _condition(rule, sighting),
        _shipping(rule, sighting),
    )
    return Decision(rules=tuple(one for one in asked if one is not None))


def _verdict(rule: str, verdict: Verdict, *, saw: str = "", wanted: str = "", words: Iterable[str] = ()) -> RuleVerdict:
    return RuleVerdict(rule=rule, verdict=verdict.value, saw=saw, wanted=wanted, words=list(words))


def _yes_or_no(yes: bool) -> Verdict:
    return Verdict.PASS if yes else Verdict.FAIL


def _on_sale(sighting: Sighting) -> RuleVerdict:
    verdict = Verdict.UNKNOWN if sighting.status is Status.UNKNOWN else _yes_or_no(sighting.status is Status.ON_SALE)
    return _verdict("status", verdict, saw=sighting.status.value, wanted=Status.ON_SALE.value)


def _must(rule: Rule, title: str) -> RuleVerdict | None:
    return _words(rule.must, title, name="must", good=lambda found: len(found) == len(rule.must))


def _any_of(rule: Rule, title: str) -> RuleVerdict | None:
    return _words(rule.any_of, title, name="any_of", good=bool)


def _none_of(rule: Rule, title: str) -> RuleVerdict | None:
    return _words(rule.none_of, title, name="none_of", good=lambda found: not found)


def _words(words: tuple[str, ...], title: str, *, name: str, good: Callable[[list[str]], bool]) -> RuleVerdict | None:
    if not words:
        return None
    found = [word for word in words if contains(title, word)]
    return _verdict(name, _yes_or_no(good(found)), saw=title, wanted=" ".join(words), words=found)


def _price(rule: Rule, sighting: Sighting) -> RuleVerdict | None:
    if rule.price_min is None and rule.price_max is None:
        return None
    wanted = f"{'' if rule.price_min is None else rule.price_min}–{'' if rule.price_max is None else rule.price_max}"
    if sighting.price is None or sighting.price.amount == 0 or sighting.price.currency != rule.currency:
        return _verdict("price", Verdict.UNKNOWN, wanted=wanted)
    inside = _within(sighting.price.amount, rule.price_min, rule.price_max)
    return _verdict("price", _yes_or_no(inside), saw=str(sighting.price.amount), wanted=wanted)


def _within(amount: int, low: int | None, high: int | None) -> bool:
    return (low is None or amount >= low) and (high is None or amount <= high)


def _condition(rule: Rule, sighting: Sighting) -> RuleVerdict | None:
    if not rule.conditions:
        return None
    seen = sighting.condition
    verdict = Verdict.UNKNOWN if seen is Condition.UNKNOWN else _yes_or_no(seen.value in rule.conditions)
    return _verdict("condition", verdict, saw=seen.value, wanted=" ".join(rule.conditions))


def _shipping(rule: Rule, sighting: Sighting) -> RuleVerdict | None:
    if not rule.shipping_included:
        return None
    seen = sighting.shipping
    verdict = Verdict.UNKNOWN if seen is Shipping.UNKNOWN else _yes_or_no(seen is Shipping.INCLUDED)
    return _verdict("shipping", verdict, saw=seen.value, wanted=Shipping.INCLUDED.value)

"""What would loosen the one rule that rejects a listing: offered on its reason, put into the form on request.

Only a rule whose next step is plain is offered, and nothing is saved here. What somebody blocks everywhere is no rule
of one watch, and of several words of which one is enough nobody can say which to add.
"""

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import gettext

from monitor_site.watches.matching import Rule, RuleVerdict, alternatives
from monitor_site.watches.models import ShippingWish
from monitor_site.watches.models.watches import LONGEST_AGE_HOURS, LONGEST_WINDOW_MINUTES
from monitor_site.watches.named import CONDITIONS, KINDS
from monitor_site.watches.text import fold

from . import rule_words
from .query_filters import number
from .watch_fields import split_words

MINUTE, HOUR = 60, 3600
WORDS = ("must", "none_of")
ADDED: Mapping[str, Mapping[Any, Any]] = {"kinds": KINDS, "conditions": CONDITIONS}
RAISED = ("price_max", "bids_max", "ends_within_minutes", "listed_within_hours")
LOWERED = ("price_min", "rating_min", "rated_min")
FIELDS = {*WORDS, *ADDED, *RAISED, *LOWERED, "pattern", "shipping"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One field of the form made wider: dropped words, one more choice, or a limit that is met just so."""

    field: str
    value: str = ""

    @classmethod
    def of(cls, ask: str) -> "Step | None":
        """From what a button sent; ``None`` for what makes no sense."""
        field, _, value = ask.partition(":")
        return cls(field=field, value=value[:2000]) if field in FIELDS else None

    @property
    def ask(self) -> str:
        """What its button sends."""
        return f"{self.field}:{self.value}"

    def words(self, currency: str) -> str:
        """What is asked for then, in a few words."""
        if self.field in WORDS:
            return _without(self)
        if self.field in ADDED:
            return gettext("also “%(name)s”") % {"name": ADDED[self.field][self.value]}
        if self.field == "shipping":
            return str(ShippingWish.ANY.label)
        facts = {self.field: number(self.value), "currency": currency}
        said = [fact for about in rule_words.SECTIONS.values() for fact in about(facts)]
        return said[0] if said else gettext("no pattern")


def _without(step: Step) -> str:
    told = {"words": rule_words.listed(step.value.split("|"))}
    if step.field == "must":
        return gettext("without the wanted word %(words)s") % told
    return gettext("without the unwanted word %(words)s") % told


def step_of(said: RuleVerdict, rule: Rule) -> Step | None:
    """What would make this rule say yes to what it has just refused; ``None`` where that is not plain."""
    widen = STEPS.get(said["rule"])
    return widen(said, rule) if widen else None


def _must(said: RuleVerdict, rule: Rule) -> Step | None:
    """Not the last word: it is what marketplaces are asked for."""
    missing = [word for word in rule.must if not set(alternatives(word)) & set(said["words"])]
    return None if len(missing) == len(rule.must) else Step(field="must", value="|".join(missing))


def _none_of(said: RuleVerdict, _rule: Rule) -> Step:
    return Step(field="none_of", value="|".join(said["words"]))


def _price(said: RuleVerdict, rule: Rule) -> Step:
    above = rule.price_max is not None and int(said["saw"]) > rule.price_max
    return Step(field="price_max" if above else "price_min", value=said["saw"])


def _rating(said: RuleVerdict, _rule: Rule) -> Step | None:
    return _at_least("rating_min", math.floor(float(said["saw"])))


def _at_least(field: str, figure: int) -> Step | None:
    """None at all is another wish: no number says it."""
    return Step(field=field, value=str(figure)) if figure else None


def _ends_within(said: RuleVerdict, _rule: Rule) -> Step | None:
    return _span("ends_within_minutes", int(said["saw"]) // MINUTE + 1, LONGEST_WINDOW_MINUTES)


def _listed_within(said: RuleVerdict, _rule: Rule) -> Step | None:
    """A listing grows older while somebody reads: the next whole hour."""
    return _span("listed_within_hours", int(said["saw"]) // HOUR + 1, LONGEST_AGE_HOURS)


def _span(field: str, units: int, most: int) -> Step | None:
    return Step(field=field, value=str(units)) if units <= most else None


STEPS: Mapping[str, Callable[[RuleVerdict, Rule], Step | None]] = {
    "must": _must,
    "none_of": _none_of,
    "pattern": lambda _said, _rule: Step(field="pattern"),
    "kind": lambda said, _rule: Step(field="kinds", value=said["saw"]),
    "price": _price,
    "condition": lambda said, _rule: Step(field="conditions", value=said["saw"]),
    "shipping": lambda _said, _rule: Step(field="shipping", value=ShippingWish.ANY),
    "rating": _rating,
    "rated": lambda said, _rule: _at_least("rated_min", int(said["saw"])),
    "bids": lambda said, _rule: Step(field="bids_max", value=said["saw"]),
    "ends_within": _ends_within,
    "listed_within": _listed_within,
}


def loosened(typed: QueryDict, step: Step, fields: Mapping[str, forms.Field]) -> QueryDict:
    """What is typed with this step taken; the same where it would loosen nothing any more."""
    wider, values = typed.copy(), typed.getlist(step.field)
    if any(values):
        wider.setlist(step.field, _wider(values, step, fields[step.field]))
    return wider


def _wider(values: list[str], step: Step, field: forms.Field) -> list[str]:
    if step.field in WORDS:
        return [_less(values[-1], step.value.split("|"))]
    if isinstance(field, forms.MultipleChoiceField):
        return [*values, step.value] if step.value not in values and field.valid_value(step.value) else values
    if step.field == "shipping":
        return [ShippingWish.ANY]
    return [""] if step.field == "pattern" else [_figure(values[-1], step, field)]


def _less(text: str, dropped: Iterable[str]) -> str:
    """The words without these spellings; as it was typed when none of them is there."""
    gone = {fold(spelling) for spelling in dropped}
    words = [(word, [one for one in alternatives(word) if fold(one) not in gone]) for word in split_words(text)]
    if all(len(left) == len(alternatives(word)) for word, left in words):
        return text
    return ", ".join("|".join(left) for _word, left in words if left)


def _figure(text: str, step: Step, field: forms.Field) -> str:
    """Never a tighter limit than the one that stands there, and none where none is."""
    wanted = number(step.value)
    try:
        stands = field.clean(text)
    except ValidationError:
        return text
    if not wanted or stands is None or (wanted <= stands if step.field in RAISED else wanted >= stands):
        return text
    return str(field.prepare_value(wanted))

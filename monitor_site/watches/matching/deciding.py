"""All rules asked, and what follows. Pure."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from itertools import accumulate, islice

from monitor_site.contract import Sighting

from .figures import figure_rules, on_sale
from .rule import Rule
from .verdicts import RuleVerdict, Verdict
from .words import word_rules

# What a look at the listing alone may tell although its search did not.
A_LOOK_TELLS = frozenset({
    "status", "must", "any_of", "none_of", "blocked_phrase", "price", "condition", "shipping", "blocked_seller",
    "rating", "rated", "bids", "ends_within", "listed_within",
})  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """All rules, in the order in which a person thinks: still there, words, price, state, seller, time."""

    rules: tuple[RuleVerdict, ...]

    @property
    def matches(self) -> bool:
        """Every rule says yes."""
        return all(one["verdict"] == Verdict.PASS for one in self.rules)

    @property
    def rejected(self) -> bool:
        """Some rule says no."""
        return self.rejection is not None

    @property
    def rejection(self) -> RuleVerdict | None:
        """The first rule that says no: the reason a person is told."""
        return next((one for one in self.rules if one["verdict"] == Verdict.FAIL), None)

    @property
    def open_rules(self) -> tuple[str, ...]:
        """The names of the rules that cannot tell yet."""
        return tuple(one["rule"] for one in self.rules if one["verdict"] == Verdict.UNKNOWN)

    @property
    def needs_a_look(self) -> bool:
        """Nothing speaks against it, and all that is open may be told by a look at the listing alone."""
        return not self.rejected and bool(self.open_rules) and set(self.open_rules) <= A_LOOK_TELLS


def decide(rule: Rule, sighting: Sighting, *, now: datetime) -> Decision:
    """Ask every rule that the watch has."""
    words = word_rules(rule, sighting)
    figures = figure_rules(rule, sighting, now=now)
    return Decision(rules=(on_sale(sighting), *words, *figures))


def funnel(decisions: Iterable[Decision]) -> list[tuple[str, int]]:
    """For each rule, in order, how many sightings are left after it; those a rule cannot tell stay in."""
    asked: dict[str, None] = {}
    ended: Counter[str] = Counter()
    total = 0
    for decision in decisions:
        total += 1
        asked |= dict.fromkeys(one["rule"] for one in decision.rules)
        if (rejection := decision.rejection) is not None:
            ended[rejection["rule"]] += 1
    left = accumulate(asked, lambda count, name: count - ended[name], initial=total)
    return list(zip(asked, islice(left, 1, None), strict=True))

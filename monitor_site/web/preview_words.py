"""What a rule says of a listing, in a few words: for the chips of a preview and of "why not?"."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext, pgettext, pgettext_lazy

from monitor_site import wording
from monitor_site.contract import Condition, Kind, Shipping, Status
from monitor_site.watches.matching import Rule, RuleVerdict, Verdict
from monitor_site.watches.matching.words import alternatives
from monitor_site.watches.named import CONDITIONS, ENDED, SHIPPINGS

RULES: Mapping[str, "str | Promise"] = {
    "status": pgettext_lazy("rule", "on sale"),
    "must": pgettext_lazy("rule", "all words"),
    "any_of": pgettext_lazy("rule", "one of the words"),
    "none_of": pgettext_lazy("rule", "unwanted words"),
    "blocked_phrase": pgettext_lazy("rule", "blocked phrases"),
    "pattern": pgettext_lazy("rule", "pattern"),
    "kind": pgettext_lazy("rule", "kind"),
    "price": pgettext_lazy("rule", "price"),
    "condition": pgettext_lazy("rule", "condition"),
    "shipping": pgettext_lazy("rule", "shipping"),
    "blocked_seller": pgettext_lazy("rule", "blocked sellers"),
    "rating": pgettext_lazy("rule", "seller's rating"),
    "rated": pgettext_lazy("rule", "number of ratings"),
    "bids": pgettext_lazy("rule", "bids"),
    "ends_within": pgettext_lazy("rule", "end of the auction"),
    "listed_within": pgettext_lazy("rule", "age"),
}
KINDS = {
    Kind.FIXED: pgettext_lazy("kind", "fixed price"),
    Kind.AUCTION: pgettext_lazy("kind", "auction"),
    Kind.SHOP: pgettext_lazy("kind", "shop"),
    Kind.FLEA: pgettext_lazy("kind", "fixed price"),
}


def rule_name(rule: str) -> str:
    """What people call a rule; its bare name when nobody has words for it."""
    return str(RULES.get(rule, rule))


def chip(said: RuleVerdict, rule: Rule) -> str:
    """One rule's no, or that it cannot tell, with the value it saw."""
    if said["verdict"] == Verdict.UNKNOWN:
        return gettext("%(rule)s not told") % {"rule": rule_name(said["rule"])}
    say = CHIPS.get(said["rule"])
    return say(said, rule) if say else f"{rule_name(said['rule'])}: {said['saw']}"


def _listed(words: Any) -> str:
    return pgettext("between words", ", ").join(words)


def _status(said: RuleVerdict, _rule: Rule) -> str:
    return _named(ENDED, Status, said["saw"])


def _named(names: Mapping[Any, Any], kind: Any, value: str) -> str:
    return str(names.get(kind(value), value)) if value in set(kind) else value


def _must(said: RuleVerdict, rule: Rule) -> str:
    missing = [word for word in rule.must if not set(alternatives(word)) & set(said["words"])]
    return gettext("missing: %(words)s") % {"words": _listed(missing)}


def _any_of(said: RuleVerdict, _rule: Rule) -> str:
    return gettext("none of: %(words)s") % {"words": said["wanted"]}


def _unwanted(said: RuleVerdict, _rule: Rule) -> str:
    return gettext("unwanted: %(words)s") % {"words": _listed(said["words"])}


def _pattern(_said: RuleVerdict, _rule: Rule) -> str:
    return gettext("the pattern does not fit")


def _kind(said: RuleVerdict, _rule: Rule) -> str:
    return _named(KINDS, Kind, said["saw"])


def _price(said: RuleVerdict, rule: Rule) -> str:
    saw = int(said["saw"])
    above = rule.price_max is not None and saw > rule.price_max
    limit = rule.price_max if above else rule.price_min
    return f"{wording.money(saw, rule.currency)} {'>' if above else '<'} {wording.money(limit, rule.currency)}"


def _condition(said: RuleVerdict, _rule: Rule) -> str:
    return _named(CONDITIONS, Condition, said["saw"])


def _shipping(said: RuleVerdict, _rule: Rule) -> str:
    return _named(SHIPPINGS, Shipping, said["saw"])


def _blocked_seller(_said: RuleVerdict, _rule: Rule) -> str:
    return gettext("blocked seller")


def _rating(said: RuleVerdict, rule: Rule) -> str:
    return gettext("rating %(saw)s < %(wanted)s") % {
        "saw": f"{float(said['saw']):g}%",
        "wanted": f"{rule.rating_min:g}%",
    }


def _rated(said: RuleVerdict, rule: Rule) -> str:
    return gettext("%(saw)s ratings < %(wanted)s") % {"saw": said["saw"], "wanted": rule.rated_min}


def _bids(said: RuleVerdict, _rule: Rule) -> str:
    return ngettext("%(n)s bid", "%(n)s bids", int(said["saw"])) % {"n": said["saw"]}


def _ends(said: RuleVerdict, _rule: Rule) -> str:
    return gettext("ends in %(time)s") % {"time": wording.duration(int(said["saw"]))}


def _listed_before(said: RuleVerdict, _rule: Rule) -> str:
    return gettext("listed %(time)s ago") % {"time": wording.duration(int(said["saw"]))}


CHIPS: Mapping[str, Callable[[RuleVerdict, Rule], str]] = {
    "status": _status,
    "must": _must,
    "any_of": _any_of,
    "none_of": _unwanted,
    "blocked_phrase": _unwanted,
    "pattern": _pattern,
    "kind": _kind,
    "price": _price,
    "condition": _condition,
    "shipping": _shipping,
    "blocked_seller": _blocked_seller,
    "rating": _rating,
    "rated": _rated,
    "bids": _bids,
    "ends_within": _ends,
    "listed_within": _listed_before,
}

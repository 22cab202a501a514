"""The rule of a watch in short phrases, by the sections of its form. ``values`` are fields of a watch by name."""

from collections.abc import Callable, Mapping
from typing import Any

from django.utils.dates import WEEKDAYS_ABBR
from django.utils.functional import Promise
from django.utils.translation import gettext, gettext_lazy, ngettext, pgettext, pgettext_lazy

from monitor_site import second_currency, wording
from monitor_site.contract import Condition, Kind
from monitor_site.watches.models import RelistedWish, ShippingWish
from monitor_site.watches.named import CONDITIONS, KINDS

Values = Mapping[str, Any]
NOTHING: Mapping[str, "str | Promise"] = {
    "words": pgettext_lazy("words", "in the title only"),
    "limits": pgettext_lazy("limits", "any price, any condition"),
    "seller": pgettext_lazy("limits", "any seller"),
    "when": pgettext_lazy("times", "at any time"),
    "auctions": pgettext_lazy("limits", "any end, any number of bids"),
}


RELISTED: Mapping[str, "str | Promise"] = {
    RelistedWish.SILENT: gettext_lazy("listed again: quietly"),
    RelistedWish.PRICE_CHANGE: gettext_lazy("listed again: only at another price"),
}


def listed(words: Any) -> str:
    """A list in the reader's language."""
    return pgettext("between words", ", ").join(map(str, words))


def word_facts(values: Values) -> list[str]:
    """Where words are looked for beside the title, and what the title must look like."""
    facts = [gettext("also in the description")] if values.get("in_description") else []
    if pattern := values.get("pattern"):
        facts.append(gettext("title like %(pattern)s") % {"pattern": pattern})
    return facts


def price_fact(values: Values) -> str:
    """The limits of the price; empty where there are none."""
    low, high = values.get("price_min"), values.get("price_max")
    if not low and high is None:
        return ""
    currency = values.get("currency") or wording.YEN
    price = wording.limits(low, high, currency, written=second_currency.both)
    return gettext("%(price)s with shipping") % {"price": price} if values.get("landed") else price


def limit_facts(values: Values) -> list[str]:
    """Price, kind, condition, shipping, age."""
    price = price_fact(values)
    return [price, *other_limit_facts(values)] if price else other_limit_facts(values)


def other_limit_facts(values: Values) -> list[str]:
    """Kind, condition, shipping, age."""
    facts = []
    if kinds := values.get("kinds"):
        facts.append(listed(KINDS[Kind(kind)] for kind in kinds))
    if grades := values.get("conditions"):
        facts.append(listed(CONDITIONS[Condition(grade)] for grade in grades))
    if values.get("shipping") == ShippingWish.INCLUDED:
        facts.append(gettext("shipping included"))
    if hours := values.get("listed_within_hours"):
        facts.append(gettext("listed within %(time)s") % {"time": wording.duration(hours * wording.HOUR)})
    if word := RELISTED.get(values.get("relisted") or ""):
        facts.append(str(word))
    return facts


def seller_facts(values: Values) -> list[str]:
    """What others say of the seller."""
    facts = []
    if (rating := values.get("rating_min")) is not None:
        facts.append(gettext("rating from %(n)s %%") % {"n": rating})
    if (count := values.get("rated_min")) is not None:
        words = ngettext("at least %(n)s rating", "at least %(n)s ratings", count)
        facts.append(words % {"n": f"{count:,}"})
    return facts


def auction_facts(values: Values) -> list[str]:
    """What an auction must be like; other listings are not asked."""
    facts = []
    if (minutes := values.get("ends_within_minutes")) is not None:
        facts.append(
            gettext("auctions that end within %(time)s") % {"time": wording.duration(minutes * wording.MINUTE)}
        )
    if (bids := values.get("bids_max")) is not None:
        words = ngettext("auctions with at most %(n)s bid", "auctions with at most %(n)s bids", bids)
        facts.append(words % {"n": f"{bids:,}"} if bids else gettext("auctions without bids"))
    return facts


def when_facts(values: Values) -> list[str]:
    """When it is asked, beside its interval."""
    facts = []
    if values.get("active_from") is not None and values.get("active_to") is not None:
        facts.append(f"{minute_words(values['active_from'])}–{minute_words(values['active_to'])}")
    if days := values.get("weekdays"):
        facts.append(listed(WEEKDAYS_ABBR[day] for day in days))
    if cron := values.get("cron"):
        facts.append(gettext("at times: %(cron)s") % {"cron": cron})
    odd = {"jitter": gettext("a little irregularly"), "adaptive": gettext("as often as it is worth")}
    return [*facts, *(words for name, words in odd.items() if values.get(name))]


def minute_words(minute: int) -> str:
    """A minute of the day as a clock shows it."""
    return f"{minute // 60:02}:{minute % 60:02}"


SECTIONS: Mapping[str, Callable[[Values], list[str]]] = {
    "words": word_facts,
    "limits": limit_facts,
    "seller": seller_facts,
    "when": when_facts,
    "auctions": auction_facts,
}


def summary(section: str, values: Values) -> str:
    """A section in one line."""
    return " · ".join(SECTIONS[section](values)) or str(NOTHING[section])

"""The triggers of a listing watch in words: what is wished, what each says of a price, and what crossed."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext, ngettext

from monitor_site import second_currency, wording
from monitor_site.watches.matching import Verdict
from monitor_site.watches.models import Crossing, Watch
from monitor_site.watches.triggers import BEGAN

Said = Mapping[str, Any]


def wish_facts(values: Mapping[str, Any], currency: str = wording.YEN) -> list[str]:
    """What a person wants to be told of, each a whole phrase; ``values`` are fields of a watch by name."""
    facts = [phrase(values[name], currency) for name, phrase in WISHES.items() if values.get(name)]
    return [*facts, *([gettext("back on sale")] if values.get("back_on_sale") else [])]


def _days(count: int, currency: str) -> str:  # noqa: ARG001 - a phrase like the others
    return ngettext("lowest in %(n)s day", "lowest in %(n)s days", count) % {"n": count}


WISHES: Mapping[str, Callable[[Any, str], str]] = {
    "fall_percent": lambda wish, _: gettext("falls by %(n)s%%") % {"n": wish},
    "fall_amount": lambda wish, currency: gettext("falls by %(amount)s") % {"amount": wording.money(wish, currency)},
    "price_max": lambda wish, currency: gettext("≤ %(price)s") % {"price": second_currency.both(wish, currency)},
    "lowest_days": _days,
    "rise_percent": lambda wish, _: gettext("rises by %(n)s%%") % {"n": wish},
    "rise_amount": lambda wish, currency: gettext("rises by %(amount)s") % {"amount": wording.money(wish, currency)},
    "ends_within_minutes": lambda wish, _: (
        gettext("ends within %(time)s") % {"time": wording.duration(wish * wording.MINUTE)}
    ),
}


def facts_of(watch: Watch) -> list[str]:
    """The triggers of a watch."""
    return wish_facts(vars(watch), watch.currency)


def change_words(price: int, base: int, *, since: str = BEGAN) -> str:
    """By how much a price differs from the one it is measured from; never more than it is."""
    tenths = 1000 * abs(price - base) // base
    share = f"{tenths // 10}" if tenths % 10 == 0 else f"{tenths // 10}.{tenths % 10}"
    if price == base:
        return gettext("as when you began") if since == BEGAN else gettext("as you were told last")
    began, told = (
        (gettext("%(n)s%% below when you began"), gettext("%(n)s%% below what you were told last"))
        if price < base
        else (gettext("%(n)s%% above when you began"), gettext("%(n)s%% above what you were told last"))
    )
    return (began if since == BEGAN else told) % {"n": share}


def line_of(said: Said, currency: str) -> str:
    """What one trigger says; empty for a rule that is none."""
    say = LINES.get(str(said.get("rule")))
    return say(said, currency) if say else ""


def headline_of(decision: Sequence[Said], currency: str) -> str:
    """What crossed, in one phrase: that of the first verdict."""
    say = HEADLINES.get(str(decision[0].get("rule"))) if decision else None
    return say(decision[0], currency) if say else ""


def crossing_words(crossing: Crossing, currency: str) -> str:
    """What was told, as a line of a list."""
    price = wording.money(crossing.price, currency)
    if crossing.before and crossing.price and crossing.before != crossing.price:
        price = gettext("%(before)s → %(price)s") % {"before": wording.money(crossing.before, currency), "price": price}
    return gettext("%(event)s: %(price)s") % {"event": crossing.get_kind_display(), "price": price}


def _whole(text: object) -> int | None:
    return int(str(text)) if str(text).isdecimal() else None


def _facts(said: Said, currency: str) -> dict[str, str]:
    price, base = _whole(said.get("saw")), _base(said)
    since = (said.get("words") or ["", BEGAN])[-1]
    return {
        "price": wording.money(price, currency),
        "before": wording.money(base, currency),
        "change": change_words(price, base, since=since) if price and base else "",
        "wish": wording.money(_whole(said.get("wanted")), currency),
        "n": str(said.get("wanted", "")),
    }


def _base(said: Said) -> int | None:
    words = said.get("words") or [""]
    return _whole(words[0])


def _priced(sentence: Callable[[], str]) -> Callable[[Said, str], str]:
    """A line about a price; what is not known says so."""

    def line(said: Said, currency: str) -> str:
        if said.get("verdict") == Verdict.UNKNOWN:
            return gettext("The price is not known")
        return sentence() % _facts(said, currency)

    return line


def _lowest(said: Said, currency: str) -> str:
    count = _whole(said.get("wanted")) or 0
    if said.get("verdict") == Verdict.UNKNOWN:
        sentence = ngettext(
            "Prices are not known for %(n)s day yet, so nobody can say whether it is the lowest",
            "Prices are not known for %(n)s days yet, so nobody can say whether it is the lowest",
            count,
        )
        return sentence % {"n": count}
    if said.get("verdict") == Verdict.PASS:
        sentence = ngettext(
            "Price %(price)s, the lowest in %(n)s day; before it was %(before)s",
            "Price %(price)s, the lowest in %(n)s days; before it was %(before)s",
            count,
        )
    else:
        sentence = ngettext(
            "Price %(price)s, the lowest in %(n)s day was %(before)s",
            "Price %(price)s, the lowest in %(n)s days was %(before)s",
            count,
        )
    return sentence % _facts(said, currency)


def _back(said: Said, currency: str) -> str:  # noqa: ARG001 - a line like the others
    words = {
        Verdict.PASS.value: gettext("It is on sale"),
        Verdict.FAIL.value: gettext("It is not on sale; you are told when it is again"),
    }
    return words.get(str(said.get("verdict")), gettext("Nobody said whether it is on sale"))


def _span(text: object) -> str:
    return wording.duration(_whole(text) or 0)


def _ending(said: Said, currency: str) -> str:  # noqa: ARG001 - a line like the others
    if said.get("verdict") == Verdict.UNKNOWN:
        return gettext("No end is known")
    return gettext("Time to its end: %(saw)s, wanted at most %(wanted)s") % {
        "saw": _span(said.get("saw")), "wanted": _span(said.get("wanted"))
    }  # fmt: skip


LINES: Mapping[str, Callable[[Said, str], str]] = {
    "fall_percent": _priced(lambda: gettext("Price %(price)s, %(change)s; you are told at %(n)s%% below")),
    "fall_amount": _priced(lambda: gettext("Price %(price)s, %(change)s; you are told at %(wish)s below")),
    "limit": _priced(lambda: gettext("Price %(price)s; you are told at %(wish)s or less")),
    "lowest": _lowest,
    "rise_percent": _priced(lambda: gettext("Price %(price)s, %(change)s; you are told at %(n)s%% above")),
    "rise_amount": _priced(lambda: gettext("Price %(price)s, %(change)s; you are told at %(wish)s above")),
    "back": _back,
    "ending": _ending,
}


def _moved(said: Said, currency: str) -> str:
    return gettext("%(before)s → %(price)s, %(change)s") % _facts(said, currency)


def _at_limit(said: Said, currency: str) -> str:
    facts = _facts(said, currency)
    if _base(said) in (None, _whole(said.get("saw"))):
        return gettext("%(price)s, within your limit of %(wish)s") % facts
    return gettext("%(before)s → %(price)s, within your limit of %(wish)s") % facts


def _the_lowest(said: Said, currency: str) -> str:
    count = _whole(said.get("wanted")) or 0
    words = ngettext("%(price)s, the lowest in %(n)s day", "%(price)s, the lowest in %(n)s days", count)
    return words % _facts(said, currency)


HEADLINES: Mapping[str, Callable[[Said, str], str]] = {
    "fall_percent": _moved,
    "fall_amount": _moved,
    "limit": _at_limit,
    "lowest": _the_lowest,
    "rise_percent": _moved,
    "rise_amount": _moved,
    "back": lambda said, currency: gettext("Back on sale, price %(price)s") % _facts(said, currency),
    "ending": lambda said, _: gettext("Ends within %(time)s") % {"time": _span(said.get("wanted"))},
}

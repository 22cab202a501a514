"""What a person may wish for, checked and put into one form. Every refusal is a sentence for that person."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import get_language, ngettext, pgettext
from django.utils.translation import gettext as _

from monitor_site.contract import Condition, SearchCriteria
from monitor_site.marketplaces.catalog import catalog

from .models import Policy, ShippingWish
from .pages import currency_of
from .text import fold

LONGEST_NAME = 80
LONGEST_WORD = 60
MOST_WORDS = 20
MOST_QUESTIONS = 5
HIGHEST_PRICE = 9_999_998
LONGEST_INTERVAL = 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The content of a watch as a person states it.

    Prices are in minor units of the currency that all its marketplaces share. ``options`` are the plugins' own
    criteria: marketplace → option → value.
    """

    name: str
    marketplaces: Sequence[str]
    must: Sequence[str] = ()
    any_of: Sequence[str] = ()
    none_of: Sequence[str] = ()
    price_min: int | None = None
    price_max: int | None = None
    conditions: Sequence[str] = ()
    shipping: str = ShippingWish.ANY
    interval_seconds: int = 60
    policy: str = Policy.NOTIFY
    tell_existing: bool = False
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def checked(wish: Wish) -> Wish:
    """The wish in its one form: trimmed, without doubles. Raises ``ValidationError`` with a sentence per field."""
    errors: dict[str, list[str]] = {}
    marketplaces = tuple(sorted(set(wish.marketplaces)))
    clean = replace(
        wish,
        name=_name(wish, errors),
        marketplaces=marketplaces,
        options={name: dict(wish.options[name]) for name in marketplaces if wish.options.get(name)},
        must=_words("must", wish.must, errors),
        any_of=_words("any_of", wish.any_of, errors),
        none_of=_words("none_of", wish.none_of, errors),
        conditions=tuple(wish.conditions),
    )
    for check in (_check_words, _check_prices, _check_choices, _check_marketplaces):
        check(clean, errors)
    if "marketplaces" not in errors:
        _check_interval(clean, errors)
        _check_questions(clean, errors)
    if errors:
        raise ValidationError(errors)
    return clean


def _add(errors: dict[str, list[str]], name: str, sentence: str) -> None:
    errors.setdefault(name, []).append(sentence)


def _has_control(text: str) -> bool:
    return any(unicodedata.category(char) in {"Cc", "Cs", "Cn"} for char in text)


def _name(wish: Wish, errors: dict[str, list[str]]) -> str:
    name = " ".join(wish.name.split()) or " ".join([*wish.must, *wish.any_of])[:LONGEST_NAME].strip()
    name = name or titles(wish.marketplaces)[:LONGEST_NAME]
    if _has_control(name):
        _add(errors, "name", _("The name holds characters that cannot be shown. Please type it again."))
    if len(name) > LONGEST_NAME:
        _add(errors, "name", _("The name is longer than %(n)d characters.") % {"n": LONGEST_NAME})
    return name


def _words(field_name: str, words: Sequence[str], errors: dict[str, list[str]]) -> tuple[str, ...]:
    kept: dict[str, str] = {}
    for word in (" ".join(raw.split()) for raw in words):
        if word:
            _check_word(field_name, word, errors)
            kept.setdefault(fold(word), word)
    if len(kept) > MOST_WORDS:
        _add(errors, field_name, _("At most %(n)d words, please.") % {"n": MOST_WORDS})
    return tuple(kept.values())


def _check_word(field_name: str, word: str, errors: dict[str, list[str]]) -> None:
    if _has_control(word):
        _add(errors, field_name, _("A word holds characters that cannot be searched for. Please type it again."))
    elif len(word) > LONGEST_WORD:
        _add(errors, field_name, _("A word is longer than %(n)d characters.") % {"n": LONGEST_WORD})
    elif not fold(word).strip("ー "):
        _add(errors, field_name, _("“%(word)s” holds nothing that can be searched for.") % {"word": word})


def _check_words(wish: Wish, errors: dict[str, list[str]]) -> None:
    if len(wish.any_of) > MOST_QUESTIONS:
        sentence = _("Each of these words is a question of its own; at most %(n)d, please.")
        _add(errors, "any_of", sentence % {"n": MOST_QUESTIONS})
    wanted = {fold(word) for word in (*wish.must, *wish.any_of)}
    for word in wish.none_of:
        if fold(word) in wanted:
            _add(errors, "none_of", _("“%(word)s” is wanted and unwanted at once.") % {"word": word})


def _check_prices(wish: Wish, errors: dict[str, list[str]]) -> None:
    for name, price in (("price_min", wish.price_min), ("price_max", wish.price_max)):
        if price is not None and price < 0:
            _add(errors, name, _("A price cannot be below zero."))
        if price is not None and price > HIGHEST_PRICE:
            _add(errors, name, _("A price of that height does not occur."))
    if wish.price_max == 0:
        _add(errors, "price_max", _("A highest price of 0 would match nothing. Leave it empty for “any price”."))
    elif wish.price_min is not None and wish.price_max is not None and wish.price_min > wish.price_max:
        _add(errors, "price_min", _("The lowest price is above the highest price."))


def _check_choices(wish: Wish, errors: dict[str, list[str]]) -> None:
    if not set(wish.conditions) <= {grade.value for grade in Condition if grade is not Condition.UNKNOWN}:
        _add(errors, "conditions", _("This condition does not exist."))
    if wish.shipping not in ShippingWish.values:
        _add(errors, "shipping", _("This choice of shipping does not exist."))
    if wish.policy not in Policy.values:
        _add(errors, "policy", _("This action does not exist."))
    if wish.interval_seconds > LONGEST_INTERVAL:
        _add(errors, "interval_seconds", _("Once a day is the slowest."))


def titles(marketplaces: Iterable[str]) -> str:
    """What people call these marketplaces, as a list in the reader's language."""
    language = get_language() or "en"
    return pgettext("between words", ", ").join(catalog().title(name, language) for name in marketplaces)


def _check_marketplaces(wish: Wish, errors: dict[str, list[str]]) -> None:
    if not wish.marketplaces:
        _add(errors, "marketplaces", _("Please choose at least one marketplace."))
    elif gone := [name for name in wish.marketplaces if name not in catalog().plugins]:
        sentence = _("Not available here: %(names)s. Without it, the watch can be saved.")
        _add(errors, "marketplaces", sentence % {"names": titles(gone)})
    elif len({currency_of(name) for name in wish.marketplaces}) > 1:
        prices = pgettext("between words", ", ").join(f"{titles([n])} {currency_of(n)}" for n in wish.marketplaces)
        sentence = _(
            "The prices of one watch are in one currency, and these differ: %(prices)s. Make a watch for each."
        )
        _add(errors, "marketplaces", sentence % {"prices": prices})


def _check_interval(wish: Wish, errors: dict[str, list[str]]) -> None:
    """What one marketplace allows is enough: another that allows less is asked as often as it allows."""
    floor = min(catalog().pace(name).floor_seconds for name in wish.marketplaces)
    if wish.interval_seconds < floor:
        sentence = ngettext(
            "This marketplace may be asked every %(n)d seconds at the most.",
            "Each of these marketplaces may be asked every %(n)d seconds at the most, or less often.",
            len(wish.marketplaces),
        )
        _add(errors, "interval_seconds", sentence % {"n": floor})


def _check_questions(wish: Wish, errors: dict[str, list[str]]) -> None:
    """Each marketplace must be asked for something: words, or what its plugin takes instead."""
    try:
        sentence = words_missing(wish.marketplaces, words=(*wish.must, *wish.any_of[:1]), options=wish.options)
    except TypeError:
        _add(errors, "options", _("A marketplace does not know one of these options."))
        return
    if sentence and not {"must", "any_of"} & set(errors):
        _add(errors, "must", sentence)


def words_missing(
    marketplaces: Iterable[str], *, words: Iterable[str], options: Mapping[str, Mapping[str, Any]]
) -> str:
    """A sentence naming the marketplaces that cannot be asked with these words and options; empty when all can.

    Raises ``TypeError`` for an option that a plugin does not know.
    """
    asked = [name for name in marketplaces if name in catalog().plugins]
    questions = {name: criteria_of(name, words=words, options=options.get(name, {})) for name in asked}
    vague = [name for name, criteria in questions.items() if not criteria.asks_something]
    sentence = _("Please give at least one word to look for; without one, this cannot be asked: %(marketplaces)s.")
    return sentence % {"marketplaces": titles(vague)} if vague else ""


def criteria_of(marketplace: str, *, words: Iterable[str], options: Mapping[str, Any]) -> SearchCriteria:
    """The question to a marketplace in its plugin's own class; raises ``TypeError`` for an option it does not know.

    Words are sorted: their order does not change what is found, and equal questions are asked once.
    """
    shape = catalog().get(marketplace).manifest.criteria
    keyword = " ".join(sorted(unicodedata.normalize("NFKC", word) for word in words if word))
    return shape(keyword=keyword, **{k: tuple(v) if isinstance(v, list) else v for k, v in options.items()})

"""What a person may wish for, checked and put into one form. Every refusal is a sentence for that person."""

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from monitor_site.contract import Condition
from monitor_site.marketplaces.catalog import UnknownMarketplace, catalog

from .models import Policy, ShippingWish
from .text import fold

LONGEST_NAME = 80
LONGEST_WORD = 60
MOST_WORDS = 20
MOST_QUESTIONS = 5
HIGHEST_PRICE = 9_999_998
LONGEST_INTERVAL = 24 * 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The content of a watch as a person states it. Prices are whole yen, ``options`` the plugin's own criteria."""

    name: str
    marketplace: str
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
    options: Mapping[str, Any] = field(default_factory=dict)


def checked(wish: Wish) -> Wish:
    """The wish in its one form: trimmed, without doubles. Raises ``ValidationError`` with a sentence per field."""
    errors: dict[str, list[str]] = {}
    clean = replace(
        wish,
        name=_name(wish, errors),
        must=_words("must", wish.must, errors),
        any_of=_words("any_of", wish.any_of, errors),
        none_of=_words("none_of", wish.none_of, errors),
        conditions=tuple(wish.conditions),
    )
    for check in (_check_words, _check_prices, _check_choices, _check_marketplace, _check_options):
        check(clean, errors)
    if errors:
        raise ValidationError(errors)
    return clean


def _add(errors: dict[str, list[str]], name: str, sentence: str) -> None:
    errors.setdefault(name, []).append(sentence)


def _has_control(text: str) -> bool:
    return any(unicodedata.category(char) in {"Cc", "Cs", "Cn"} for char in text)


def _name(wish: Wish, errors: dict[str, list[str]]) -> str:
    name = " ".join(wish.name.split()) or " ".join([*wish.must, *wish.any_of])[:LONGEST_NAME].strip()
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
    if not wish.must and not wish.any_of:
        _add(errors, "must", _("Please give at least one word to look for."))
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


def _check_marketplace(wish: Wish, errors: dict[str, list[str]]) -> None:
    try:
        floor = catalog().pace(wish.marketplace).floor_seconds
    except UnknownMarketplace:
        _add(errors, "marketplace", _("This marketplace is not available here."))
        return
    if wish.interval_seconds < floor:
        sentence = _("This marketplace may be asked every %(n)d seconds at the most.")
        _add(errors, "interval_seconds", sentence % {"n": floor})


def _check_options(wish: Wish, errors: dict[str, list[str]]) -> None:
    if not wish.options or "marketplace" in errors:
        return
    shape = catalog().get(wish.marketplace).manifest.criteria
    try:
        shape(keyword="", **{name: _frozen(value) for name, value in wish.options.items()})
    except TypeError:
        _add(errors, "options", _("This marketplace does not know one of these options."))


def _frozen(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value

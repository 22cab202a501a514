"""What a person may wish for, checked and put into one form. Every refusal is a sentence for that person."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import get_language, ngettext, pgettext
from django.utils.translation import gettext as _

from monitor_site.contract import SearchCriteria
from monitor_site.marketplaces.catalog import catalog

from .limits import check_limits
from .listing_wishes import OWN, check_listing, own_figures
from .models import Policy, RelistedWish, ShippingWish, WatchKind
from .models.watches import LONGEST_WATCH_NAME, TRIGGER_BOUNDS
from .pages import currency_of
from .wished_hours import LONGEST_INTERVAL, check_times, clean_times, too_near
from .wished_words import check_words, clean_words, has_control, word_sets

LONGEST_NAME = LONGEST_WATCH_NAME
# What only a listing watch has.
NO_TRIGGERS: Mapping[str, Any] = {**dict.fromkeys(TRIGGER_BOUNDS), "external_id": "", "back_on_sale": False}


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """The content of a watch as a person states it.

    Prices are in minor units of the currency that all its marketplaces share. A word may hold alternatives, ``a|b``.
    ``options`` are the plugins' own criteria: marketplace → option → value. The other fields are those of a watch.
    One of kind ``listing`` has an ``external_id`` and triggers in place of words and limits.
    """

    name: str
    marketplaces: Sequence[str]
    must: Sequence[str] = ()
    any_of: Sequence[str] = ()
    none_of: Sequence[str] = ()
    in_description: bool = False
    pattern: str = ""
    price_min: int | None = None
    price_max: int | None = None
    landed: bool = False
    kinds: Sequence[str] = ()
    conditions: Sequence[str] = ()
    shipping: str = ShippingWish.ANY
    rating_min: int | None = None
    rated_min: int | None = None
    bids_max: int | None = None
    ends_within_minutes: int | None = None
    listed_within_hours: int | None = None
    kind: str = WatchKind.SEARCH
    external_id: str = ""
    fall_percent: int | None = None
    fall_amount: int | None = None
    rise_percent: int | None = None
    rise_amount: int | None = None
    lowest_days: int | None = None
    back_on_sale: bool = False
    relisted: str = RelistedWish.ALERT
    interval_seconds: int = 60
    active_from: int | None = None
    active_to: int | None = None
    weekdays: Sequence[int] = ()
    cron: str = ""
    jitter: bool = False
    adaptive: bool = False
    policy: str = Policy.NOTIFY
    tell_existing: bool = False
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


def checked(wish: Wish) -> Wish:
    """The wish in its one form: trimmed, without doubles. Raises ``ValidationError`` with a sentence per field."""
    errors: dict[str, list[str]] = {}
    is_of_listing = wish.kind == WatchKind.LISTING
    clean = _clean_listing(wish, errors) if is_of_listing else _clean_search(wish, errors)
    for check in (check_listing,) if is_of_listing else (check_words, check_limits):
        check(clean, errors)
    for check in (check_times, _check_choices, _check_marketplaces):
        check(clean, errors)
    if "marketplaces" not in errors:
        _check_interval(clean, errors)
        if not is_of_listing:
            _check_questions(clean, errors)
    if errors:
        raise ValidationError(errors)
    return clean


def _clean_search(wish: Wish, errors: dict[str, list[str]]) -> Wish:
    marketplaces = tuple(sorted(set(wish.marketplaces)))
    return replace(
        wish,
        name=_name(wish, errors),
        marketplaces=marketplaces,
        options={name: dict(wish.options[name]) for name in marketplaces if wish.options.get(name)},
        must=clean_words("must", wish.must, errors),
        any_of=clean_words("any_of", wish.any_of, errors),
        none_of=clean_words("none_of", wish.none_of, errors),
        pattern=wish.pattern.strip(),
        kinds=tuple(dict.fromkeys(wish.kinds)),
        conditions=tuple(wish.conditions),
        **NO_TRIGGERS,
        **clean_times(wish),
    )


def _clean_listing(wish: Wish, errors: dict[str, list[str]]) -> Wish:
    """Nothing of it is about searches; what nobody named is called by its number until its title is known."""
    own: dict[str, Any] = {name: getattr(wish, name) for name in OWN}
    external_id = wish.external_id.strip()
    named = replace(wish, must=(external_id,), any_of=())
    own |= own_figures(wish) | {"back_on_sale": wish.back_on_sale is True, "external_id": external_id}
    own |= {"name": _name(named, errors), "marketplaces": tuple(sorted(set(wish.marketplaces)))}
    return Wish(**own | clean_times(wish))


def _add(errors: dict[str, list[str]], name: str, sentence: str) -> None:
    errors.setdefault(name, []).append(sentence)


def _name(wish: Wish, errors: dict[str, list[str]]) -> str:
    name = " ".join(wish.name.split()) or " ".join([*wish.must, *wish.any_of])[:LONGEST_NAME].strip()
    name = name or titles(wish.marketplaces)[:LONGEST_NAME]
    if has_control(name):
        _add(errors, "name", _("The name holds characters that cannot be shown. Please type it again."))
    if len(name) > LONGEST_NAME:
        _add(errors, "name", _("The name is longer than %(n)d characters.") % {"n": LONGEST_NAME})
    return name


def _check_choices(wish: Wish, errors: dict[str, list[str]]) -> None:
    if wish.relisted not in RelistedWish.values:
        _add(errors, "relisted", _("This choice does not exist."))
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
    if wish.cron and wish.interval_seconds < floor:
        _add(errors, "cron", too_near(floor))
    elif wish.interval_seconds < floor:
        sentence = ngettext(
            "This marketplace may be asked every %(n)d seconds at the most.",
            "Each of these marketplaces may be asked every %(n)d seconds at the most, or less often.",
            len(wish.marketplaces),
        )
        _add(errors, "interval_seconds", sentence % {"n": floor})


def _check_questions(wish: Wish, errors: dict[str, list[str]]) -> None:
    """Each marketplace must be asked for something: words, or what its plugin takes instead."""
    try:
        words = next(word_sets(must=wish.must, any_of=wish.any_of))
        sentence = words_missing(wish.marketplaces, words=words, options=wish.options)
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

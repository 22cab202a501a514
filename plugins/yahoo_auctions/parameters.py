"""The parameters of a search address in our words: criteria of the plugin, or limits of a watch. Pure."""

import unicodedata
from collections.abc import Callable, Collection
from typing import Any

from . import fields
from .ask import STORE_PICKUP, plain
from .manifest import GRADES, Selling
from .meaning import GRADES as NUMBERS
from .places import ABROAD, PREFECTURES

Told = dict[str, Any]
"""Fields of the criteria and of :class:`SearchUrl` with their values; no name stands in both."""

# How results are shown and sorted, and what the site adds for itself: nothing of it narrows the question.
_NOISE = frozenset(
    {"b", "n", "s1", "o1", "mode", "thumb", "tab_ex", "is_postage_mode", "price_type"}
    | {"ei", "aq", "oq", "sc_i", "x", "y", "fr", "user_type", "rc_ng", "nockie", "todayend", "exflg"}
)
_CONDITIONS = {number: condition for condition, number in NUMBERS.items()}


def is_noise(name: str) -> bool:
    """Whether a parameter says nothing about what is looked for."""
    return name in _NOISE or name.startswith("utm_")


def told_by(name: str, value: str, *, by_buy_now: bool = False) -> Told | None:
    """What a parameter means, empty when it leaves everything open; ``None`` when it cannot be understood or kept.

    ``by_buy_now``: the prices of the form on the page are meant for buy-now prices.
    """
    if by_buy_now:
        name = {"min": "aucmin_bidorbuy_price", "max": "aucmax_bidorbuy_price"}.get(name, name)
    reader = _READERS.get(name)
    return reader(value) if reader else None


def words(text: str) -> Told:
    """The keyword; words with a hyphen before them are words to leave out."""
    parts = unicodedata.normalize("NFKC", text).split()
    wanted = plain(" ".join(part for part in parts if not _is_unwanted(part)))
    none_of = tuple(dict.fromkeys(filter(None, (plain(part[1:]) for part in parts if _is_unwanted(part)))))
    return ({"keyword": wanted} if wanted else {}) | ({"none_of": none_of} if none_of else {})


def _is_unwanted(word: str) -> bool:
    return word.startswith("-") and len(word) > 1


def _several(field: str) -> Callable[[str], Told | None]:
    def read(value: str) -> Told | None:
        found = tuple(dict.fromkeys(filter(None, map(plain, value.split()))))
        return {field: found} if found else {}

    return read


def _number(field: str) -> Callable[[str], Told | None]:
    """A number above 0; 0 leaves it open."""

    def read(value: str) -> Told | None:
        number = fields.whole(value)
        return None if number is None else {field: number} if number else {}

    return read


def _numbers(field: str, known: Collection[int]) -> Callable[[str], Told | None]:
    """A list of known numbers; 0 leaves it open."""

    def read(value: str) -> Told | None:
        numbers = _listed(value)
        if numbers is None or not set(numbers) <= {0, *known}:
            return None
        return {} if 0 in numbers else {field: numbers}

    return read


def _listed(value: str) -> tuple[int, ...] | None:
    found = [fields.whole(part) if part.isdecimal() else None for part in value.split(",") if part]
    whole = tuple(sorted({number for number in found if number is not None}))
    return whole if found and None not in found else None


def _grades(value: str) -> Told | None:
    """Grades that are ours are our limit; with "any used one" among them only the marketplace can tell."""
    told = _numbers("grades", GRADES)(value)
    numbers = (told or {}).get("grades", ())
    if numbers and all(number in _CONDITIONS for number in numbers):
        return {"conditions": tuple(_CONDITIONS[number] for number in numbers)}
    return told


def _switch(field: str, on: str = "1") -> Callable[[str], Told | None]:
    meanings: dict[str, Told] = {on: {field: True}, "0": {}}
    return meanings.get


def _selling(value: str) -> Told | None:
    choices: dict[str, Told] = {"1": {"selling": Selling.FIXED}, "2": {"selling": Selling.AUCTION}, "0": {}, "3": {}}
    return choices.get(value)


def _deliver_to(value: str) -> Told | None:
    number = fields.whole(value)
    return {"deliver_to": number} if number in PREFECTURES | ABROAD else None


_READERS: dict[str, Callable[[str], Told | None]] = {
    "p": words,
    "va": words,
    "vo": _several("any_of"),
    "ve": _several("none_of"),
    "auccat": _number("category"),
    "brand_id": _number("brand"),
    "fixed": _selling,
    "aucminprice": _number("price_min"),
    "aucmaxprice": _number("price_max"),
    "min": _number("price_min"),
    "max": _number("price_max"),
    "aucmin_bidorbuy_price": _number("buy_now_from"),
    "aucmax_bidorbuy_price": _number("buy_now_to"),
    "istatus": _grades,
    "abatch": _numbers("sellers", (1, 2, 3)),
    "loc_cd": _numbers("prefectures", PREFECTURES | ABROAD),
    "dest_pref_code": _deliver_to,
    "pstagefree": _switch("shipping_included"),
    "auchours": _switch("ending_soon"),
    "is_appraisal": _switch("appraised"),
    "privacy_delivery": _switch("anonymous_delivery"),
    "shipping": _switch("store_pickup", STORE_PICKUP),
}

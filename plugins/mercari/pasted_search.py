"""What the parameters of a search's address mean for us. Pure."""

import re
from collections.abc import Iterable, Mapping

from monitor_site.contract import Condition, Kind, SearchUrl

from .manifest import MercariCriteria
from .meaning import CONDITIONS

LONGEST_LEFTOVER = 200
MOST_LEFTOVERS = 30
_NUMBER = re.compile(r"[1-9][0-9]{0,9}")
_PRICE = re.compile(r"[0-9]{1,9}")
# Where a visitor came from: nothing of what is asked for.
_TRACKING = re.compile(r"utm_[a-z_]+|gclid|fbclid|yclid|msclkid|afid|source_location")
# What we do in any case: things on sale, newest first.
_USUAL = {"sort": "created_time", "order": "desc", "status": "on_sale"}
_PEOPLE, _SHOPS = (Kind.FLEA, Kind.AUCTION), (Kind.SHOP,)
_SOLD_AS: Mapping[tuple[str, ...], tuple[Kind, ...]] = {("mercari",): _PEOPLE, ("beyond",): _SHOPS}
# The numbers of a person's listings; the name of the parameter is taken from the search's own body.
_PAYERS = {"1": False, "2": True}


def read_search_url(pairs: Iterable[tuple[str, str]]) -> SearchUrl:
    """What ``pairs`` of name and value, decoded but otherwise as they stand in the address, ask for.

    Lists are separated by commas; of a list, only the parts that mean nothing to us are left over.
    """
    asked = _Asked(pairs)
    return SearchUrl(
        criteria=MercariCriteria(
            keyword=asked.words("keyword"),
            category_ids=asked.numbers("category_id"),
            brand_ids=asked.numbers("brand_id"),
            sold_as=_SOLD_AS.get(asked.known("item_types", ("mercari", "beyond")), ()),
        ),
        none_of=tuple(dict.fromkeys(asked.words("exclude_keyword").split())),
        price_min=asked.price("price_min"),
        price_max=asked.price("price_max"),
        conditions=_conditions(asked),
        shipping_included=_shipping_included(asked),
        leftovers=asked.leftovers(),
    )


def _conditions(asked: "_Asked") -> tuple[Condition, ...]:
    return tuple(CONDITIONS[number] for number in asked.known("item_condition_id", CONDITIONS))


def _shipping_included(asked: "_Asked") -> bool:
    """Both payers are no limit; the buyer alone is one that we do not have."""
    payers = asked.known("shipping_payer_id", _PAYERS)
    if payers == ("1",):
        asked.leave("shipping_payer_id", "1")
    return payers == ("2",)


class _Asked:
    """The parameters of an address; each is taken once, and what nobody takes is left over."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        self._values: dict[str, list[str]] = {}
        self._left: list[str] = []
        for name, value in pairs:
            self._values.setdefault(name, []).append(_shown(value).strip())

    def words(self, name: str) -> str:
        """A text with single spaces; empty when there is none."""
        first, *others = [value for value in self._values.pop(name, []) if value] or [""]
        for other in others:
            self.leave(name, other)
        return " ".join(first.split())

    def numbers(self, name: str) -> tuple[int, ...]:
        """A list of whole numbers, each once."""
        parts = self._parts(name)
        for part in parts:
            if not _NUMBER.fullmatch(part):
                self.leave(name, part)
        return tuple(int(part) for part in parts if _NUMBER.fullmatch(part))

    def known(self, name: str, known: Iterable[str]) -> tuple[str, ...]:
        """The parts of a list that are ``known``, each once, in the order of ``known``."""
        parts, words = self._parts(name), tuple(known)
        for part in parts:
            if part not in words:
                self.leave(name, part)
        return tuple(word for word in words if word in parts)

    def price(self, name: str) -> int | None:
        """A price in yen; 0 is no limit."""
        text = self.words(name)
        if text and not _PRICE.fullmatch(text):
            self.leave(name, text)
            return None
        return int(text or 0) or None

    def leave(self, name: str, value: str) -> None:
        """Note what is not kept."""
        self._left.append(f"{_shown(name)}={value}"[:LONGEST_LEFTOVER])

    def leftovers(self) -> tuple[str, ...]:
        """All that was noted, and every parameter that nobody took and that asks for something."""
        for name in list(self._values):
            for part in self._parts(name):
                if part != _USUAL.get(name) and not _TRACKING.fullmatch(name):
                    self.leave(name, part)
        return tuple(dict.fromkeys(self._left))[:MOST_LEFTOVERS]

    def _parts(self, name: str) -> list[str]:
        parts = (part.strip() for value in self._values.pop(name, []) for part in value.split(","))
        return list(dict.fromkeys(part for part in parts if part))


def _shown(text: str) -> str:
    """Text that can be shown; a sign that cannot be seen becomes a space."""
    return "".join(sign if sign.isprintable() else " " for sign in text)

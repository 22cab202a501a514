"""One reader of price words for all marketplaces. Pure; what is not plainly one price is "not known".

No guessing by magnitude: which sign groups and which one begins the fraction is the marketplace's own style.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

from .values import Money

MOST = 10**12
SHORT = 40
_SIGNS = {"JPY": "¥|円|JPY|yen", "CNY": "¥|元|CNY|RMB", "EUR": "€|EUR", "USD": r"\$|USD", "GBP": "£|GBP"}
_TEN_THOUSAND, _THOUSAND = 10_000, 1_000
# "1.5万", "3万", "1万2,800", "1万5千"
_LARGE = re.compile(r"([0-9]+(?:\.[0-9]{1,4})?)万(?:([0-9]{1,3}(?:,?[0-9]{3})?)(千)?)?")
_ANY_LARGE = r"[0-9]+(?:\.[0-9]{1,4})?万(?:[0-9,]+千?)?"
_GLUED = r"[0-9A-Za-z.,]"
# "68 50" is no price of a market that does not group by spaces, and neither is its last part.
_APART = re.compile(r"[0-9]\s+[0-9]")
_RANGE = re.compile(r"[0-9]\s*[~\u301c\u2010-\u2015\u2212-]\s*[0-9]")


@dataclass(frozen=True, slots=True, kw_only=True)
class PriceStyle:
    """How a marketplace writes money: ``group`` between thousands, ``decimal`` before a fraction of ``digits``.

    Any kind of space groups as well where ``spaced`` is set.
    """

    currency: str
    digits: int
    group: str
    decimal: str
    spaced: bool = False


YEN = PriceStyle(currency="JPY", digits=0, group=",", decimal=".")
"""Japanese marketplaces."""


def read_price(text: str, style: PriceStyle = YEN) -> Money | None:
    """The one price that ``text`` tells, or ``None``: for no price, for several, for 0, and for odd grouping.

    A price beside other words is taken when it alone bears a sign of the currency.

    >>> read_price("３,４４０円（税込）").amount, read_price("1万2,800円").amount, read_price("1.5万").amount
    (3440, 12800, 15000)
    >>> read_price("68 50"), read_price("3,000〜5,000円"), read_price("0円"), read_price("1,60円")
    (None, None, None, None)
    """
    return _read_before(text, style) if len(text) <= SHORT else _read(text, style)


def _read(text: str, style: PriceStyle) -> Money | None:
    plain = unicodedata.normalize("NFKC", text).replace("\\", "¥").strip()
    doubtful = _RANGE.search(plain) or (not style.spaced and _APART.search(plain))
    found = [] if doubtful else _marked(plain, style) or _bare(plain, style)
    amounts = {_amount(each, style) for each in found}
    amount = amounts.pop() if len(amounts) == 1 else None
    return Money(amount=amount, currency=style.currency) if amount and amount <= MOST else None


# The same prices come again at every check.
_read_before = lru_cache(maxsize=4096)(_read)


def _marked(text: str, style: PriceStyle) -> list[str]:
    """What stands beside a sign of the currency."""
    return [before or after for before, after in _with_sign(style).findall(text)]


def _bare(text: str, style: PriceStyle) -> list[str]:
    """All of the text, when it is a number and nothing else."""
    return [text] if _number(style).fullmatch(text) else []


@lru_cache(maxsize=16)
def _number(style: PriceStyle) -> re.Pattern[str]:
    return re.compile(_digits(style))


@lru_cache(maxsize=16)
def _with_sign(style: PriceStyle) -> re.Pattern[str]:
    sign, number = f"(?:{_SIGNS.get(style.currency, style.currency)})", _digits(style)
    return re.compile(rf"{sign}\s*({number})(?!{_GLUED})|(?<!{_GLUED})({number})\s*{sign}", re.IGNORECASE)


def _digits(style: PriceStyle) -> str:
    """A run of digits with their signs; whether they group rightly is seen afterwards."""
    signs = re.escape(style.group + style.decimal) + ("\\s" if style.spaced else "")
    run = rf"[0-9](?:[{signs}]?[0-9])*"
    return f"(?:{_ANY_LARGE}|{run})" if style.digits == 0 else run


def _amount(words: str, style: PriceStyle) -> int | None:
    if "万" in words:
        return _ten_thousands(words)
    whole, fraction = _parts(words, style)
    if whole is None or (fraction and len(fraction) != style.digits and set(fraction) != {"0"}):
        return None
    minor: int = int(whole) * 10**style.digits
    return minor + (int(fraction) if fraction and style.digits else 0)


def _parts(words: str, style: PriceStyle) -> tuple[str | None, str]:
    """The digits before and after the decimal sign; ``None`` when the thousands are not grouped by threes."""
    whole, _, fraction = words.partition(style.decimal)
    groups = re.split(rf"[{re.escape(style.group)}\s]", whole)
    grouped = len(groups) == 1 or (0 < len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:]))
    return ("".join(groups), fraction) if grouped and (not fraction or fraction.isdecimal()) else (None, "")


def _ten_thousands(words: str) -> int | None:
    """Yen out of words with 万; a fraction leaves no room for more."""
    found = _LARGE.fullmatch(words)
    if found is None or ("." in found[1] and found[2]):
        return None
    tens, _, parts = found[1].partition(".")
    rest = int((found[2] or "0").replace(",", "")) * (_THOUSAND if found[3] else 1)
    return int(tens) * _TEN_THOUSAND + int((parts or "0").ljust(4, "0")) + rest if rest < _TEN_THOUSAND else None

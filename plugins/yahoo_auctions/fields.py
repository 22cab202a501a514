"""Reading single values out of text in which anything may be missing. Pure.

Every function gives the value, or ``None`` for "not known"; none of them raises.
"""

import re
import unicodedata
from datetime import UTC, datetime, timedelta, timezone
from functools import lru_cache
from typing import Any

from monitor_site.contract import Money, read_price

JST = timezone(timedelta(hours=9))
MOST = 10**12
SHORT = 40

_COUNT = re.compile(r"([0-9][0-9,]*) ?[件人]?")
_PERCENT = re.compile(r"([0-9]{1,3}(?:\.[0-9]+)?)%?")
_ID = re.compile(r"[a-z]?[0-9]{8,10}")


def squeezed(text: str | None) -> str:
    """Text in NFKC with single spaces; empty for nothing."""
    plain = text or ""
    return _squeezed_before(plain) if len(plain) <= SHORT else _squeezed(plain)


def _squeezed(plain: str) -> str:
    return " ".join((plain if plain.isascii() else unicodedata.normalize("NFKC", plain)).split())


# Every card says the same few words.
_squeezed_before = lru_cache(maxsize=4096)(_squeezed)


def whole(value: Any) -> int | None:
    """A whole number from 0 up to a million millions, as number or as text such as ``1,234件``."""
    if isinstance(value, str):
        found = _COUNT.fullmatch(squeezed(value))
        value = int(found[1].replace(",", "")) if found and len(found[1]) <= 16 else None
    usable = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST
    return value if usable else None


def yen(text: str | None) -> int | None:
    """The amount of the one price in a price's own element; 0 and words are "not known".

    >>> yen("３,４４０円（税込）"), yen("F2617123,100円"), yen("0円"), yen("-")
    (3440, None, None, None)
    """
    found = read_price(text or "")
    return found.amount if found else None


def money(amount: int | None) -> Money | None:
    """Yen; 0 is "not known", never a price."""
    return Money(amount=amount, currency="JPY") if amount else None


def with_tax(amount: int | None, rate: int | None) -> int | None:
    """An amount with ``rate`` percent on top, the fraction cut off; unknown when either is."""
    return None if amount is None or rate is None else amount * (100 + rate) // 100


def unix_time(value: Any) -> datetime | None:
    """Aware UTC from unix seconds; 0 means "not known", never 1970."""
    seconds = whole(value)
    if not seconds:
        return None
    try:
        return datetime.fromtimestamp(seconds, tz=UTC)
    except (ValueError, OverflowError, OSError):
        return None


def moment(value: Any) -> datetime | None:
    """Aware UTC from ISO text; without an offset it is Japanese time, as everything on the site."""
    if not isinstance(value, str):
        return None
    try:
        read = datetime.fromisoformat(value.strip())
        return (read if read.tzinfo else read.replace(tzinfo=JST)).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def percent(value: Any) -> float | None:
    """A share of good ratings, from 0 to 100, written with or without the sign."""
    found = _PERCENT.fullmatch(squeezed(value)) if isinstance(value, str) else None
    share = float(found[1]) if found else None
    return share if share is not None and share <= 100 else None


def share(value: Any) -> float | None:
    """A share of good ratings, from 0 to 100, out of a ratio from 0 to 1."""
    usable = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= 1
    return round(value * 100, 1) if usable else None


def listing_id(value: Any) -> str | None:
    """The id of a listing: a letter and ten digits mostly, ten digits alone, a letter and nine for flea items."""
    return value if isinstance(value, str) and _ID.fullmatch(value) else None


def title(raw: Any) -> str | None:
    """The title as the seller wrote it; NUL and half characters, which databases refuse, go. Blank is nothing."""
    text = raw.replace("\x00", "").encode("utf-8", "ignore").decode() if isinstance(raw, str) else ""
    return text if text.strip() else None


def mapping(value: Any) -> dict[str, Any]:
    """An object, or an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """A list, or an empty one."""
    return value if isinstance(value, list) else []


def addresses(*values: Any) -> tuple[str, ...]:
    """The web addresses among ``values``, each once, in order."""
    return tuple(dict.fromkeys(v for v in values if isinstance(v, str) and v.startswith(("https://", "http://"))))

"""Reading single values out of a row in which anything may be missing, null, text or number. Pure.

Every function takes whatever JSON held and gives the value, or ``None`` for "not known"; none of them raises.
"""

import html
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

MOST = 10**12
MOST_RATINGS = 10**8
LONGEST_WORD = 64
LONGEST_ADDRESS = 500
LONGEST_PROSE = 20_000
# No listing is older than the marketplace; a zero or an end of time is no moment anybody meant.
YEARS = range(2000, 2100)
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")


def whole(value: Any) -> int | None:
    """A whole number from 0 up to a million millions, written as number or as text with or without grouping commas."""
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, str):
        text = value.strip().replace(",", "")
        value = int(text) if text.isdecimal() and len(text) <= 13 else None
    usable = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST
    return value if usable else None


def count(value: Any, *, most: int) -> int | None:
    """A whole number up to ``most``; more cannot be meant."""
    number = whole(value)
    return number if number is not None and number <= most else None


def stars(value: Any) -> float | None:
    """A rating above 0 and up to 5."""
    usable = isinstance(value, int | float) and not isinstance(value, bool) and 0 < value <= 5
    return float(value) if usable else None


def text(value: Any) -> str | None:
    """Text that is not blank, or a whole number as text."""
    if isinstance(value, str):
        return value if value.strip() else None
    number = whole(value)
    return None if number is None else str(number)


def word(value: Any, *, longest: int = LONGEST_WORD) -> str | None:
    """As :func:`text`, when it is a mark of a machine: printable, at most ``longest`` characters."""
    found = text(value)
    return found if found and found.isprintable() and len(found) <= longest else None


def mapping(value: Any) -> Mapping[str, Any]:
    """An object, or an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """A list, or an empty one."""
    return value if isinstance(value, list) else []


def first(row: Mapping[str, Any], *names: str) -> Any:
    """The value of the first of ``names`` that holds something."""
    for name in names:
        if (value := row.get(name)) is not None and value != "":
            return value
    return None


def unix_time(value: Any) -> datetime | None:
    """Aware UTC from unix seconds; 0 and what lies in no sensible year means "not known"."""
    seconds = whole(value)
    if not seconds:
        return None
    try:
        return _sensible(datetime.fromtimestamp(seconds, tz=UTC))
    except (ValueError, OverflowError, OSError):
        return None


def moment(value: Any) -> datetime | None:
    """Aware UTC from unix seconds or from RFC 3339 with any number of fraction digits; an offset is required."""
    if (known := unix_time(value)) or not isinstance(value, str):
        return known
    try:
        read = datetime.fromisoformat(value.strip())
        return _sensible(read.astimezone(UTC)) if read.tzinfo else None
    except (ValueError, OverflowError):
        return None


def named(**values: str | None) -> dict[str, str]:
    """The values that hold something, by name."""
    return {name: value for name, value in values.items() if value}


def _sensible(found: datetime) -> datetime | None:
    return found if found.year in YEARS else None


def addresses(values: Iterable[Any]) -> tuple[str, ...]:
    """The web addresses among ``values``, each once, in order; one too long or with odd signs is none."""
    return tuple(dict.fromkeys(value for value in values if _is_address(value)))


def _is_address(value: Any) -> bool:
    usable = isinstance(value, str) and len(value) <= LONGEST_ADDRESS and value.isprintable()
    return usable and value.startswith(("https://", "http://"))


def title(raw: str) -> str:
    """The title as the seller wrote it: entities undone once, spaces, markup and signs kept.

    Half of a surrogate pair, which no text can hold, becomes U+FFFD; NUL, which databases refuse, goes.

    >>> title("AT&amp;T &amp;lt; R&B")
    'AT&T &lt; R&B'
    """
    text_only = raw if _is_text(raw) else raw.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    undone = _ENTITY.sub(lambda found: html.unescape(found[0]), text_only) if "&" in text_only else text_only
    return undone.replace("\x00", "")


def prose(value: Any) -> str | None:
    """A longer text as :func:`title` gives it, an empty one too; ``None`` when there is none."""
    return title(value)[:LONGEST_PROSE] if isinstance(value, str) else None


def _is_text(raw: str) -> bool:
    try:
        raw.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True

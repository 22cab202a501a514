"""Reading what any web server may say in its headers. Pure."""

import contextlib
from collections.abc import Mapping
from datetime import datetime
from email.utils import parsedate_to_datetime

LONGEST_WAIT = 86_400.0


def retry_after(headers: Mapping[str, str], *, now: datetime) -> float | None:
    """Seconds that ``Retry-After`` asks for, at least 1 and at most a day; ``None`` when absent or unreadable."""
    text = headers.get("retry-after", "").strip()
    seconds = float(text) if text.isascii() and text.isdecimal() else _seconds_until(text, headers, now=now)
    return None if seconds is None else min(max(seconds, 1.0), LONGEST_WAIT)


def _seconds_until(text: str, headers: Mapping[str, str], *, now: datetime) -> float | None:
    wanted = _http_date(text)
    if wanted is None:
        return None
    # The server's own clock, where it tells it, keeps the distance right even when ours is off.
    return (wanted - (_http_date(headers.get("date", "")) or now)).total_seconds()


def _http_date(text: str) -> datetime | None:
    with contextlib.suppress(ValueError, TypeError):
        moment = parsedate_to_datetime(text)
        return moment if moment.tzinfo else None
    return None

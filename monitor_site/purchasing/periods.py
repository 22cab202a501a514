"""The periods of budgets, on the clock of Tokyo. Pure."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from .models import Period

TOKYO = ZoneInfo("Asia/Tokyo")
EVER = date(2000, 1, 1)


def starts(period: str, *, now: datetime) -> date:
    """The first day of the period that ``now`` lies in; a week begins on Monday."""
    today = now.astimezone(TOKYO).date()
    if period == Period.WEEK:
        return today - timedelta(days=today.weekday())
    if period == Period.MONTH:
        return today.replace(day=1)
    return today if period == Period.DAY else EVER

"""From an answer to values. Pure: same bytes, same values; what a row does not tell stays ``None``.

A row that cannot be read is a :class:`BadRow` and the others stand. A page that cannot be read raises
:class:`LayoutChanged`: it is never taken for "nothing found".
"""

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from monitor_site.contract import (
    Answer,
    BadRow,
    Condition,
    Kind,
    LayoutChanged,
    Money,
    SearchPage,
    Seller,
    Sighting,
    Status,
)

from .addresses import link
from .refusals import refuse, refuse_look

_STATUSES = {"on_sale": Status.ON_SALE, "reserved": Status.RESERVED, "sold": Status.SOLD}
_CONDITIONS = {"new": Condition.NEW, "good": Condition.GOOD, "worn": Condition.WORN}


class _Unreadable(ValueError):
    """Why a row is none."""


def read_search(answer: Answer, *, now: datetime, web: str) -> SearchPage:
    """The page that ``answer`` holds; ``web`` is what the addresses of listings begin with."""
    refuse(answer, now=now)
    found = _object(answer)
    rows = found.get("rows")
    if not isinstance(rows, list):
        raise LayoutChanged("no rows")
    read = [_row(row, web) for row in rows]
    sightings = tuple(each for each in read if isinstance(each, Sighting))
    bad = tuple(BadRow(position=at, reason=each) for at, each in enumerate(read) if isinstance(each, str))
    if bad and not sightings:
        raise LayoutChanged(f"none of {len(bad)} rows can be read: {bad[0].reason}")
    return SearchPage(sightings=sightings, bad_rows=bad, about=_whole(found.get("total")), next_token=_next(found))


def read_listing(answer: Answer, *, now: datetime, web: str) -> Sighting:
    """The listing that ``answer`` tells of."""
    refuse_look(answer, now=now)
    try:
        return _sighting(_object(answer).get("listing"), web)
    except _Unreadable as reason:
        raise LayoutChanged(f"no listing: {reason}") from reason


def _object(answer: Answer) -> Mapping[str, Any]:
    try:
        found = json.loads(answer.body.decode("utf-8"))
    except (ValueError, RecursionError) as unread:
        raise LayoutChanged(f"no JSON: {unread}") from unread
    if not isinstance(found, dict):
        raise LayoutChanged("no object")
    return found


def _row(row: Any, web: str) -> Sighting | str:
    try:
        return _sighting(row, web)
    except _Unreadable as reason:
        return str(reason)


def _sighting(row: Any, web: str) -> Sighting:
    if not isinstance(row, dict):
        raise _Unreadable("not an object")
    external_id, title = row.get("id"), row.get("title")
    if not isinstance(external_id, str) or not external_id.isalnum():
        raise _Unreadable("no id")
    if not isinstance(title, str):
        raise _Unreadable("no title")
    return Sighting(
        external_id=external_id,
        title=title,
        url=link(external_id, web=web),
        price=_price(row.get("price")),
        kind=Kind.FLEA,
        status=_STATUSES.get(str(row.get("status")), Status.UNKNOWN),
        condition=_CONDITIONS.get(str(row.get("condition")), Condition.UNKNOWN),
        seller=_seller(row.get("seller")),
        created=_time(row.get("created")),
        description=_text(row.get("description")),
    )


def _price(value: Any) -> Money | None:
    amount = _whole(value)
    return Money(amount=amount, currency="JPY") if amount else None


def _seller(value: Any) -> Seller | None:
    name = _text(value)
    return Seller(id=name, name=name) if name else None


def _time(value: Any) -> datetime | None:
    seconds = _whole(value)
    return datetime.fromtimestamp(seconds, UTC) if seconds else None


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**31 else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def _next(found: Mapping[str, Any]) -> str | None:
    page = _whole(found.get("next"))
    return str(page) if page else None

"""Reading a list row by row: one bad row never costs the others. Pure.

Only id and name are required of a row; a row without them is a :class:`BadRow`. A list of which no row can be read,
or in which a field is gone from every row, is another layout.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

from monitor_site.contract import BadRow, LayoutChanged, Sighting

ENOUGH_ROWS = 5
_USABLE_ID = re.compile(r"[0-9A-Za-z_-]{1,64}")
_NEVER_GONE = ("price", "status")

Row = Mapping[str, Any]
Reader = Callable[[Row, str, str], Sighting]


def refuse_gone(rows: list[Any]) -> None:
    """Raise LayoutChanged when price or status is gone from every row of a list of five and more."""
    told = [row for row in rows if isinstance(row, dict)]
    if len(told) < ENOUGH_ROWS:
        return
    if gone := [name for name in _NEVER_GONE if all(name not in row for row in told)]:
        raise LayoutChanged(f"gone from every row: {', '.join(gone)}")


def read_rows(rows: list[tuple[int, Any]], reader: Reader) -> tuple[tuple[Sighting, ...], tuple[BadRow, ...]]:
    """The sightings that ``reader`` makes of (position, row), given row, id and name, and the rows without.

    Raises: LayoutChanged when there are rows and none can be read.
    """
    read = [(at, _read_row(row, reader)) for at, row in rows]
    sightings = tuple(found for _, found in read if isinstance(found, Sighting))
    bad = tuple(BadRow(position=at, reason=found) for at, found in read if isinstance(found, str))
    if bad and not sightings:
        raise LayoutChanged(f"none of {len(bad)} rows can be read: {bad[0].reason}")
    return sightings, bad


def _read_row(row: Any, reader: Reader) -> Sighting | str:
    """The sighting, or why there is none."""
    if not isinstance(row, dict):
        return "not an object"
    external_id, name = row.get("id"), row.get("name")
    if not isinstance(external_id, str) or not _USABLE_ID.fullmatch(external_id):
        return "no usable id"
    return reader(row, external_id, name) if isinstance(name, str) else "no name"

"""From the bytes of an answer to what they hold. Pure."""

import json
from typing import Any

import orjson

from monitor_site.contract import LayoutChanged

_BOM = b"\xef\xbb\xbf"


def load(body: bytes) -> Any:
    """What ``body`` holds as JSON. Raises: LayoutChanged."""
    try:
        return orjson.loads(body.removeprefix(_BOM))
    except orjson.JSONDecodeError as unread:
        return _load_leniently(body, unread)


def _load_leniently(body: bytes, unread: ValueError) -> Any:
    """One title with half a surrogate pair must not cost the page; the strict reader refuses it, this one does not."""
    try:
        # "NaN" is no JSON: whatever it stands for is not known.
        return json.loads(body.removeprefix(_BOM).decode("utf-8"), parse_constant=lambda _: None)
    except (ValueError, RecursionError):
        raise LayoutChanged(f"no JSON: {unread}") from unread


def packed(row: Any) -> bytes | None:
    """What :func:`load` gave as bytes again, the same for the same; ``None`` for what the strict reader refuses."""
    try:
        return orjson.dumps(row)
    except orjson.JSONEncodeError:
        return None


def is_markup(body: bytes) -> bool:
    """Whether it is a page for people, whatever its media type says."""
    return body[:256].removeprefix(_BOM).lstrip().startswith(b"<")

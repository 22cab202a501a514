"""What an open page hears, as text on the wire. Every message carries the cursor up to which the page is complete."""

import json
from typing import Any

from monitor_site.outbox.stream import KEPT_SECONDS

from .live_hub import Entry

HELLO = "retry: 500\nevent: hello\ndata: {}\n\n"  # a wait belongs to an event, else the page does not obey
FULL = "retry: 30000\nevent: full\ndata: {}\n\n"
COUNTED = 100
COUNTERS = {"new": ("n-new", "n-tab"), "ending": ("n-ending", "n-ending-tab")}


def order(cursor: str) -> tuple[int, int]:
    """Cursors in the order of the stream."""
    head, _, tail = cursor.partition("-")
    return int(head), int(tail or 0)


def reaches_back(cursor: str, *, first: str, trimmed: bool, now_ms: int) -> bool:
    """Whether a stream still holds everything after ``cursor``.

    ``first`` is the id of its first entry, empty when there is none. An idle stream expires as a whole, so a fresh one
    may stand where an old one was; what is younger than that cannot be lost.
    """
    if first and order(cursor) >= order(first):
        return True
    began_ms = order(first)[0] if first else now_ms
    return not trimmed and order(cursor)[0] >= began_ms - KEPT_SECONDS * 1000


class Page:
    """One open page: what it has heard, and what it hears next."""

    def __init__(self, cursor: str) -> None:
        self.cursor = cursor
        self._shown: dict[str, int] = {}

    def entries(self, entries: list[Entry]) -> str:
        """Entries of the stream, each once: one message for all new matches, one for all changed ones, one a watch."""
        fresh = [entry for entry in entries if order(entry[0]) > order(self.cursor)]
        if not fresh:
            return ""
        self.cursor = fresh[-1][0]
        watches = sorted({_data(entry)["watch"] for entry in fresh if entry[1]["event"] == "watch"})
        matches = sum(entry[1]["event"] == "match" for entry in fresh)
        changed = len({_data(entry)["listing"] for entry in fresh if entry[1]["event"] == "listing"})
        text = "".join(self._message("watches", {"watch": watch}) for watch in watches)
        text += self._message("listings", {"n": changed}) if changed else ""
        return text + (self._message("matches", {"n": matches, "cursor": self.cursor}) if matches else "")

    def resync(self, entries: list[Entry]) -> str:
        """Something was lost: the page asks its own address again, and so needs none of these entries."""
        self.cursor = entries[-1][0] if entries else self.cursor
        return self._message("resync", {})

    def figures(self, figures: dict[str, Any], *, now_ms: int) -> str:
        """A ping with the figures of the chip, and the counters beside the menu that have changed."""
        counts = {name: figures[name] for name in COUNTERS if figures and figures[name] != self._shown.get(name)}
        self._shown |= counts
        chip = {name: figures.get(f"{name}_ms") for name in ("found", "late")}
        ping = self._message("ping", {"t": now_ms, "age": figures.get("age_s"), **chip})
        return (self._message("", _counters(counts)) if counts else "") + ping

    def _message(self, event: str, data: Any) -> str:
        lines = [f"event: {event}"] if event else []
        body = data if isinstance(data, str) else json.dumps(data)
        return "\n".join([*lines, f"id: {self.cursor}", f"data: {body}", "", ""])


def _counters(counts: dict[str, int]) -> str:
    return "".join(
        f'<hx-partial hx-target="#{place}" hx-swap="textContent">{_up_to_99(count)}</hx-partial>'
        for name, count in counts.items()
        for place in COUNTERS[name]
    )


def _up_to_99(count: int) -> str:
    return "" if not count else str(count) if count < COUNTED else f"{COUNTED - 1}+"


def _data(entry: Entry) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(entry[1]["data"])
    return found

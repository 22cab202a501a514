"""What the table of runs shows, as plain values."""

import json
from dataclasses import dataclass

from django.utils.translation import gettext

from monitor_site.watches.models import Check, Outcome
from monitor_site.watches.queries import tick

from .watch_list import Segment
from .watch_words import MILD, result_words


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    """A run with its words; ``tone`` is the badge's, ``question`` the words that were asked for."""

    run: Check
    words: str
    tone: str
    late: bool
    question: str


def run_line(run: Check) -> RunLine:
    """A run in words; it comes with its target loaded."""
    return RunLine(
        run=run,
        words=result_words(run),
        tone=_tone(run),
        late=tick(run) == "late",
        question=str(json.loads(run.target.criteria).get("keyword", "")),
    )


def _tone(run: Check) -> str:
    if run.outcome == Outcome.FAILED:
        return "warn" if run.error in MILD else "bad"
    return "ok" if run.outcome == Outcome.OK else "none"


def run_segments(result: str) -> list[Segment]:
    """Which runs to show."""
    choices = (
        ("", gettext("All runs")),
        ("ok", gettext("Found")),
        ("empty", gettext("Nothing found")),
        ("failed", gettext("Failed")),
        ("late", gettext("Late")),
    )
    return [
        Segment(label=label, url=f"?result={name}" if name else "?", current=name == result) for name, label in choices
    ]

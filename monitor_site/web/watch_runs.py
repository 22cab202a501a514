"""What the table of runs shows, as plain values."""

import json
from dataclasses import dataclass
from urllib.parse import urlencode

from django.http import QueryDict
from django.utils.translation import gettext

from monitor_site.watches.models import Check, Outcome, Target, Watch
from monitor_site.watches.queries import RESULTS, tick
from monitor_site.watches.strangers import READ, are_strange

from .watch_list import Segment
from .watch_words import MILD, marketplace_title, result_words


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLine:
    """A run with its words; ``tone`` is the badge's, ``question`` the words, or the number, that was asked for.

    ``strange``: hardly any of so many rows has one of these words; 0 where that is not so.
    """

    run: Check
    words: str
    tone: str
    late: bool
    question: str
    strange: int = 0

    @property
    def late_ms(self) -> int:
        """How late it began; a timer that errs by a millisecond made nothing early."""
        return max(0, self.run.lateness_ms)


def run_line(run: Check) -> RunLine:
    """A run in words; it comes with its target loaded."""
    return RunLine(
        run=run,
        words=result_words(run),
        tone=_tone(run),
        late=tick(run) == "late",
        question=_question(run.target),
        strange=min(run.fetched, READ) if are_strange(run.worded, run.fetched) else 0,
    )


def _question(target: Target) -> str:
    return target.criteria if target.is_look else str(json.loads(target.criteria).get("keyword", ""))


def _tone(run: Check) -> str:
    if run.outcome == Outcome.FAILED:
        return "warn" if run.error in MILD else "bad"
    return "ok" if run.outcome == Outcome.OK else "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class RunLook:
    """Which runs a person asked for: ``result`` is a key of ``RESULTS``; both are empty for any."""

    result: str
    marketplace: str

    def address(self, **changes: str) -> str:
        """The query string of this look with changes."""
        wanted = {"result": self.result, "market": self.marketplace} | changes
        return f"?{urlencode({name: value for name, value in wanted.items() if value})}"


def run_look(query: QueryDict, watch: Watch) -> RunLook:
    """Read a query string; what makes no sense is left out."""
    result, marketplace = query.get("result", ""), query.get("market", "")
    return RunLook(
        result=result if result in RESULTS else "",
        marketplace=marketplace if marketplace in watch.marketplaces else "",
    )


def run_markets(look: RunLook, watch: Watch) -> list[Segment]:
    """Runs at which marketplace to show; nothing to choose when there is only one."""
    if len(watch.marketplaces) < 2:
        return []
    choices = [("", gettext("All marketplaces")), *((name, marketplace_title(name)) for name in watch.marketplaces)]
    return [
        Segment(label=label, url=look.address(market=name), current=name == look.marketplace) for name, label in choices
    ]


def run_segments(look: RunLook) -> list[Segment]:
    """Which runs to show."""
    choices = (
        ("", gettext("All runs")),
        ("ok", gettext("Found")),
        ("empty", gettext("Nothing found")),
        ("failed", gettext("Failed")),
        ("late", gettext("Late")),
    )
    return [Segment(label=label, url=look.address(result=name), current=name == look.result) for name, label in choices]

"""How often a watch is asked in fact, and why, in words."""

from collections.abc import Iterable, Mapping
from contextlib import suppress

import redis
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from monitor_site import wording
from monitor_site.connections import redis_client
from monitor_site.watches.plan import Because
from monitor_site.watches.planned import Standing, standings
from monitor_site.watches.queries import Row

from .watch_words import marketplace_title

REASONS: Mapping[Because, "str | Promise"] = {
    Because.SHARED: _("asked every %(time)s: many questions share what may be asked"),
    Because.GIVING: _("asked every %(time)s: something new keeps coming"),
    Because.SILENT: _("asked every %(time)s: nothing new for a while"),
    Because.LOAD: _("asked every %(time)s: this machine is busy"),
}


def standing_of(rows: Iterable[Row]) -> Mapping[str, Standing]:
    """How the marketplaces stand at which one of these is not asked as it wishes; none when Redis does not answer."""
    names = {name for row in rows for name in row.planned}
    with suppress(redis.RedisError):
        return standings(redis_client(), names) if names else {}
    return {}


def plan_words(row: Row, standing: Mapping[str, Standing]) -> str:
    """Where the plan differs from the wish; empty where it does not."""
    if row.watch.paused_at:
        return ""
    return " · ".join(_at(row, name, standing.get(name)) for name in row.planned)


def _at(row: Row, name: str, standing: Standing | None) -> str:
    planned = row.planned[name]
    told = {"time": wording.duration(planned.seconds)}
    words = str(REASONS[planned.because]) % told
    if planned.because == Because.SHARED and standing is not None:
        told |= {"questions": f"{standing.questions:,}", "pace": f"{standing.pace:.3g}"}
        words = gettext("asked every %(time)s: %(questions)s questions share %(pace)s a minute") % told
    if len(row.watch.marketplaces) < 2:
        return words
    return gettext("%(marketplace)s: %(error)s") % {"marketplace": marketplace_title(name), "error": words}

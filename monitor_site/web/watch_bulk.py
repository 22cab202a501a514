"""One action on many watches of the list. A plain form; deleting asks on a page of its own."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST

from monitor_site.alerts.models import Channel
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches import bulk, queries, resting, services, tagging
from monitor_site.watches.bulk import MOST_AT_ONCE, Done
from monitor_site.watches.models import Match, Watch

from .bulk_alerts import alert_act, alert_acts
from .resting_words import until_of
from .watch_fields import LONGEST_LIST, split_words
from .watch_list import ACTS, Look, look_of

LARGEST_ID = 2**63 - 1
NAMED = 12
# Nobody waits longer for an answer, and a web process has others to serve.
LONGEST_SECONDS = 20
Act = Callable[[Watch], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The chosen watches, at most so many at once, and how many more were chosen."""

    watches: list[Watch]
    left: int


@require_POST
def watch_bulk(request: HttpRequest) -> HttpResponse:
    """Do what the form says to the watches that it names, or to all behind its filters."""
    look = look_of(QueryDict(request.POST.get("filters", "").lstrip("?")))
    act, choice = request.POST.get("act", ""), _chosen(request, look)
    acts = {**ACTS, **alert_acts(Channel.objects.of(request.user))}
    if act not in acts or not choice.watches:
        messages.warning(request, gettext("Choose watches and what to do with them first."))
    elif act in {"tag", "untag"} and not _names(request):
        messages.warning(request, gettext("Write the tags beside the action, separated by commas."))
    elif act == "delete" and request.POST.get("sure") != "yes":
        return _ask(request, look, choice)
    else:
        end = time.monotonic() + LONGEST_SECONDS
        act_on_one = _act(act, request, timezone.now())
        done = bulk.act_on(watches=choice.watches, act=act_on_one, enough=lambda: time.monotonic() > end)
        _tell(request, str(acts[act]), done, choice.left + done.left)
    return redirect(reverse("watches") + look.address())


def _chosen(request: HttpRequest, look: Look) -> Choice:
    if "all" in request.POST:
        found = queries.watches_of(request.user, now=timezone.now(), known=catalog().plugins, filters=look)
        ids = list(found.values_list("pk", flat=True))
    else:
        typed = [text for text in request.POST.getlist("watch") if text.isascii() and text.isdecimal()]
        ids = [min(int(text), LARGEST_ID) for text in typed if len(text) <= len(str(LARGEST_ID))]
    watches = Watch.objects.of(request.user).in_bulk(ids[:MOST_AT_ONCE])
    return Choice(watches=[watches[pk] for pk in sorted(watches)], left=max(0, len(ids) - MOST_AT_ONCE))


def _names(request: HttpRequest) -> list[str]:
    return split_words(request.POST.get("tags", "")[:LONGEST_LIST])


def _act(act: str, request: HttpRequest, now: datetime) -> Act:
    """The action as a function of one watch."""
    if (of_alerts := alert_act(act, request.user)) is not None:
        return of_alerts
    if act.startswith("mute-"):
        return partial(_mute, until=until_of(act.removeprefix("mute-"), now=now), now=now)
    names = _names(request)
    acts: Mapping[str, Act] = {
        "pause": lambda watch: services.pause_watch(watch=watch, now=now),
        "resume": lambda watch: services.resume_watch(watch=watch, now=now),
        "tag": lambda watch: tagging.add_tags(watch=watch, names=names) > 0,
        "untag": lambda watch: tagging.take_tags(watch=watch, names=names) > 0,
        "unmute": lambda watch: resting.unmute_watch(watch=watch),
        "delete": partial(_delete, now=now),
    }
    return acts[act]


def _mute(watch: Watch, *, until: datetime | None, now: datetime) -> bool:
    resting.mute_watch(watch=watch, until=until, now=now)
    return True


def _delete(watch: Watch, *, now: datetime) -> bool:
    services.delete_watch(watch=watch, now=now)
    return True


def _ask(request: HttpRequest, look: Look, choice: Choice) -> HttpResponse:
    """Name what would be deleted; the answer names the same watches, whatever the filters then find."""
    context = {
        "watches": choice.watches,
        "named": choice.watches[:NAMED],
        "more": max(0, len(choice.watches) - NAMED),
        "left": choice.left,
        "filters": look.address(),
        "matches": _matches(request.user, choice.watches),
    }
    return render(request, "web/watches/bulk_delete.html", context)


def _matches(user: Any, watches: list[Watch]) -> int:
    return Match.objects.of(user).filter(watch__in=watches).count()


def _tell(request: HttpRequest, label: str, done: Done, left: int) -> None:
    """What was done, what was not, and why."""
    changed = ngettext("%(act)s: %(n)d watch.", "%(act)s: %(n)d watches.", done.changed)
    parts = [changed % {"act": label, "n": done.changed}]
    if done.unchanged:
        same = ngettext("%(n)d was so already.", "%(n)d were so already.", done.unchanged)
        parts.append(same % {"n": done.unchanged})
    for sentence, count in done.refused.items():
        refused = ngettext("%(n)d was refused: %(why)s", "%(n)d were refused: %(why)s", count)
        parts.append(refused % {"n": count, "why": sentence})
    if left:
        more = ngettext("%(n)d is left for another time.", "%(n)d are left for another time.", left)
        parts.append(more % {"n": left})
    level = messages.WARNING if done.refused or left else messages.SUCCESS
    messages.add_message(request, level, " ".join(parts))

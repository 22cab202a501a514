"""The page about what a watch wished before, and the way back."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from monitor_site.watches import services
from monitor_site.watches.models import Watch, WatchVersion

from .query_filters import number
from .watch_diff import Change, changes_between
from .watches import head_of, own_watch

PAGE = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A version and how it differs from the one before; the first one differs from nothing."""

    version: WatchVersion
    changes: list[Change]


@own_watch
@require_safe
def watch_history(request: HttpRequest, watch: Watch) -> HttpResponse:
    """The versions of a watch, newest first."""
    before = number(request.GET.get("before"))
    versions = watch.versions.select_related("by").order_by("-number")
    found = list((versions.filter(number__lt=before) if before else versions)[: PAGE + 1])
    context = {
        "tab": "history",
        "entries": entries_of(found)[:PAGE],
        "newest": versions.values_list("number", flat=True).first(),
        "before": before,
        "older": found[PAGE - 1].number if len(found) > PAGE else None,
    }
    return render(request, "web/watches/history.html", head_of(watch) | context)


def entries_of(versions: Sequence[WatchVersion]) -> list[Entry]:
    """Versions, newest first, each compared with the one that follows it here."""
    compared = [
        Entry(version=one, changes=changes_between(before.wish, one.wish)) for one, before in pairwise(versions)
    ]
    return [*compared, *(Entry(version=one, changes=[]) for one in versions[-1:])]


@own_watch
@require_POST
def watch_restore(request: HttpRequest, watch: Watch) -> HttpResponse:
    """Wish again what a version says."""
    version = get_object_or_404(watch.versions, number=number(request.POST.get("version")))
    try:
        services.restore_version(version=version, by=request.user, now=timezone.now())
    except ValidationError as error:
        sentence = gettext("Version %(n)d cannot come back: %(reasons)s")
        messages.error(request, sentence % {"n": version.number, "reasons": " ".join(error.messages)})
        return redirect("watch-history", watch.pk)
    messages.success(request, gettext("The watch is as in version %(n)d again.") % {"n": version.number})
    return redirect("watch-history", watch.pk)

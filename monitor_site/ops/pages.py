"""The operations page: is it on time, and if not, which part? For staff; for everybody else it is not there."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from monitor_site.connections import redis_client

from .act_pages import may_operate
from .board import board, segments
from .figures import recent
from .windows import WINDOWS


@require_safe
def operations(request: HttpRequest) -> HttpResponse:
    """The whole page; for an open one that asks again, only what changes by itself."""
    if not request.user.is_staff:
        raise Http404
    minutes = _minutes(request.GET.get("window", ""))
    client = redis_client()
    context = {"board": board(client, recent(client), minutes=minutes), "minutes": minutes}
    context["may_operate"] = may_operate(request.user)
    if "live" in request.GET:
        return render(request, "ops/_live.html", context)
    return render(request, "ops/page.html", context | {"segments": segments(minutes)})


def _minutes(given: str) -> int:
    """A stretch of time that can be chosen; the shortest when it makes no sense."""
    known = {str(minutes): minutes for minutes in WINDOWS}
    return known.get(given, WINDOWS[0])

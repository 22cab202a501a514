"""Activity: who did what, when, and why. Everybody sees their own record, and nobody changes one."""

import json
from collections.abc import Iterator
from itertools import islice
from typing import Any

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from . import activity_query as query
from .activity_filters import chips_of, choices
from .activity_lines import Line, last_check, lines_of, plain
from .query_filters import number, query_string
from .spreadsheets import csv_answer

PAGE = 50
MOST_EXPORTED = 50_000
HEAD = ("time", "who", "how", "kind", "what", "object", "before", "after", "reason", "address", "trace")


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """A page of the reader's record, by filters."""
    filters, before = query.filters_of(request.GET), query.place_of(request.GET.get("before", ""))
    found = query.facts(request.user, filters, now=timezone.now(), after=before, limit=PAGE + 1)
    older = query.place_after(found[PAGE - 1]) if len(found) > PAGE else None
    context = {
        "lines": lines_of(found[:PAGE], request.user),
        "filters": filters,
        "query": query_string(filters.values()),
        "older": query_string(filters.values() | {"before": str(older)}) if older else "",
        "before": before,
        "choices": choices(),
        "check": last_check(),
        "chips": chips_of(filters),
        "kept_days": 0 if older else settings.AUDIT_RETENTION_DAYS,
    }
    return render(request, "web/activity/list.html", context)


@require_safe
def row(request: HttpRequest, row: str) -> HttpResponse:
    """One row, to link to; 404 when it is not the reader's own. ``?as=json`` is the same for programs."""
    line = _own_line(request.user, row)
    if request.GET.get("as") == "json":
        return JsonResponse(plain(line))
    context = {"line": line, "check": last_check(), "json": json.dumps(plain(line), ensure_ascii=False)}
    return render(request, "web/activity/row.html", context)


def _own_line(user: Any, name: str) -> Line:
    rows: Any = {query.ENTRY: query.entries_of, query.STEP: query.steps_of}.get(name[:1])
    pk = number(name[1:])
    if rows is None or pk is None or not (found := rows(user).filter(pk=pk).first()):
        raise Http404
    return lines_of([found], user)[0]


@require_safe
def as_csv(request: HttpRequest) -> HttpResponse:
    """What the filters find, for a spreadsheet."""
    return csv_answer("activity", HEAD, (_cells(line) for line in _all(request)))


@require_safe
def as_json(request: HttpRequest) -> HttpResponse:
    """What the filters find, for programs."""
    answer = JsonResponse({"activity": [plain(line) for line in _all(request)]})
    answer["Content-Disposition"] = 'attachment; filename="activity.json"'
    return answer


def _all(request: HttpRequest) -> Iterator[Line]:
    filters = query.filters_of(request.GET)
    found = query.slices(request.user, filters, now=timezone.now())
    for some in islice(found, MOST_EXPORTED // query.AT_ONCE):
        yield from lines_of(some, request.user)


def _cells(line: Line) -> list[object]:
    changes = [(f"{one.label}: {', '.join(one.gone)}", f"{one.label}: {', '.join(one.come)}") for one in line.changes]
    before, after = ("; ".join(side) for side in zip(*changes, strict=True)) if changes else ("", "")
    what = [line.at.isoformat(), line.who, line.how, line.thing, line.what, line.words]
    return [*what, before, after, line.reason, line.source, line.trace]

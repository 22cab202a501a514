"""The preview beside the form of a watch. The web asks no marketplace: it says what is wanted, and shows what came."""

import time
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import redis
import structlog
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from monitor_site.connections import redis_client
from monitor_site.watches import asking, costs, previewing
from monitor_site.watches.asking import SEARCHES, Answer, Question, Wanted
from monitor_site.watches.blocking import blocks_of
from monitor_site.watches.models import Watch
from monitor_site.watches.questions import questions
from monitor_site.watches.rules import rule_of

from .preview_cards import cost_lines, shown
from .preview_form import Draft, draft_again, draft_of, form_at, typed_again

PATIENCE_SECONDS = 90
AWAY = gettext_lazy("The preview does not work at the moment. Saving does.")

log = structlog.get_logger(__name__)


def told_without_redis(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Without Redis nobody can be asked; the form itself works on."""

    @wraps(view)
    def wrapper(request: HttpRequest, *args: Any, **named: Any) -> HttpResponse:
        try:
            return view(request, *args, **named)
        except redis.RedisError as error:
            log.warning("web.preview_redis_away", error=str(error))
            return _refused(request, Draft(problems=(str(AWAY),)))

    return wrapper


@require_POST
@told_without_redis
def begin(request: HttpRequest) -> HttpResponse:
    """Say what is wanted; answers what is known at once, and where the rest appears."""
    now, pk = timezone.now(), request.GET.get("watch", "")
    edited = get_object_or_404(Watch.objects.of(request.user), pk=pk[:18]) if pk.isdecimal() else None
    draft = draft_of(request.user, request.POST, edited=edited, now=now)
    if draft.watch is None:
        return _refused(request, draft)
    want = _begun(request, draft, draft.watch)
    if not _is_part(request):
        return redirect("watch-preview-of", want.id)
    return render(request, "web/watches/_preview_in.html", _whole(request, want, draft.watch))


def _begun(request: HttpRequest, draft: Draft, watch: Watch) -> Wanted:
    want = Wanted(questions=asking.searches(questions(watch)), typed=draft.typed, at=time.time())
    asking.begin(redis_client(), user_id=_id(request), slot=SEARCHES, want=want)
    return want


def part_of(request: HttpRequest, typed: QueryDict, *, edited: Watch | None) -> dict[str, Any]:
    """What stands in the pane beside a form of which this is typed, for a page that comes with both."""
    draft = draft_of(request.user, typed, edited=edited, now=timezone.now())
    if draft.watch is None:
        return {"problems": draft.problems}
    try:
        return _whole(request, _begun(request, draft, draft.watch), draft.watch)
    except redis.RedisError as error:
        log.warning("web.preview_redis_away", error=str(error))
        return {"problems": (str(AWAY),)}


@require_safe
@told_without_redis
def preview(request: HttpRequest, public_id: str) -> HttpResponse:
    """What came so far, under the limits as they were typed last; somebody else's preview does not exist."""
    want = asking.wanted(redis_client(), user_id=_id(request), slot=SEARCHES)
    if want is None or want.id != public_id:
        raise Http404
    draft = draft_again(request.user, want.typed, now=timezone.now())
    if draft.watch is None:
        return _refused(request, draft)
    if _is_part(request):
        return render(request, "web/watches/_preview_now.html", _now(request, want, draft.watch))
    context = _whole(request, want, draft.watch) | {"typed": typed_again(want.typed)}
    return render(request, "web/watches/preview.html", context)


def _id(request: HttpRequest) -> int:
    return request.user.pk or 0


def _is_part(request: HttpRequest) -> bool:
    return bool(request.headers.get("HX-Request"))


def _refused(request: HttpRequest, draft: Draft) -> HttpResponse:
    name = "_preview_in" if _is_part(request) else "preview"
    return render(request, f"web/watches/{name}.html", {"problems": draft.problems})


def _whole(request: HttpRequest, want: Wanted, watch: Watch) -> dict[str, Any]:
    blocks = blocks_of(request.user, watch.marketplaces)
    return _now(request, want, watch) | {
        "watch": watch,
        "known": previewing.known(rule_of(watch), watch.marketplaces, blocks=blocks, now=timezone.now()),
        "costs": cost_lines(costs.costs(watch)),
    }


def _now(request: HttpRequest, want: Wanted, watch: Watch) -> dict[str, Any]:
    answers = _answers(_id(request), want)
    blocks = blocks_of(request.user, watch.marketplaces)
    seen = shown(watch, answers, blocks=blocks, now=timezone.now())
    goes_on = not seen.is_done and time.time() < want.at + PATIENCE_SECONDS
    return {"shown": seen, "id": want.id, "goes_on": goes_on, "form_at": form_at(want.typed)}


def _answers(user_id: int, want: Wanted) -> Mapping[Question, Answer]:
    return asking.answers(redis_client(), user_id=user_id, questions=want.questions, now=time.time())

"""The page on which an operator says why, and then acts. For people who are no staff it is not there."""

from typing import Any

import redis
from django import forms
from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from monitor_site.accounts.models import User
from monitor_site.connections import redis_client
from monitor_site.web.watch_words import marketplace_title

from .acts import ACTS, Act, Asked, do
from .bundle import bundle

PERMISSION = "engine.operate"
MARKETPLACE_ACTS = ("pause", "resume", "probe")


class ReasonForm(forms.Form):
    """Why somebody does this."""

    reason = forms.CharField(
        label=_("Reason"),
        max_length=200,
        help_text=_("It stands in the audit log with your name."),
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )


def may_operate(user: Any) -> bool:
    """Whether this person may act, not only look."""
    return bool(user.is_staff and user.has_perm(PERMISSION))


@require_http_methods(["GET", "HEAD", "POST"])
def act(request: HttpRequest) -> HttpResponse:
    """Say what would follow and ask for a reason; with one, do it."""
    if not request.user.is_staff:
        raise Http404
    if not may_operate(request.user):
        raise PermissionDenied
    name, on = _asked(request)
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if request.method == "POST" and form.is_valid():
        return _done(request, request.user, name, on, form.cleaned_data["reason"])
    return _page(request, name, on, form)


def _page(request: HttpRequest, name: str, on: str, form: ReasonForm) -> HttpResponse:
    wanted: Act = ACTS[name]
    context = {"name": name, "on": on, "act": wanted, "form": form, "lines": wanted.preview(on)}
    context["subject"] = marketplace_title(on) if name in MARKETPLACE_ACTS else on
    return render(request, "ops/act.html", context, status=422 if form.is_bound else 200)


def _asked(request: HttpRequest) -> tuple[str, str]:
    """Which act on what; 404 for what there is not. While Redis is away nobody knows of a worker."""
    given = request.POST if request.method == "POST" else request.GET
    name, on = given.get("do", ""), given.get("on", "")
    try:
        if name in ACTS and ACTS[name].knows(on):
            return name, on
    except redis.RedisError as error:
        raise Http404 from error
    raise Http404


def _done(request: HttpRequest, user: User, name: str, on: str, reason: str) -> HttpResponse:
    asked = Asked(on=on, user=user, reason=reason, now=timezone.now())
    try:
        words = do(name, asked)
    except redis.RedisError:
        messages.error(request, gettext("Redis does not answer. Nothing was changed."))
        return redirect("operations")
    if name == "bundle":
        return _download(asked)
    messages.success(request, words)
    return redirect("operations")


def _download(asked: Asked) -> HttpResponse:
    answer = HttpResponse(bundle(redis_client(), now=asked.now), content_type="application/zip")
    answer["Content-Disposition"] = f'attachment; filename="diagnostics-{asked.now:%Y%m%d-%H%M}.zip"'
    return answer

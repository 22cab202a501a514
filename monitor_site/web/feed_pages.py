"""A person's feeds: made, given a new address, ended. An address is shown once, on the answer to the button."""

import secrets
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST

from monitor_site.alerts import feeding
from monitor_site.alerts.feeding import Opened
from monitor_site.alerts.models import Feed
from monitor_site.site_address import absolute

from .feed_form import FeedForm
from .feed_formats import FORMATS
from .once import make_once
from .proving import before_doing, proves_again, typed

LARGEST_ID = 2**63 - 1


def own_feed(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Give the view the feed instead of its number; 404 when it is not the reader's own, whatever the method."""

    @wraps(view)
    def wrapper(request: HttpRequest, pk: int) -> HttpResponse:
        return view(request, get_object_or_404(Feed, user=request.user, pk=min(pk, LARGEST_ID)))

    return wrapper


@require_http_methods(["GET", "HEAD", "POST"])
def feed_list(request: HttpRequest) -> HttpResponse:
    """All feeds, and a form for another one."""
    form = FeedForm(typed(request), user=request.user, initial=_fresh())
    page = partial(_page, request, form)
    if first := before_doing(request, form, asks=lambda: True, page=page):
        return first
    opened = _made(request, form)
    if opened is None and form.errors:
        return page(422)
    if opened is None:
        messages.warning(request, gettext("This feed is made already. Its address was shown then, and only then."))
        return redirect("feeds")
    return _page(request, FeedForm(user=request.user, initial=_fresh()), opened=opened)


def _fresh() -> dict[str, str]:
    return {"form_key": secrets.token_urlsafe(12)}


def _made(request: HttpRequest, form: FeedForm) -> Opened | None:
    """The new feed; ``None`` with errors in the form, and without any when the same page has made it before."""
    opened: list[Opened] = []

    def make() -> int:
        opened.append(feeding.create_feed(user=request.user, wish=form.wish(), now=timezone.now()))
        return opened[0].feed.pk

    try:
        make_once(request, user=request.user, key=form.cleaned_data["form_key"], make=make)
    except ValidationError as error:
        form.add_error(None, error)
    return opened[0] if opened else None


def _page(request: HttpRequest, form: FeedForm, status: int = 200, *, opened: Opened | None = None) -> HttpResponse:
    found = Feed.objects.filter(user=request.user.pk).select_related("watch").order_by("-created_at", "-pk")
    context = {
        "feeds": [{"feed": feed, "name": feeding.name_of(feed)} for feed in found],
        "form": form,
        "opened": feeding.name_of(opened.feed) if opened else "",
        "addresses": _addresses(opened) if opened else [],
    }
    return render(request, "web/feeds.html", context, status=status)


def _addresses(opened: Opened) -> list[dict[str, Any]]:
    """One for each form, all with the same secret."""
    return [
        {"name": name, "label": form.label, "url": absolute(reverse("feed", args=[opened.secret, name]))}
        for name, form in FORMATS.items()
    ]


@own_feed
@require_http_methods(["GET", "HEAD", "POST"])
@proves_again
def feed_rotate(request: HttpRequest, feed: Feed) -> HttpResponse:
    """Another address, shown at once; who comes back by its own address gets the list."""
    if request.method != "POST":
        return redirect("feeds")
    form = FeedForm(user=request.user, initial=_fresh())
    return _page(request, form, opened=feeding.rotate_feed(feed=feed))


@own_feed
@require_POST
def feed_revoke(request: HttpRequest, feed: Feed) -> HttpResponse:
    """End it."""
    feeding.revoke_feed(feed=feed)
    messages.success(
        request, gettext("The feed “%(name)s” is ended. Its address leads nowhere.") % {"name": feeding.name_of(feed)}
    )
    return redirect("feeds")

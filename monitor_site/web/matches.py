"""The feed of matches and what a person does with them."""

from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from monitor_site import wording
from monitor_site.watches import resting, services
from monitor_site.watches.models import Match

from . import degraded, live, missing
from .cards import card_of
from .feed import AT_ONCE, SEGMENTS, Filters, all_behind, changed_lately, keys_of, newest, page_of, shown, since
from .feed_rail import rail_of
from .filtering import asked_markets, choices_of, tags_of
from .query_filters import number
from .resting_words import HOUR, MORNING, until_of
from .returning import back


@require_safe
def feed(request: HttpRequest) -> HttpResponse:
    """The page; with ``after`` the cards since, with ``count`` their numbers; with ``changed`` parts of cards."""
    if "changed" in request.GET:
        return _changed(request)
    filters = Filters.of(request.GET)
    after = _whole(request.GET.get("after"))
    if after is not None:
        return _since(request, since(request.user, filters, after=after, now=timezone.now()))
    return render(request, "web/matches.html", _page(request, filters))


def _changed(request: HttpRequest) -> HttpResponse:
    """Price and facts of the cards whose listings changed a moment ago; a page swaps those that it shows."""
    found = changed_lately(request.user, now=timezone.now())
    return render(request, "web/_changed.html", {"cards": [card_of(match) for match in found]})


def _since(request: HttpRequest, ids: list[int]) -> HttpResponse:
    """The page leaves out what it shows already."""
    if "count" in request.GET:
        return JsonResponse({"ids": keys_of(ids)})
    found = shown(Match.objects.of(request.user).filter(pk__in=ids[:AT_ONCE])).order_by("-matched_at", "-id")
    return render(request, "web/_matches.html", {"matches": found})


def _page(request: HttpRequest, filters: Filters) -> dict[str, Any]:
    """Cursor, newest id, rows, in this order: what comes in between is told as new, and nothing is told to nobody."""
    before = _whole(request.GET.get("before"))
    cursor = live.cursor_of(request.user.pk or 0)
    last = newest(request.user)
    page = page_of(request.user, filters, before=before, now=timezone.now())
    choices = choices_of(request.user, filters, SEGMENTS)
    marketplaces = asked_markets(request.user, choices["watches"])
    return {
        "live_cursor": cursor,
        "newest": last,
        "filters": filters,
        "matches": page.matches,
        "older": filters.query(before=page.older) if page.older else "",
        "filtered": bool(filters.query()) or bool(before),
        "first_page": not before,
        "rail": rail_of(request.user, marketplaces, now=timezone.now()),
        "notes": [*degraded.notes_for("matches", request.user), *missing.notes_of(request.user, now=timezone.now())],
        **choices,
        **tags_of(request.user, filters),
    }


def _whole(text: str | None) -> int | None:
    """The number of a card without the fraction of one that came back to the top."""
    return number((text or "").partition(".")[0])


@require_POST
def ignore(request: HttpRequest, public_id: str) -> HttpResponse:
    """Put a match aside; the card becomes one line with the way back."""
    match = _mine(request, public_id)
    services.ignore_match(match=match, now=timezone.now())
    if getattr(request, "htmx", False):
        return render(request, "web/_ignored.html", {"match": match})
    undo = reverse("match-restore", args=[public_id])
    messages.success(request, gettext("Ignored: %(title)s") % {"title": match.listing.title}, extra_tags=undo)
    return redirect(_feed_address(request))


@require_POST
def restore(request: HttpRequest, public_id: str) -> HttpResponse:
    """Take an ignored match back."""
    match = _mine(request, public_id)
    services.restore_match(match=match, now=timezone.now())
    if getattr(request, "htmx", False):
        return render(request, "web/_matches.html", {"matches": [_mine(request, public_id)]})
    messages.success(request, gettext("Back in the feed: %(title)s") % {"title": match.listing.title})
    return redirect(_feed_address(request))


@require_POST
def snooze(request: HttpRequest, public_id: str) -> HttpResponse:
    """Keep a match out of the feed for a while."""
    match, now = _mine(request, public_id), timezone.now()
    choice = MORNING if request.POST.get("for") == MORNING else HOUR
    until = until_of(choice, now=now) or now
    resting.snooze_match(match=match, until=until)
    facts = {"title": match.listing.title, "time": wording.clock(until, now=now)}
    if getattr(request, "htmx", False):
        return render(request, "web/_snoozed.html", {"match": match, **facts})
    undo = reverse("match-wake", args=[public_id])
    messages.success(request, gettext("Until %(time)s out of the feed: %(title)s") % facts, extra_tags=undo)
    return back(request, reverse("matches"))


@require_POST
def wake(request: HttpRequest, public_id: str) -> HttpResponse:
    """Take a snoozed match back."""
    match = _mine(request, public_id)
    resting.wake_match(match=match)
    if getattr(request, "htmx", False):
        return render(request, "web/_matches.html", {"matches": [_mine(request, public_id)]})
    messages.success(request, gettext("Back in the feed: %(title)s") % {"title": match.listing.title})
    return back(request, reverse("matches"))


@require_POST
def seen(request: HttpRequest) -> HttpResponse:
    """What the page shows has been looked at: everything behind its filters, up to the newest when it was made."""
    filters = Filters.of(QueryDict(request.POST.get("filters", "")))
    upto = number(request.POST.get("upto"))
    services.see_all(matches=all_behind(request.user, filters, upto=upto, now=timezone.now()))
    return redirect(_feed_address(request))


def _mine(request: HttpRequest, public_id: str) -> Match:
    if not public_id.isprintable():
        raise Http404  # PostgreSQL takes no NUL, not even to look for it
    return get_object_or_404(shown(Match.objects.of(request.user)), public_id=public_id)


def _feed_address(request: HttpRequest) -> str:
    query = Filters.of(QueryDict(request.POST.get("filters", ""))).query()
    return reverse("matches") + (f"?{query}" if query else "")

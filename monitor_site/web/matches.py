"""The feed of matches and what a person does with them."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db.models import OuterRef, Q, Subquery
from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django.views.decorators.http import require_GET, require_POST

from monitor_site.watches import services
from monitor_site.watches.models import Cause, EventKind, ListingEvent, Match, MatchQuerySet, MatchState, Watch

from .feed_rail import rail_of

PER_PAGE = 30
SEGMENTS = {
    "all": gettext_lazy("All"),
    "new": gettext_lazy("New"),
    "drops": gettext_lazy("Price drops"),
    "ignored": gettext_lazy("Ignored"),
}
CONDITIONS_OF = {
    "all": ~Q(state=MatchState.IGNORED),
    "new": Q(state=MatchState.NEW),
    "drops": Q(cause=Cause.PRICE_DROP) & ~Q(state=MatchState.IGNORED),
    "ignored": Q(state=MatchState.IGNORED),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Filters:
    """What of the feed a person wants to see; all of it lies in the query string."""

    segment: str
    watch: int | None
    words: str

    @classmethod
    def of(cls, query: QueryDict) -> "Filters":
        """From a query string; what makes no sense is left out."""
        segment = query.get("show", "all")
        return cls(
            segment=segment if segment in SEGMENTS else "all",
            watch=_number(query.get("watch")),
            words=query.get("q", "").replace("\x00", "").strip()[:200],
        )

    def query(self, **changes: Any) -> str:
        """The query string of these filters with some of them changed."""
        values = {"show": self.segment, "watch": self.watch, "q": self.words} | changes
        return urlencode({key: value for key, value in values.items() if value and (key, value) != ("show", "all")})


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isascii() and text.isdecimal() and len(text) < 19 else None


def feed_of(user: Any, filters: Filters) -> MatchQuerySet:
    """A person's matches behind these filters, newest first, with watch, listing and the price before a drop."""
    found = Match.objects.of(user).told().filter(CONDITIONS_OF[filters.segment])
    if filters.watch is not None:
        found = found.filter(watch_id=filters.watch)
    for word in filters.words.split():
        found = found.filter(_about(word))
    drops = ListingEvent.objects.filter(listing=OuterRef("listing"), kind=EventKind.PRICE_DROP).order_by("-at")
    return (
        found.select_related("watch", "listing")
        .annotate(price_before=Subquery(drops.values("before")[:1]))
        .order_by("-id")
    )


def _about(word: str) -> Q:
    return (
        Q(listing__title__icontains=word)
        | Q(listing__seller_name__icontains=word)
        | Q(listing__external_id__iexact=word)
    )


@login_required
@require_GET
def feed(request: HttpRequest) -> HttpResponse:
    """The page, or with ``after`` what came since: cards, or their number with ``count``."""
    filters = Filters.of(request.GET)
    after = _number(request.GET.get("after"))
    if after is not None:
        return _since(request, feed_of(request.user, filters).filter(id__gt=after))
    return render(request, "web/matches.html", _page(request, filters))


def _since(request: HttpRequest, found: MatchQuerySet) -> HttpResponse:
    if "count" in request.GET:
        return JsonResponse({"n": found.order_by()[: PER_PAGE * 4].count()})
    return render(request, "web/_matches.html", {"matches": found[: PER_PAGE * 4]})


def _page(request: HttpRequest, filters: Filters) -> dict[str, Any]:
    before = _number(request.GET.get("before"))
    found = feed_of(request.user, filters)
    rows = list((found.filter(id__lt=before) if before else found)[: PER_PAGE + 1])
    watches = list(Watch.objects.of(request.user).order_by("name").values("pk", "name", "paused_at")[:200])
    return {
        "filters": filters,
        "matches": rows[:PER_PAGE],
        "newest": _newest(request.user) if not before else 0,
        "older": filters.query(before=rows[PER_PAGE - 1].pk) if len(rows) > PER_PAGE else "",
        "segments": [(name, label, filters.query(show=name)) for name, label in SEGMENTS.items()],
        "watches": [watch | {"query": filters.query(watch=watch["pk"])} for watch in watches],
        "any_watch": filters.query(watch=None),
        "watch_name": next((watch["name"] for watch in watches if watch["pk"] == filters.watch), ""),
        "all_paused": bool(watches) and all(watch["paused_at"] for watch in watches),
        "filtered": bool(filters.query()) or bool(before),
        "first_page": not before,
        "rail": rail_of(request.user, now=timezone.now()),
    }


def _newest(user: Any) -> int:
    """What is newer than this is new to the page, whatever its filters."""
    return Match.objects.of(user).order_by("-id").values_list("id", flat=True).first() or 0


@login_required
@require_POST
def ignore(request: HttpRequest, public_id: str) -> HttpResponse:
    """Put a match aside; the card becomes one line with the way back."""
    match = _mine(request, public_id)
    services.ignore_match(match=match)
    if getattr(request, "htmx", False):
        return render(request, "web/_ignored.html", {"match": match})
    messages.success(request, gettext("Ignored: %(title)s") % {"title": match.listing.title})
    return redirect(_feed_address(request))


@login_required
@require_POST
def restore(request: HttpRequest, public_id: str) -> HttpResponse:
    """Take an ignored match back."""
    match = _mine(request, public_id)
    services.restore_match(match=match)
    if getattr(request, "htmx", False):
        return render(request, "web/_matches.html", {"matches": [_mine(request, public_id)]})
    messages.success(request, gettext("Back in the feed: %(title)s") % {"title": match.listing.title})
    return redirect(_feed_address(request))


@login_required
@require_POST
def seen(request: HttpRequest) -> HttpResponse:
    """Everything new has been looked at."""
    new = Match.objects.of(request.user).told().filter(state=MatchState.NEW)
    services.see_matches(user=request.user, match_ids=new.values_list("pk", flat=True))
    return redirect(_feed_address(request))


def _mine(request: HttpRequest, public_id: str) -> Match:
    return get_object_or_404(Match.objects.of(request.user).select_related("watch", "listing"), public_id=public_id)


def _feed_address(request: HttpRequest) -> str:
    query = Filters.of(QueryDict(request.POST.get("filters", ""))).query()
    return reverse("matches") + (f"?{query}" if query else "")

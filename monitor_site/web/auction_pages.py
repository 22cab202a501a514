"""The page of auctions; an open one asks now and then how those that it shows are."""

from datetime import UTC, datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from . import auctions, degraded, live
from .auction_rows import groups_of, rows_of
from .auctions import PER_PAGE, SEGMENTS, Filters, Mark
from .filtering import choices_of, tags_of
from .query_filters import number


@require_safe
def auction_list(request: HttpRequest) -> HttpResponse:
    """Auctions by their end; with ``live`` only what changes by itself of those."""
    now = timezone.now()
    if "live" in request.GET:
        return _live(request, now)
    cursor = live.cursor_of(request.user.pk or 0)
    filters = Filters.of(request.GET)
    after = Mark.of(request.GET.get("after", ""))
    page = auctions.page_of(request.user, filters, after=after, now=now)
    context = {
        "live_cursor": cursor,
        "filters": filters,
        "groups": groups_of(request.user, page.found, now=now),
        "pks": ",".join(str(listing.pk) for _, listing in page.found),
        "since": int(now.timestamp()),
        "older": filters.query(after=page.older.text()) if page.older else "",
        "first_page": after is None,
        "notes": degraded.notes_for("auctions", request.user),
        **choices_of(request.user, filters, SEGMENTS),
        **tags_of(request.user, filters),
    }
    return render(request, "web/auctions/list.html", context)


def _live(request: HttpRequest, now: datetime) -> HttpResponse:
    asked = [pk for text in request.GET["live"].split(",")[:PER_PAGE] if (pk := number(text)) is not None]
    rows = rows_of(request.user, auctions.some(request.user, asked, now=now), now=now)
    return render(request, "web/auctions/_live.html", {"rows": rows, "fresh": _fresh(request, asked, now)})


def _fresh(request: HttpRequest, known: list[int], now: datetime) -> int:
    """How many came since the page was made; a page that does not ask is not offered any."""
    since = number(request.GET.get("since"))
    if since is None:
        return 0
    moment = datetime.fromtimestamp(min(since, int(now.timestamp())), tz=UTC)
    return auctions.new_since(request.user, Filters.of(request.GET), moment, known=known, now=now)

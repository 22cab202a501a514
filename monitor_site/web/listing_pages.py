"""The page of one listing: for those only who have a match of it; to everybody else it does not exist."""

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from monitor_site.watches import follow, services
from monitor_site.watches.models import Listing, Match, MatchState
from monitor_site.watches.noting import LONGEST_NOTE, write_note

from . import degraded, pictures
from .auction_rows import times_extended
from .cards import card_of, purchase_url
from .feed import shown as as_cards
from .history import history_of, mark_of, timeline_of
from .listing_facts import facts_of, same_seller
from .listing_watches import watch_of
from .prices_fit import comparable, lines_of
from .prices_relisted import siblings_of

MOST_PICTURES = 20
LARGEST_ID = 2**63 - 1


def own_listing(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Give the view the reader's matches of the listing, oldest first; 404 without any, whether it exists or not."""

    @wraps(view)
    def wrapper(request: HttpRequest, pk: int) -> HttpResponse:
        matches = as_cards(Match.objects.of(request.user).filter(listing_id=min(pk, LARGEST_ID)))
        if not (found := list(matches.annotate(extended=times_extended()).order_by("pk"))):
            raise Http404
        return view(request, found)

    return wrapper


@require_safe
@own_listing
def listing(request: HttpRequest, matches: list[Match]) -> HttpResponse:
    """Everything that is known about one listing; nothing when that is what happened ``after`` an event."""
    timeline = timeline_of(matches[0].listing)
    if request.GET.get("after") == (mark := mark_of(timeline)):
        return HttpResponse(status=204)
    shown = _page(request.user, matches, now=timezone.now())
    return render(request, "web/listing.html", shown | {"timeline": timeline, "mark": mark})


def _page(user: Any, matches: list[Match], *, now: datetime) -> dict[str, Any]:
    cards = [card_of(match) for match in matches]
    card, thing = cards[0], matches[0].listing
    history = history_of(thing, until=thing.seen_at if card.standing.gone else now, lines=lines_of(matches[0]))
    return {
        "card": card,
        "listing": thing,
        "cards": cards,
        "pictures": [both_sizes(url) for url in thing.images[:MOST_PICTURES]],
        "ignored": all(match.state == MatchState.IGNORED for match in matches),
        "facts": facts_of(thing, card),
        "longest_note": LONGEST_NOTE,
        "looked_again": looked_again(thing),
        "lookable": follow.can_look(thing.marketplace) and not card.standing.gone,
        "price_watch": watch_of(user, thing),
        "purchase": purchase_url(thing, gone=card.standing.gone),
        "history": history,
        "change": history.change if history and not card.is_auction else None,
        "extended": getattr(matches[0], "extended", 0),
        "comparables": comparable(matches[0], now=now),
        "siblings": siblings_of(user, thing),
        "others": same_seller(user, thing, now=now),
        "notes": [] if card.standing.gone else degraded.notes_for("listing", user, marketplace=thing.marketplace),
    }


def both_sizes(url: str) -> dict[str, str]:
    """Our addresses of a picture, to look at and to choose by."""
    return {"small": pictures.address(url, size=160), "large": pictures.address(url, size=480)}


def looked_again(thing: Listing) -> bool:
    """Whether anybody has seen it since it was first seen."""
    return max(thing.seen_at, thing.observed_at) > thing.first_seen_at


@require_POST
@own_listing
def ignore(request: HttpRequest, matches: list[Match]) -> HttpResponse:
    """Put all the reader's matches of it aside."""
    for match in matches:
        services.ignore_match(match=match, now=timezone.now())
    messages.success(request, gettext("Ignored: %(title)s") % {"title": matches[0].listing.title})
    return redirect("listing", matches[0].listing_id)


@require_POST
@own_listing
def restore(request: HttpRequest, matches: list[Match]) -> HttpResponse:
    """Take them back."""
    for match in matches:
        services.restore_match(match=match, now=timezone.now())
    messages.success(request, gettext("Back in the feed: %(title)s") % {"title": matches[0].listing.title})
    return redirect("listing", matches[0].listing_id)


@require_POST
@own_listing
def note(request: HttpRequest, matches: list[Match]) -> HttpResponse:
    """Keep the reader's own words about it."""
    thing = matches[0].listing
    try:
        write_note(user=request.user, listing=thing, text=request.POST.get("note", ""), now=timezone.now())
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
    else:
        messages.success(request, gettext("The note is saved."))
    return redirect("listing", thing.pk)


@require_POST
@own_listing
def look(request: HttpRequest, matches: list[Match]) -> HttpResponse:
    """Ask the marketplace about it now."""
    try:
        follow.look_now(listing=matches[0].listing, now=timezone.now())
    except follow.CannotLook:
        messages.error(request, gettext("This marketplace cannot be asked about a single listing."))
    else:
        messages.success(request, gettext("It is looked at in a moment. What is new shows here by itself."))
    return redirect("listing", matches[0].listing_id)

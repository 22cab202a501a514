"""The page behind the tap on a message: one match, small enough for a phone, with what to do at hand.

Whoever fetches its address changes nothing, since previews and scanners of mail open every link. Only a button acts.
"""

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from monitor_site.purchasing import queries
from monitor_site.purchasing.proposing import answer_to
from monitor_site.purchasing.transitions import State
from monitor_site.watches import services
from monitor_site.watches.models import Listing, Match, MatchState

from . import degraded, order_lines
from .approval_lines import proposal_of
from .cards import card_of
from .decision_facts import beginning_of, since_of, then_of
from .feed import shown
from .listing_facts import facts_of
from .listing_pages import both_sizes, looked_again

MOST_PICTURES = 10


def own_match(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Give the view the reader's matches of the listing, the named one first; 404 when that is not the reader's own."""

    @wraps(view)
    def wrapper(request: HttpRequest, public_id: str) -> HttpResponse:
        if not public_id.isprintable() or not (found := _matches(request.user, public_id)):
            raise Http404  # PostgreSQL takes no NUL, not even to look for it
        return view(request, found)

    return wrapper


def _matches(user: Any, public_id: str) -> list[Match]:
    of_it = Match.objects.of(user).filter(listing__matches__public_id=public_id, listing__matches__user=user)
    found = shown(of_it).select_related("blocked_by")
    return sorted(found, key=lambda match: (match.public_id != public_id, match.pk))


@require_safe
@own_match
def decision(request: HttpRequest, matches: list[Match]) -> HttpResponse:
    """What one needs to know to decide."""
    return render(request, "web/decision.html", _page(request.user, matches, now=timezone.now()))


def _page(user: Any, matches: list[Match], *, now: datetime) -> dict[str, Any]:
    match, thing = matches[0], matches[0].listing
    card = card_of(match)
    gone = card.standing.gone
    return _ordering(user, thing, now) | {
        "card": card,
        "listing": thing,
        "others": [card_of(other) for other in matches[1:]],
        "pictures": [both_sizes(url) for url in thing.images[:MOST_PICTURES]],
        "ignored": all(one.state == MatchState.IGNORED for one in matches),
        "facts": facts_of(thing, card),
        "all_good": bool(card.decision) and all(line.good for line in card.decision),
        "looked_again": looked_again(thing),
        "then": then_of(match),
        "since": since_of(match),
        "snoozed": match.snoozed_until if match.snoozed_until and match.snoozed_until > now else None,
        "description": beginning_of(thing),
        "notes": [] if gone else degraded.notes_for("listing", user, marketplace=thing.marketplace),
    }


def _ordering(user: Any, thing: Listing, now: datetime) -> dict[str, Any]:
    """What there is to decide about money, or what was decided."""
    order = queries.order_of_listing(user, thing.pk)
    proposed = order is not None and (order.state == State.AWAITING_APPROVAL or answer_to(order) is not None)
    return {
        "order": order_lines.line_of(order) if order else None,
        "proposal": proposal_of(order, now=now) if order and proposed else None,
    }


@require_POST
@own_match
def ignore(request: HttpRequest, matches: list[Match]) -> HttpResponse:
    """Put it aside, for all watches that it matched."""
    for match in matches:
        services.ignore_match(match=match, now=timezone.now())
    messages.success(request, gettext("Ignored: %(title)s") % {"title": matches[0].listing.title})
    return redirect("decision", matches[0].public_id)


@require_POST
@own_match
def restore(request: HttpRequest, matches: list[Match]) -> HttpResponse:
    """Take that back."""
    for match in matches:
        services.restore_match(match=match, now=timezone.now())
    messages.success(request, gettext("Back in the feed: %(title)s") % {"title": matches[0].listing.title})
    return redirect("decision", matches[0].public_id)

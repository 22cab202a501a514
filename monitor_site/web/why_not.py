"""What a person's watches say of one listing: "why not?". Never what anybody else's say."""

import time
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

import redis
import structlog
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from monitor_site.connections import redis_client
from monitor_site.contract import ListingGone, Sighting
from monitor_site.watches import asking, follow, why_not
from monitor_site.watches.asking import LOOKS, Answer, Wanted, look_at
from monitor_site.watches.portable import of_listing
from monitor_site.watches.why_not import Reading

from .preview_cards import market_words
from .why_not_address import listing_meant
from .why_not_lines import lines_of, seen_of

LONGEST = 2000

log = structlog.get_logger(__name__)


@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest) -> HttpResponse:
    """Ask about a listing; a POST has it looked at."""
    typed = request.POST if request.method == "POST" else request.GET
    address, chosen = typed.get("address", "")[: LONGEST + 1], typed.get("watch", "")[:18]
    meant = listing_meant(address)
    if request.method == "POST" and meant:
        return _look(request, address, chosen, meant)
    told: dict[str, Any] = {"address": address[:LONGEST], "chosen": chosen}
    if meant is None:
        told |= {"unknown": bool(address.strip()), "watches": why_not.watches_of(request.user)}
        return render(request, "web/watches/why_not.html", told)
    only = int(chosen) if chosen.isdecimal() else None
    return render(request, "web/watches/why_not.html", told | _answer(request, meant, only, now=timezone.now()))


def _look(request: HttpRequest, address: str, chosen: str, meant: tuple[str, str]) -> HttpResponse:
    """Known: look as checks do, and note it; unknown: look for this person alone."""
    name, external_id = meant
    reading = why_not.read(request.user, marketplace=name, external_id=external_id)
    query = {"address": address, "watch": chosen}
    if not follow.can_look(name):
        messages.error(request, gettext("This marketplace cannot be asked about a single listing."))
    elif reading.listing:
        follow.look_now(listing=reading.listing, now=timezone.now())
        messages.success(request, gettext("It is looked at in a moment. What is new shows here by itself."))
    else:
        query["look"] = _begin(request, meant)
    return redirect(f"{reverse('why-not')}?{urlencode(query)}")


def _begin(request: HttpRequest, meant: tuple[str, str]) -> str:
    want = Wanted(questions=[look_at(*meant)], at=time.time())
    try:
        asking.begin(redis_client(), user_id=request.user.pk or 0, slot=LOOKS, want=want)
    except redis.RedisError as error:
        log.warning("web.why_not_redis_away", error=str(error))
        messages.error(request, gettext("It cannot be looked at just now. Please try again in a minute."))
        return ""
    return want.id


def _answer(request: HttpRequest, meant: tuple[str, str], only: int | None, *, now: datetime) -> dict[str, Any]:
    name, external_id = meant
    reading = why_not.read(request.user, marketplace=name, external_id=external_id)
    looked = None if reading.listing else _looked(request, meant)
    sighting = _sighting(reading, looked)
    findings = why_not.findings(reading, sighting=sighting, only=only, now=now)
    return {
        "watches": reading.watches,
        "marketplace": name,
        "external_id": external_id,
        "reading": reading,
        "seen": seen_of(reading, sighting),
        "lines": lines_of(findings, name, lag=reading.lag),
        "lookable": follow.can_look(name),
        "look_words": _look_words(looked, now=now),
        "goes_on": looked is not None and not looked.is_done,
    }


def _looked(request: HttpRequest, meant: tuple[str, str]) -> Answer | None:
    """What this person's own look brought; ``None`` when there is none."""
    try:
        want = asking.wanted(redis_client(), user_id=request.user.pk or 0, slot=LOOKS)
        question = look_at(*meant)
        if want is None or want.id != request.GET.get("look") or question not in want.questions:
            return None
        told = asking.answers(redis_client(), user_id=request.user.pk or 0, questions=[question], now=time.time())
    except redis.RedisError as error:
        log.warning("web.why_not_redis_away", error=str(error))
        return None
    return told[question]


def _sighting(reading: Reading, looked: Answer | None) -> Sighting | None:
    if reading.listing:
        return of_listing(reading.listing)
    return next(iter(looked.sightings), None) if looked else None


def _look_words(looked: Answer | None, *, now: datetime) -> str:
    """How far the look is; empty when it has brought something, or nobody looks."""
    if looked is None or looked.state == "found":
        return ""
    if looked.error == ListingGone.code:
        return gettext("The marketplace says that this listing does not exist, or no more.")
    return market_words(looked, 0, now=now)

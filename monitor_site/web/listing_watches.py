"""The pages of a watch about one listing: its form and how it stands."""

from datetime import datetime
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from monitor_site.contract import Status
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches import services
from monitor_site.watches.crossing import lowest_before
from monitor_site.watches.models import Crossing, Listing, Match, Watch, WatchKind
from monitor_site.watches.trigger_words import crossing_words
from monitor_site.watches.triggers import Memory, State, triggers_of, verdicts_of

from . import why
from .feed import shown
from .history import history_of
from .listing_watch_form import ListingWatchForm, initial_of
from .once import make_once
from .watch_words import cost_words
from .watched import watched_by
from .why_not_address import listing_meant

USUAL_FALL = 10
MOST_TOLD = 20


@require_http_methods(["GET", "HEAD", "POST"])
def watch_new_listing(request: HttpRequest) -> HttpResponse:
    """Make a watch about one listing."""
    form = ListingWatchForm(_typed(request), initial=_first_wish(request))
    if request.method != "POST":
        return _form_page(request, form)
    made = _make(request, form) if form.is_valid() else None
    if made is None:
        return _form_page(request, form, status=422)
    if made[1] and "paused" in request.POST:
        messages.success(request, gettext("Saved. Nothing is asked until you switch the watch on."))
    elif made[1]:
        messages.success(request, gettext("The watch is on. Its first look comes within seconds."))
    return redirect("watch", made[0])


def edit_page(request: HttpRequest, watch: Watch) -> HttpResponse:
    """Change one."""
    form = ListingWatchForm(_typed(request), initial=initial_of(watch), fixed=watch)
    if request.method != "POST":
        return _form_page(request, form, watch=watch)
    if not form.is_valid() or not _change(form, watch):
        return _form_page(request, form, watch=watch, status=422)
    messages.success(request, gettext("Saved."))
    return redirect("watch", watch.pk)


def _typed(request: HttpRequest) -> QueryDict | None:
    return request.POST if request.method == "POST" else None


def _first_wish(request: HttpRequest) -> dict[str, Any]:
    """The listing of the address, under its title where this person knows it."""
    address = request.GET.get("address", "")[:2000]
    market, external_id = request.GET.get("market", "")[:40], request.GET.get("item", "")[:64]
    if address and (meant := listing_meant(address)):
        market, external_id = meant
    known = _known(request.user, market, external_id)
    return {
        "item": external_id or address,
        "marketplace": market,
        "name": " ".join(known.title.split())[:80] if known else "",
        "fall_percent": USUAL_FALL,
    }


def _known(user: Any, marketplace: str, external_id: str) -> Listing | None:
    """A listing of which this person has a match."""
    if not external_id.isprintable() or not marketplace.isprintable():
        return None
    theirs = Match.objects.of(user).filter(listing__marketplace=marketplace, listing__external_id=external_id)
    match = theirs.select_related("listing").first()
    return match.listing if match else None


def _make(request: HttpRequest, form: ListingWatchForm) -> tuple[int, bool] | None:
    def make() -> int:
        watch = services.create_watch(user=request.user, wish=form.wish(), now=timezone.now())
        if "paused" in request.POST:
            services.pause_watch(watch=watch, now=timezone.now())
        return watch.pk

    try:
        return make_once(request, user=request.user, key=form.cleaned_data["form_key"], make=make)
    except ValidationError as error:
        form.refuse(error)
        return None


def _change(form: ListingWatchForm, watch: Watch) -> bool:
    try:
        services.change_watch(watch=watch, wish=form.wish(), now=timezone.now())
    except ValidationError as error:
        form.refuse(error)
        return False
    return True


def _form_page(
    request: HttpRequest, form: ListingWatchForm, *, watch: Watch | None = None, status: int = 200
) -> HttpResponse:
    marketplace, external_id = str(form["marketplace"].value() or ""), str(form["item"].value() or "")
    context = {
        "form": form,
        "watch": watch,
        "listing": _known(request.user, marketplace, external_id),
        "cost": cost_words(marketplace) if marketplace in catalog().plugins else "",
    }
    return render(request, "web/watches/listing_form.html", context, status=status)


def watch_of(user: Any, listing: Listing) -> Watch | None:
    """The newest watch of a person about this listing."""
    theirs = Watch.objects.of(user).filter(kind=WatchKind.LISTING, external_id=listing.external_id)
    return next((one for one in theirs.order_by("-pk") if one.marketplaces == [listing.marketplace]), None)


def standing_of_watch(watch: Watch) -> dict[str, Any]:
    """How it stands now: price, triggers, what was told; each with an end."""
    now = timezone.now()
    one = watched_by([watch], now=now).get(watch.pk)
    listing = one.listing if one else None
    return {
        "watched": one,
        "listing": listing,
        "match": shown(Match.objects.filter(watch=watch, listing=listing)).first() if listing else None,
        "verdicts": _verdicts(watch, listing, one.memory, now) if one and listing and one.memory.began else [],
        "history": history_of(listing, until=now) if listing else None,
        "told": _told(watch),
    }


def _verdicts(watch: Watch, listing: Listing, memory: Memory, now: datetime) -> list[why.Line]:
    """What every trigger says of what is known now."""
    state = State(
        at=now,
        price=listing.price,
        on_sale=None if listing.status == Status.UNKNOWN else listing.status == Status.ON_SALE,
        ends_at=listing.ends_at,
        low=lowest_before(listing, price=listing.price, days=watch.lowest_days, at=now),
    )
    verdicts = verdicts_of(triggers_of(watch), memory, state)
    return why.lines_of(list(verdicts.values()), currency=listing.currency)


def _told(watch: Watch) -> list[dict[str, Any]]:
    """The last crossings, newest first."""
    rows = Crossing.objects.filter(match__watch=watch).order_by("-at")[:MOST_TOLD]
    return [{"at": row.at, "words": crossing_words(row, watch.currency)} for row in rows]

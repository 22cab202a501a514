"""What a person never wants to see: the list, and what is added to it from cards and listings."""

from collections.abc import Callable

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST, require_safe

from monitor_site.watches import blocking
from monitor_site.watches.blocking import Made, SellerOf
from monitor_site.watches.models import Block, BlockKind, Match

from .returning import back
from .watch_markets import marketplace_choices

LARGEST_ID = 2**63 - 1


@require_safe
def block_list(request: HttpRequest) -> HttpResponse:
    """All blocks, newest first, and a form for another one; ``phrase`` fills it in."""
    blocks = Block.objects.of(request.user).order_by("-created_at", "-pk")
    context = {
        "sellers": blocks.filter(kind=BlockKind.SELLER),
        "phrases": blocks.filter(kind=BlockKind.PHRASE),
        "marketplaces": marketplace_choices(),
        "phrase": request.GET.get("phrase", "").replace("\x00", "")[: blocking.LONGEST_PHRASE],
        "longest": blocking.LONGEST_PHRASE,
    }
    return render(request, "web/blocks.html", context)


@require_POST
def add_phrase(request: HttpRequest) -> HttpResponse:
    """Block a phrase."""
    phrase, note = request.POST.get("phrase", ""), request.POST.get("note", "")
    return _added(
        request, lambda: blocking.block_phrase(user=request.user, phrase=phrase, note=note, now=timezone.now())
    )


@require_POST
def add_seller(request: HttpRequest) -> HttpResponse:
    """Block a seller by the marketplace's id."""
    seller = SellerOf(marketplace=request.POST.get("marketplace", ""), id=request.POST.get("seller", ""))
    note = request.POST.get("note", "")
    return _added(
        request, lambda: blocking.block_seller(user=request.user, seller=seller, note=note, now=timezone.now())
    )


@require_POST
def block_seller_of(request: HttpRequest, public_id: str) -> HttpResponse:
    """Block the seller of a match."""
    matches = Match.objects.of(request.user).select_related("listing")
    thing = get_object_or_404(matches, public_id=public_id).listing
    seller = SellerOf(marketplace=thing.marketplace, id=thing.seller_id, name=thing.seller_name)
    return _added(request, lambda: blocking.block_seller(user=request.user, seller=seller, now=timezone.now()))


def _added(request: HttpRequest, block: Callable[[], Made]) -> HttpResponse:
    """Say what it did, with the way back."""
    try:
        made = block()
    except ValidationError as error:
        messages.error(request, " ".join(error.messages))
        return back(request, reverse("blocks"))
    messages.success(request, _words(made), extra_tags=reverse("block-remove", args=[made.block.pk]))
    return back(request, reverse("blocks"))


def _words(made: Made) -> str:
    sentence = gettext("“%(what)s” is blocked.") if made.new else gettext("“%(what)s” was blocked already.")
    words = sentence % {"what": made.block.label or made.block.value}
    aside = ngettext("%(n)d new match is put aside.", "%(n)d new matches are put aside.", made.put_aside)
    return f"{words} {aside % {'n': made.put_aside}}" if made.put_aside else words


@require_POST
def remove(request: HttpRequest, pk: int) -> HttpResponse:
    """Take a block away; what it put aside comes back."""
    block = get_object_or_404(Block.objects.of(request.user), pk=min(pk, LARGEST_ID))
    count = blocking.unblock(block=block, now=timezone.now())
    words = gettext("“%(what)s” is not blocked any more.") % {"what": block.label or block.value}
    came = ngettext("%(n)d match is back.", "%(n)d matches are back.", count) % {"n": count}
    messages.success(request, f"{words} {came}" if count else words)
    return back(request, reverse("blocks"))

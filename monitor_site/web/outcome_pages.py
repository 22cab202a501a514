"""What a person does about an order whose outcome was in doubt, and about purchases that are not ours."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from monitor_site.purchasing import cancelling, handing, proposing_again, sweeping
from monitor_site.purchasing.models import Order, Stray
from monitor_site.purchasing.moving import Overtaken
from monitor_site.purchasing.proposing_again import Unsuitable

from .budget_pages import LARGEST_ID
from .order_pages import as_it_is, ask_sure, own_order
from .order_words import PERSON
from .outcome_lines import not_again_words


@require_POST
@own_order
def again(request: HttpRequest, order: Order) -> HttpResponse:
    """Propose it once more, as an order of its own."""
    try:
        following = proposing_again.propose_again(order=order, actor=PERSON, now=timezone.now())
    except Unsuitable as error:
        messages.error(request, not_again_words(error.reason))
        return redirect("order", order.public_id)
    except Overtaken:
        messages.info(request, gettext("It is proposed or ordered already."))
        return redirect("order", order.public_id)
    return redirect("order", following.public_id)


@require_POST
@own_order
def seen(request: HttpRequest, order: Order) -> HttpResponse:
    """The person has looked at what was found late."""
    if handing.let_order_again(order=order):
        messages.success(request, gettext("Noted. The account may order again."))
    return redirect("order", order.public_id)


@require_POST
@own_order
def cancel(request: HttpRequest, order: Order) -> HttpResponse:
    """Have the marketplace asked to cancel the purchase; asks once more before."""
    if request.POST.get("sure") != "yes":
        return ask_sure(request, order, act="cancel")
    try:
        cancelling.ask(order=order, actor=PERSON, now=timezone.now())
    except Overtaken:
        return as_it_is(request, order)
    messages.success(request, gettext("The marketplace is asked to cancel it."))
    return redirect("order", order.public_id)


@require_POST
def stray_noted(request: HttpRequest, pk: int) -> HttpResponse:
    """The person knows of a purchase that belongs to no order."""
    stray = get_object_or_404(Stray, pk=min(pk, LARGEST_ID), account__user=request.user)
    sweeping.note_seen(stray=stray, now=timezone.now())
    return redirect("orders")

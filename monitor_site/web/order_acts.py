"""What a person says of orders beside yes and no: it is received, it is in this parcel, something is wrong."""

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST

from monitor_site.purchasing import own_words, receiving
from monitor_site.purchasing.models import Order
from monitor_site.purchasing.moving import Overtaken
from monitor_site.purchasing.transitions import NoSuchStep
from monitor_site.watches import noting

from .order_pages import as_it_is, own_order
from .order_words import PERSON
from .returning import back

MOST_AT_ONCE = 200


@require_POST
@own_order
def received(request: HttpRequest, order: Order) -> HttpResponse:
    """The person has it in their hands."""
    try:
        receiving.say_received(order=order, actor=PERSON, now=timezone.now())
    except (Overtaken, NoSuchStep):
        return as_it_is(request, order)
    messages.success(request, gettext("Noted: you have received it."))
    return back(request, reverse("order", args=[order.public_id]))


@require_POST
def parcel(request: HttpRequest) -> HttpResponse:
    """Orders are shipped together; all of them must be the person's own."""
    orders = _own_orders(request)
    try:
        own_words.put_in_parcel(orders=orders, parcel=request.POST.get("parcel", ""))
    except ValidationError as error:
        messages.error(request, error.messages[0])
    else:
        messages.add_message(request, *_said(len(orders)))
    return back(request, reverse("orders"))


def _own_orders(request: HttpRequest) -> list[Order]:
    chosen = set(request.POST.getlist("order")[:MOST_AT_ONCE])
    if not all(name.isprintable() for name in chosen):
        raise Http404  # PostgreSQL takes no NUL, not even to look for it
    orders = list(Order.objects.of(request.user).filter(public_id__in=chosen))
    if len(orders) != len(chosen):
        raise Http404
    return orders


def _said(count: int) -> tuple[int, str]:
    if not count:
        return messages.WARNING, gettext("Choose some orders first.")
    words = ngettext("The parcel of %(n)d order is noted.", "The parcel of %(n)d orders is noted.", count)
    return messages.SUCCESS, words % {"n": count}


@require_POST
@own_order
def problem(request: HttpRequest, order: Order) -> HttpResponse:
    """Something is wrong with it, in the person's words; no words: not any more."""
    try:
        own_words.open_problem(order=order, words=request.POST.get("problem", ""), now=timezone.now())
    except ValidationError as error:
        messages.error(request, error.messages[0])
    else:
        messages.success(request, gettext("The problem is noted."))
    return redirect("order", order.public_id)


@require_POST
@own_order
def note(request: HttpRequest, order: Order) -> HttpResponse:
    """The person's own words about the listing, as on its page."""
    try:
        noting.write_note(
            user=request.user, listing=order.listing, text=request.POST.get("note", ""), now=timezone.now()
        )
    except ValidationError as error:
        messages.error(request, error.messages[0])
    else:
        messages.success(request, gettext("The note is saved."))
    return redirect("order", order.public_id)

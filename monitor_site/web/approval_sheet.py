"""Several proposals approved on one sheet: each exactly as it was shown, or refused with a sentence of its own."""

import secrets
from collections import Counter
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST

from monitor_site import wording
from monitor_site.purchasing import proposing
from monitor_site.purchasing.models import Order

from .approval_lines import covers_together, proposals_of
from .approval_pages import hand_of
from .order_pages import REFUSALS
from .order_words import PERSON, refusal_words
from .proving import proves_again

MOST_AT_ONCE = 50
Chosen = list[tuple[Order, str]]


@require_POST
@proves_again
def together(request: HttpRequest) -> HttpResponse:
    """The sheet with the total, then the approvals; nothing is approved that was not shown."""
    chosen = _chosen(request.user, request.POST.getlist("order")[:MOST_AT_ONCE])
    if not chosen:
        messages.info(request, gettext("Choose some proposals first."))
        return redirect("approvals")
    if request.POST.get("sure") != "yes":
        return render(request, "web/orders/together.html", _sheet(chosen))
    for order, seen in chosen:
        _approve(request, order, seen)
    return redirect("approvals")


def _chosen(user: Any, said: list[str]) -> Chosen:
    """Each as ``public id.digest of what was shown``; 404 when one is not the reader's own."""
    pairs = [one.replace("\x00", "").partition(".") for one in dict.fromkeys(said)]
    names = {name for name, _dot, _seen in pairs}
    orders = Order.objects.of(user).filter(public_id__in=names).select_related("listing", "watch")
    found = {order.public_id: order for order in orders}
    if len(found) != len(names):
        raise Http404
    return [(found[name], seen[:64]) for name, _dot, seen in pairs]


def _sheet(chosen: Chosen) -> dict[str, Any]:
    now, sums = timezone.now(), Counter[str]()
    for order, _seen in chosen:
        sums[order.currency] += order.price_max
    orders = [order for order, _seen in chosen]
    proposals = proposals_of(orders, orders[0].user, now=now)
    seen = [f"{order.public_id}.{digest}" for order, digest in chosen]
    return {
        "rows": [{"value": value, "p": one} for value, one in zip(seen, proposals, strict=True)],
        "covers": covers_together(orders, now=now),
        "key": secrets.token_urlsafe(9),
        "total": " + ".join(wording.money(amount, currency) for currency, amount in sums.items()),
        "count": len(orders),
    }


def _approve(request: HttpRequest, order: Order, seen: str) -> None:
    facts = {"title": order.listing.title}
    try:
        proposing.approve(order=order, seen=seen, actor=PERSON, now=timezone.now(), hand=hand_of(request))
    except REFUSALS as error:
        facts["why"] = refusal_words(order, error, now=timezone.now())
        messages.error(request, gettext("Not approved: %(title)s. %(why)s") % facts)
        return
    facts["amount"] = wording.money(order.price_max, order.currency)
    messages.success(request, gettext("Approved: %(title)s. %(amount)s is held for it.") % facts)

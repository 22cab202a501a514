"""Orders. Whoever fetches an address changes nothing; a stranger's order does not exist."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from monitor_site import wording
from monitor_site.purchasing import handing, queries
from monitor_site.purchasing.ledger import NoBudget, OverBudget
from monitor_site.purchasing.models import Order
from monitor_site.purchasing.moving import Overtaken
from monitor_site.purchasing.proposing import Changed, NotLower
from monitor_site.purchasing.transitions import ENDED, NoSuchStep, State

from . import order_lines as lines
from . import sending_lines
from .approval_lines import proposal_of
from .order_filters import choices_of, decided, wanted_of
from .order_form import BoughtForm
from .order_words import PERSON, budget_name, is_decided, refusal_words, state_words
from .outcome_lines import outcome_of

REFUSALS = (Changed, NotLower, Overtaken, NoSuchStep, OverBudget, NoBudget)
SHOWN = 100


def own_order(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Give the view the order instead of its name; 404 when it is not the reader's own, whatever the method."""

    @wraps(view)
    def wrapper(request: HttpRequest, public_id: str) -> HttpResponse:
        orders = Order.objects.of(request.user).select_related("listing", "watch", "account")
        if not public_id.isprintable() or not (found := orders.filter(public_id=public_id).first()):
            raise Http404  # PostgreSQL takes no NUL, not even to look for it
        return view(request, found)

    return wrapper


@require_safe
def order_list(request: HttpRequest) -> HttpResponse:
    """Everything that was approved, by what it asks of its person."""
    wanted = wanted_of(request.GET)
    mine = decided(request.user, wanted)
    going, ended = mine.exclude(state__in=ENDED), mine.filter(state__in=ENDED)[:SHOWN]
    context = {
        "groups": lines.groups_of([*going, *ended]),
        "strays": [] if wanted.query() else lines.strays_of(request.user, SHOWN),
        "wanted": wanted,
        "choices": choices_of(request.user),
        "months": queries.months_of(request.user),
        "all_spending": budget_name(None),
        "stops": queries.stops_of(request.user),
    }
    return render(request, "web/orders/list.html", context)


@own_order
@require_safe
def order(request: HttpRequest, order: Order) -> HttpResponse:
    """Where one order and its money are."""
    return _page(request, order, BoughtForm(currency=order.currency, initial={"paid": order.price_max}))


def _page(request: HttpRequest, order: Order, form: BoughtForm, *, status: int = 200) -> HttpResponse:
    now = timezone.now()
    asking = order.state == State.AWAITING_APPROVAL
    context = {
        "line": lines.line_of(order),
        "order": order,
        "proposal": proposal_of(order, now=now) if asking else None,
        "link": lines.link_of(order, now=now),
        "group": lines.group_of(order),
        "waits": sending_lines.waits_words(order, queries.stops_of(request.user), now=now),
        "would_send": sending_lines.would_send(order),
        "outcome": outcome_of(order),
        "form": form,
        "entries": queries.entries_of_order(order),
        "all_spending": budget_name(None),
        "happenings": lines.happenings_of(order),
        "stops": queries.stops_of(request.user),
    }
    return render(request, "web/orders/detail.html", context, status=status)


def ask_sure(request: HttpRequest, order: Order, *, act: str, said: dict[str, Any] | None = None) -> HttpResponse:
    """The page that asks once more."""
    return render(request, "web/orders/sure.html", {"act": act, "order": order, "said": said})


def refused(request: HttpRequest, order: Order, error: Exception) -> HttpResponse:
    """Says why; what was done already is no error."""
    words = refusal_words(order, error, now=timezone.now())
    messages.add_message(request, messages.INFO if is_decided(order) else messages.ERROR, words)
    return redirect("order", order.public_id)


@require_POST
@own_order
def bought(request: HttpRequest, order: Order) -> HttpResponse:
    """The person has bought it, and says for how much."""
    form = BoughtForm(request.POST, currency=order.currency)
    if not form.is_valid():
        return _page(request, order, form, status=422)
    said = {"paid": form.cleaned_data["paid"], "reference": form.cleaned_data["reference"]}
    if order.state == State.NEEDS_HUMAN and request.POST.get("sure") != "yes":
        return ask_sure(request, order, act="bought", said=said)
    try:
        handing.say_bought(order=order, actor=PERSON, now=timezone.now(), **said)
    except (Overtaken, NoSuchStep):
        return as_it_is(request, order)
    words = gettext("Noted: you bought it for %(paid)s.") % {"paid": wording.money(said["paid"], order.currency)}
    messages.success(request, words)
    return redirect("order", order.public_id)


@require_POST
@own_order
def not_bought(request: HttpRequest, order: Order) -> HttpResponse:
    """It was not the person, or they do not want it; asks once more before."""
    if request.POST.get("sure") != "yes":
        return ask_sure(request, order, act="not-bought")
    try:
        handing.say_not_bought(order=order, actor=PERSON, now=timezone.now())
    except (Overtaken, NoSuchStep):
        return as_it_is(request, order)
    messages.success(request, gettext("Noted. What was held for it is free again."))
    return redirect("order", order.public_id)


def as_it_is(request: HttpRequest, order: Order) -> HttpResponse:
    """Says where the order stands, which is where it stood."""
    order.refresh_from_db()
    words = gettext("Nothing was changed: the order stands at “%(state)s”.") % {"state": state_words(order.state)}
    messages.warning(request, words)
    return redirect("order", order.public_id)

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
from monitor_site.purchasing.receiving import RECEIVABLE
from monitor_site.purchasing.transitions import BOUGHT, NoSuchStep, State
from monitor_site.watches.noting import LONGEST_NOTE

from . import order_board, order_copy, order_story, order_terms, sending_lines
from . import order_lines as lines
from .approval_lines import proposal_of
from .order_filters import choices_of, decided_or_waiting, wanted_of
from .order_form import BoughtForm
from .order_terms import with_kept
from .order_words import PERSON, budget_name, is_decided, refusal_words, state_words
from .outcome_lines import outcome_of

REFUSALS = (Changed, NotLower, Overtaken, NoSuchStep, OverBudget, NoBudget)
SHOWN = 100


def own_order(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Give the view the order instead of its name; 404 when it is not the reader's own, whatever the method."""

    @wraps(view)
    def wrapper(request: HttpRequest, public_id: str) -> HttpResponse:
        orders = with_kept(
            Order.objects.of(request.user).select_related("listing", "watch__buy_rule", "account", "user")
        )
        if not public_id.isprintable() or not (found := orders.filter(public_id=public_id).first()):
            raise Http404  # PostgreSQL takes no NUL, not even to look for it
        return view(request, found)

    return wrapper


@require_safe
def order_list(request: HttpRequest) -> HttpResponse:
    """Where each order and its money stand: the board, or one column of it."""
    now, wanted = timezone.now(), wanted_of(request.GET)
    orders = decided_or_waiting(request.user, wanted, now=now)
    context = {
        "board": order_board.board_of(orders, wanted, now=now),
        "strays": [] if wanted.query() or wanted.column else lines.strays_of(request.user, SHOWN),
        "stale": order_board.stale_of(request.user, now=now),
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
    context = _decision(request, order, form) | _story(order)
    return render(request, "web/orders/detail.html", context, status=status)


def _decision(request: HttpRequest, order: Order, form: BoughtForm) -> dict[str, Any]:
    """Where it stands, and what its person may do about it."""
    now, stops = timezone.now(), queries.stops_of(request.user)
    asking = order.state == State.AWAITING_APPROVAL
    return {
        "line": lines.line_of(order),
        "order": order,
        "proposal": proposal_of(order, now=now) if asking else None,
        "link": lines.link_of(order, now=now),
        "group": lines.group_of(order),
        "waits": sending_lines.waits_words(order, stops, now=now),
        "would_send": sending_lines.would_send(order),
        "outcome": outcome_of(order),
        "form": form,
        "stops": stops,
        "receivable": order.state in RECEIVABLE,
        "in_hand": order.state in BOUGHT,
    }


def _story(order: Order) -> dict[str, Any]:
    """What happened to it and to its money, by which rules, and its person's own words."""
    steps, entries = list(order.history.order_by("number")), list(queries.entries_of_order(order))
    tracking = order_story.tracking_of(steps)
    return {
        "story": order_story.story_of(order, steps),
        "tracking": tracking,
        "entries": entries,
        "fees": order.price_max - order.price - order.shipping,
        "terms": order_terms.terms_of(order, entries),
        "text": order_copy.text_of(order, tracking=tracking),
        "all_spending": budget_name(None),
        "longest_note": LONGEST_NOTE,
    }


def ask_sure(request: HttpRequest, order: Order, *, act: str, said: dict[str, Any] | None = None) -> HttpResponse:
    """The page that asks once more."""
    # As it was typed: the figure of another currency is no number of minor units.
    context = {"act": act, "order": order, "said": said, "typed": request.POST.get("paid", "")}
    return render(request, "web/orders/sure.html", context)


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

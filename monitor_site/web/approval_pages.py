"""Proposals: what waits for an answer, and the answers. Whoever fetches an address changes nothing."""

import math
from datetime import timedelta
from typing import Any

from django.contrib import messages
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from monitor_site import wording
from monitor_site.purchasing import learning, proposing, queries, styles
from monitor_site.purchasing.models import Order
from monitor_site.purchasing.moving import Overtaken
from monitor_site.purchasing.proposing import Hand
from monitor_site.purchasing.transitions import NoSuchStep

from . import approval_lines as lines
from .approval_forms import DeclineForm, LowerForm, StyleForm
from .order_lines import line_of
from .order_pages import REFUSALS, own_order, refused
from .order_words import PERSON
from .proving import ask_to_prove, is_proven, proves_again
from .returning import back

HISTORY = timedelta(days=30)
SHOWN = 100
USUAL_MINUTES = 15


@require_safe
def approvals(request: HttpRequest) -> HttpResponse:
    """What waits for an answer, and what became of the rest; with ``card`` one of them, as it stands now."""
    if "card" in request.GET:
        return _card(request, request.GET["card"])
    now = timezone.now()
    steps = queries.answers(request.user, since=now - HISTORY)[:SHOWN]
    waiting = queries.waiting(request.user, now=now)[:SHOWN]
    proposals = lines.proposals_of(list(waiting), request.user, now=now)
    context = {
        "proposals": proposals,
        "several": sum(one.possible for one in proposals) > 1,
        "answers": lines.answers_of(list(steps)),
        "late": [line_of(order) for order in queries.too_late(request.user, now=now)[:SHOWN]],
        "stops": queries.stops_of(request.user),
    }
    return render(request, "web/orders/approvals.html", context)


def _card(request: HttpRequest, public_id: str) -> HttpResponse:
    """Nothing where nothing has changed, so that nothing moves; a whole ``page`` about it is to come anew."""
    orders = Order.objects.of(request.user).select_related("listing", "match", "watch__buy_rule")
    order = orders.filter(public_id=public_id).first() if public_id.isprintable() else None
    if order is None:
        raise Http404
    [proposal] = lines.proposals_of([order], request.user, now=timezone.now())
    if proposal.tag == request.GET.get("as"):
        return HttpResponse(status=204)
    if "page" in request.GET:
        return HttpResponse(headers={"HX-Refresh": "true"})
    return render(request, "web/approvals/_card.html", {"p": proposal, "told": True})


def hand_of(request: HttpRequest) -> Hand:
    """Who presses, on what, and in which form."""
    agent, key = request.headers.get("User-Agent", ""), request.POST.get("key", "")
    return Hand(name=request.user.get_username(), agent=agent, key=key)


@require_POST
@own_order
def approve(request: HttpRequest, order: Order) -> HttpResponse:
    """Allow exactly what was shown, or less; asks once more before, and for a proof above the person's threshold."""
    form = LowerForm(request.POST, order=order)
    if not form.is_valid():
        messages.error(request, gettext("Nothing is approved. %(why)s") % {"why": _told(form)})
        return redirect("order", order.public_id)
    at_most = form.cleaned_data["at_most"]
    if _must_prove(request, order, at_most or order.price_max):
        return ask_to_prove(request, page=reverse("order", args=[order.public_id]))
    if request.POST.get("sure") != "yes":
        return _sure(request, order, at_most)
    return _approved(request, order, at_most)


def _told(form: Any) -> str:
    return " ".join(error for errors in form.errors.values() for error in errors)


def _must_prove(request: HttpRequest, order: Order, amount: int) -> bool:
    style = styles.style_of(request.user)
    return styles.asks_for_proof(style, amount=amount, currency=order.currency) and not is_proven(request)


def _sure(request: HttpRequest, order: Order, at_most: int | None) -> HttpResponse:
    context = {"order": order, "p": lines.proposal_of(order, now=timezone.now()), "amount": at_most or order.price_max}
    said = {name: request.POST.get(name, "") for name in ("seen", "key", "at_most")}
    return render(request, "web/approvals/sure.html", context | said)


def _approved(request: HttpRequest, order: Order, at_most: int | None) -> HttpResponse:
    said: dict[str, Any] = {"seen": request.POST.get("seen", "")[:64], "at_most": at_most, "hand": hand_of(request)}
    try:
        proposing.approve(order=order, actor=PERSON, now=timezone.now(), **said)
    except REFUSALS as error:
        return refused(request, order, error)
    held = wording.money(order.price_max, order.currency)
    messages.success(request, gettext("Approved. %(amount)s is held for it.") % {"amount": held})
    return redirect("order", order.public_id)


@require_POST
@own_order
def decline(request: HttpRequest, order: Order) -> HttpResponse:
    """Say no, with or without a reason, and with what is to be learned from it."""
    form = DeclineForm(request.POST, order=order)
    if not form.is_valid():
        return _not_declined(request, _told(form))
    said: dict[str, Any] = {"reason": form.reason_given(), "lesson": form.lesson(), "hand": hand_of(request)}
    try:
        proposing.decline(order=order, actor=PERSON, now=timezone.now(), **said)
    except ValidationError as error:
        return _not_declined(request, " ".join(error.messages))
    except (Overtaken, NoSuchStep) as error:
        return refused(request, order, error)
    _say_declined(request, order)
    return back(request, reverse("approvals"))


def _not_declined(request: HttpRequest, why: str) -> HttpResponse:
    messages.error(request, gettext("Nothing is declined. %(why)s") % {"why": why})
    return back(request, reverse("approvals"))


def _say_declined(request: HttpRequest, order: Order) -> None:
    """With the way back, and another one for what was learned."""
    again = reverse("order-again", args=[order.public_id])
    messages.success(request, gettext("Declined: %(title)s") % {"title": order.listing.title}, extra_tags=again)
    step = proposing.answer_to(order)
    if step and (words := lines.learned_words(step.evidence.get("learned") or {}, order.currency)):
        forget = reverse("order-unlearn", args=[order.public_id])
        messages.success(request, gettext("Added to the rules: %(what)s") % {"what": words}, extra_tags=forget)


@require_POST
@own_order
def unlearn(request: HttpRequest, order: Order) -> HttpResponse:
    """Take back what a "no" has added to the rules."""
    step = proposing.answer_to(order)
    learned = step.evidence.get("learned") if step else None
    if learned and learning.forget(order=order, learned=learned, now=timezone.now()):
        messages.success(request, gettext("The rule is taken back; the order stays declined."))
    else:
        messages.info(request, gettext("There is nothing to take back any more."))
    return back(request, reverse("approvals"))


@require_POST
@own_order
def extend(request: HttpRequest, order: Order) -> HttpResponse:
    """Wait longer for the answer, once."""
    if proposing.extend(order=order, minutes=_longer(order), now=timezone.now()):
        messages.success(request, gettext("It waits longer for your answer."))
    else:
        messages.warning(request, gettext("It cannot wait any longer."))
    return back(request, reverse("approvals"))


def _longer(order: Order) -> int:
    """As long as its rule lets it wait, beyond what is left."""
    rule: Any = getattr(order.watch, "buy_rule", None) if order.watch else None
    left = (order.expires_at - timezone.now()).total_seconds() if order.expires_at else 0
    return math.ceil(max(0, left) / 60) + (rule.approval_minutes if rule else USUAL_MINUTES)


@require_http_methods(["GET", "HEAD", "POST"])
@proves_again
def style(request: HttpRequest) -> HttpResponse:
    """With one press or two, and from which amount on only after a proof."""
    now = styles.style_of(request.user)
    initial = {"one_press": now.one_press, "proof_above": now.proof_above}
    form = StyleForm(request.POST if request.method == "POST" else None, initial=initial)
    if request.method == "POST" and form.is_valid():
        styles.set_style(user=request.user, now=timezone.now(), **form.cleaned_data)
        messages.success(request, gettext("Saved."))
        return redirect("approvals")
    return render(request, "web/approvals/style.html", {"form": form}, status=422 if form.errors else 200)

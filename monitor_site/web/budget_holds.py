"""After a limit was lowered below what is held: the person chooses which orders end for it."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_http_methods

from monitor_site import wording
from monitor_site.purchasing import budgeting, queries, releasing
from monitor_site.purchasing.models import Budget, Order

from .budget_pages import own_budget
from .order_words import PERSON, budget_name, state_words

MOST = 200


@own_budget
@require_http_methods(["GET", "HEAD", "POST"])
def holds(request: HttpRequest, budget: Budget) -> HttpResponse:
    """What money of a budget is held for, and which of it goes."""
    if request.method != "POST":
        return render(request, "web/budgets/holds.html", _facts(budget))
    chosen = set(request.POST.getlist("order"))
    wanted = [order for order in _holders(budget) if order.public_id in chosen]
    _say(request, releasing.release(orders=wanted, actor=PERSON, now=timezone.now()), wanted)
    return redirect("budgets")


def _holders(budget: Budget) -> list[Order]:
    return list(queries.holders_of(budget)[:MOST])


def _facts(budget: Budget) -> dict[str, Any]:
    above = budgeting.overrun_of(budget, now=timezone.now())
    rows = [
        {"order": one, "state": state_words(one.state), "may": releasing.can_release(one)} for one in _holders(budget)
    ]
    free = any(row["may"] for row in rows)
    return {"budget": budget, "name": budget_name(budget), "rows": rows, "free": free, "above": above}


def _say(request: HttpRequest, released: list[Order], wanted: list[Order]) -> None:
    if released:
        words = ngettext(
            "One order ended: %(amount)s is free.", "%(n)d orders ended: %(amount)s is free.", len(released)
        )
        amount = wording.money(sum(one.price_max for one in released))
        messages.success(request, words % {"n": len(released), "amount": amount})
    if len(released) < len(wanted):
        messages.warning(
            request, gettext("Something went on meanwhile and stays: what is being ordered cannot be ended.")
        )

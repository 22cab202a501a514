"""Budgets and the kill switch. A budget of somebody else does not exist."""

from collections.abc import Callable
from functools import partial, wraps

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from monitor_site import wording
from monitor_site.purchasing import budgeting, switching
from monitor_site.purchasing.models import Budget, BudgetKind
from monitor_site.purchasing.releasing import could_fit

from . import budget_lines
from .budget_form import LIMITS, BudgetForm, OverallForm, initial_of
from .once import make_once
from .proving import before_doing, proves_again, typed
from .returning import back

LARGEST_ID = 2**63 - 1


def own_budget(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Give the view the budget instead of its number; 404 when it is not the reader's own, whatever the method."""

    @wraps(view)
    def wrapper(request: HttpRequest, pk: int) -> HttpResponse:
        return view(request, get_object_or_404(Budget.objects.of(request.user), pk=min(pk, LARGEST_ID)))

    return wrapper


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """All budgets of the reader, and the switch."""
    return render(request, "web/budgets/list.html", budget_lines.page_of(request.user, now=timezone.now()))


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest) -> HttpResponse:
    """Make a budget that watches share."""
    form = BudgetForm(typed(request), user=request.user, initial=initial_of(None))
    page = partial(_form_page, request, form)
    if first := before_doing(request, form, asks=lambda: True, page=page):
        return first
    if not _made(request, form):
        return page(422)
    messages.success(request, gettext("Saved."))
    return redirect("budgets")


def _loosens(form: OverallForm, budget: Budget | None) -> bool:
    """Lowering a limit is free; raising one is not, nor taking a watch out of its guard."""
    frees = isinstance(form, BudgetForm) and budget is not None and form.lets_go_of(budget)
    return frees or form.limits().allow_more_than(budget)


def _made(request: HttpRequest, form: BudgetForm) -> bool:
    def make() -> int:
        return budgeting.create_budget(user=request.user, wish=form.wish(), now=timezone.now()).pk

    try:
        make_once(request, user=request.user, key=form.cleaned_data["form_key"], make=make)
    except budgeting.TooManyBudgets:
        words = gettext("You have %(n)d budgets already, and more are not kept.") % {"n": budgeting.MOST_BUDGETS}
        form.add_error(None, words)
        return False
    return True


def _form_page(
    request: HttpRequest, form: OverallForm, status: int = 200, *, budget: Budget | None = None, overall: bool = False
) -> HttpResponse:
    context = {"form": form, "budget": budget, "overall": overall, "used": budget and budgeting.is_used(budget)}
    return render(request, "web/budgets/form.html", context, status=status)


@require_http_methods(["GET", "HEAD", "POST"])
def overall(request: HttpRequest) -> HttpResponse:
    """The limits of everything the reader spends; the budget comes into being when it is saved first."""
    budget = Budget.objects.of(request.user).filter(kind=BudgetKind.USER).first()
    form = OverallForm(typed(request), initial={name: getattr(budget, name, None) for name in LIMITS})
    page = partial(_form_page, request, form, budget=budget, overall=True)
    if first := before_doing(request, form, asks=lambda: _loosens(form, budget), page=page):
        return first
    saved = budgeting.set_overall_budget(user=request.user, limits=form.limits(), now=timezone.now())
    return _saved(request, saved, budgeting.overrun_of(saved, now=timezone.now()))


@own_budget
@require_http_methods(["GET", "HEAD", "POST"])
def budget(request: HttpRequest, budget: Budget) -> HttpResponse:
    """Look at a budget and change it."""
    if budget.kind == BudgetKind.USER:
        return overall(request)
    if budget.kind != BudgetKind.NAMED:
        raise Http404
    form = BudgetForm(typed(request), user=request.user, initial=initial_of(budget))
    page = partial(_form_page, request, form, budget=budget)
    if first := before_doing(request, form, asks=lambda: _loosens(form, budget), page=page):
        return first
    return _saved(request, budget, budgeting.change_budget(budget=budget, wish=form.wish(), now=timezone.now()))


def _saved(request: HttpRequest, budget: Budget, above: int) -> HttpResponse:
    """Says what stays above a limit that was lowered, and asks which of it goes, where some of it can."""
    messages.success(request, gettext("Saved."))
    if could_fit(budget, now=timezone.now()):
        return redirect("budget-holds", budget.pk)
    if above:
        words = gettext(
            "%(amount)s above the new limit is held or spent already and stays so; nothing more is held until it fits."
        )
        messages.warning(request, words % {"amount": wording.money(above)})
    return redirect("budgets")


@own_budget
@require_http_methods(["GET", "HEAD", "POST"])
@proves_again
def remove(request: HttpRequest, budget: Budget) -> HttpResponse:
    """Ask whether to remove, then remove; not while something refers to it."""
    if request.POST.get("sure") != "yes":
        context = {"budget": budget, "used": budgeting.is_used(budget)}
        return render(request, "web/budgets/remove.html", context)
    try:
        budgeting.remove_budget(budget=budget, now=timezone.now())
    except budgeting.InUse:
        messages.error(request, gettext("Something refers to this budget, so it stays."))
        return redirect("budgets")
    messages.success(request, gettext("The budget is removed."))
    return redirect("budgets")


@require_POST
def stop(request: HttpRequest) -> HttpResponse:
    """Pause all spending of the reader."""
    switching.stop(user=request.user, reason=request.POST.get("reason", "").replace("\x00", ""), now=timezone.now())
    messages.success(request, gettext("All your spending is paused."))
    return back(request, reverse("budgets"))


@require_POST
@proves_again
def resume(request: HttpRequest) -> HttpResponse:
    """Take that back."""
    switching.resume(user=request.user, now=timezone.now())
    messages.success(request, gettext("Your spending is not paused any more."))
    return back(request, reverse("budgets"))

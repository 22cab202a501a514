"""A person's accounts at marketplaces. Secrets go in here; no page and no code behind one can read them again."""

import secrets
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from monitor_site.contract import AccountSettings
from monitor_site.marketplaces import services
from monitor_site.marketplaces.catalog import catalog
from monitor_site.marketplaces.forms import AccountForm, account_form, secrets_form, values_form
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.purchasing import account_use, budgeting
from monitor_site.purchasing.models import Budget
from monitor_site.purchasing.releasing import could_fit

from . import account_lines
from .budget_form import LIMITS, OverallForm
from .once import make_once
from .proving import before_doing, proves_again, typed

LARGEST_ID = 2**63 - 1
MOST_ACCOUNTS = 20


def own_account(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Give the view the account instead of its number; 404 when it is not the reader's own, whatever the method."""

    @wraps(view)
    def wrapper(request: HttpRequest, pk: int) -> HttpResponse:
        mine = MarketplaceAccount.objects.of(request.user).select_related("spends_by")
        return view(request, get_object_or_404(mine, pk=min(pk, LARGEST_ID)))

    return wrapper


def shape_of(marketplace: str) -> type[AccountSettings]:
    """The settings of an account there; 404 where people connect none."""
    plugin = catalog().plugins.get(marketplace)
    if plugin is None or plugin.manifest.settings is None or not account_lines.connects(plugin.manifest):
        raise Http404(marketplace)
    return plugin.manifest.settings


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """All of them, and what each marketplace can do."""
    return render(request, "web/accounts/list.html", account_lines.page_of(request.user, now=timezone.now()))


@own_account
@require_safe
def account(request: HttpRequest, account: MarketplaceAccount) -> HttpResponse:
    """One of them; a page that waits for a test asks for the card alone."""
    name = "_line" if request.headers.get("HX-Request") else "one"
    line = account_lines.line_of(account, now=timezone.now())
    return render(request, f"web/accounts/{name}.html", {"line": line})


@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
@proves_again
def new(request: HttpRequest, marketplace: str) -> HttpResponse:
    """Connect one."""
    shape = shape_of(marketplace)
    form = account_form(shape, account=None)(request.POST if request.method == "POST" else None)
    hindered = _hindrance(request)
    if request.method == "POST" and not hindered and form.is_valid():
        pk = _connected(request, marketplace, form, shape)
        messages.success(request, gettext("Connected. A test tells whether its credentials work."))
        return redirect("market-account", pk)
    title = gettext("Account at %(marketplace)s") % {"marketplace": account_lines.title_of(marketplace)}
    context = {
        "title": title,
        "hindered": hindered,
        "form_key": request.POST.get("form_key") or secrets.token_urlsafe(12),
    }
    return _form_page(request, form, **context)


def _hindrance(request: HttpRequest) -> str:
    if not settings.SECRETS_KEYS:
        return gettext("Whoever runs the site must set SECRETS_KEYS first: it keeps secrets.")
    if MarketplaceAccount.objects.of(request.user).count() >= MOST_ACCOUNTS:
        return gettext("You have %(n)d accounts already, and more are not kept.") % {"n": MOST_ACCOUNTS}
    return ""


def _connected(request: HttpRequest, marketplace: str, form: AccountForm, shape: type[AccountSettings]) -> int:
    values, given = form.given(shape)

    def make() -> int:
        said = {"label": form.cleaned_data["label"], "values": values, "secrets": given, "now": timezone.now()}
        return services.connect_account(marketplace=marketplace, user=request.user, **said).pk

    return make_once(request, user=request.user, key=request.POST.get("form_key", "")[:64], make=make)[0]


def _form_page(request: HttpRequest, form: Any, **context: Any) -> HttpResponse:
    context |= {"form": form, "drawn": form.visible_fields()}
    return render(request, "web/accounts/form.html", context, status=422 if request.method == "POST" else 200)


@own_account
@require_http_methods(["GET", "HEAD", "POST"])
@proves_again
def edit(request: HttpRequest, account: MarketplaceAccount) -> HttpResponse:
    """Its label, and what of its settings is no secret."""
    shape = shape_of(account.marketplace)
    form = values_form(shape, account=account)(request.POST if request.method == "POST" else None, instance=account)
    if request.method != "POST" or not form.is_valid():
        return _form_page(request, form, account=account, title=gettext("Edit the account"))
    values, _none = form.given(shape)
    services.change_account(account=account, label=form.cleaned_data["label"], values=values, now=timezone.now())
    messages.success(request, gettext("Saved."))
    return redirect("market-account", account.pk)


@own_account
@require_http_methods(["GET", "HEAD", "POST"])
@sensitive_post_parameters()
@proves_again
def replace(request: HttpRequest, account: MarketplaceAccount) -> HttpResponse:
    """Other secrets in the place of all old ones."""
    shape = shape_of(account.marketplace)
    form = secrets_form(shape)(request.POST if request.method == "POST" else None, instance=account)
    if request.method != "POST" or _hindrance_of_keys() or not form.is_valid():
        title = gettext("Replace the secrets")
        return _form_page(request, form, account=account, title=title, replaces=True, hindered=_hindrance_of_keys())
    services.replace_secrets(account=account, secrets=form.given(shape)[1], now=timezone.now())
    messages.success(request, gettext("Replaced. A test tells whether they work."))
    return redirect("market-account", account.pk)


def _hindrance_of_keys() -> str:
    if settings.SECRETS_KEYS:
        return ""
    return gettext("Whoever runs the site must set SECRETS_KEYS first: it keeps secrets.")


@own_account
@require_http_methods(["GET", "HEAD", "POST"])
def caps(request: HttpRequest, account: MarketplaceAccount) -> HttpResponse:
    """The limits of all that is bought with it."""
    budget = Budget.objects.filter(account=account).first()
    form = OverallForm(typed(request), initial={name: getattr(budget, name, None) for name in LIMITS})

    def page(status: int) -> HttpResponse:
        return render(request, "web/accounts/caps.html", {"form": form, "account": account}, status=status)

    if first := before_doing(request, form, asks=lambda: form.limits().allow_more_than(budget), page=page):
        return first
    currency = catalog().get(account.marketplace).manifest.currency
    limits: dict[str, Any] = {"limits": form.limits(), "currency": currency, "now": timezone.now()}
    saved = budgeting.set_account_budget(account=account, **limits)
    messages.success(request, gettext("Saved."))
    too_much = could_fit(saved, now=timezone.now())
    return redirect("budget-holds", saved.pk) if too_much else redirect("market-account", account.pk)


@own_account
@require_POST
def test(request: HttpRequest, account: MarketplaceAccount) -> HttpResponse:
    """Have a worker try it."""
    if not services.ask_for_test(account=account, now=timezone.now()):
        messages.info(request, gettext("It was tested a moment ago. Wait a few seconds."))
    return redirect("market-account", account.pk)


@own_account
@require_POST
def pause(request: HttpRequest, account: MarketplaceAccount) -> HttpResponse:
    """Order nothing more with it."""
    services.pause_by_hand(account=account, now=timezone.now())
    messages.success(request, gettext("Paused. Nothing is ordered with it."))
    return redirect("market-account", account.pk)


@own_account
@require_POST
@proves_again
def resume(request: HttpRequest, account: MarketplaceAccount) -> HttpResponse:
    """Take a pause back."""
    try:
        account_use.resume_account(account=account, now=timezone.now())
    except account_use.OutcomeOpen:
        messages.error(request, gettext("What became of an order is not known yet. It stays paused until then."))
    return redirect("market-account", account.pk)


@own_account
@require_http_methods(["GET", "HEAD", "POST"])
@proves_again
def remove(request: HttpRequest, account: MarketplaceAccount) -> HttpResponse:
    """Say what depends on it, then remove it; not while an order is under way."""
    if request.POST.get("sure") != "yes":
        return render(request, "web/accounts/remove.html", {"account": account, "use": account_use.use_of(account)})
    try:
        account_use.remove_account(account=account, now=timezone.now())
    except account_use.InUse:
        messages.error(request, gettext("Orders with this account are under way, so it stays."))
        return redirect("market-account", account.pk)
    messages.success(request, gettext("The account and its secrets are removed."))
    return redirect("market-accounts")

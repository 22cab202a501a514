"""Accounts in the admin, and the page of all plugins beside them."""

import contextlib
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import urlencode

import redis
from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.admin import helpers
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect, render
from django.urls import path, reverse
from django.utils import timezone
from django.utils.decorators import method_decorator
from django.utils.translation import gettext, ngettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from monitor_site.accounts.proofs import proven_recently
from monitor_site.connections import redis_client
from monitor_site.contract import AccountSettings

from . import breaker, services, vault
from .accounts import PAUSING
from .catalog import catalog
from .forms import AccountForm, account_form
from .models import MarketplaceAccount
from .overview import standings


def shape_of(marketplace: str) -> type[AccountSettings] | None:
    """The settings of a plugin; ``None`` when it does not work or wants none."""
    plugin = catalog().plugins.get(marketplace)
    return plugin.manifest.settings if plugin else None


def _reads_signed_in(marketplace: str) -> bool:
    """Whether the installation's own account would be of any use."""
    plugin = catalog().plugins.get(marketplace)
    return plugin is not None and plugin.manifest.settings is not None and plugin.manifest.reads_signed_in


def _ask_again(marketplace: str, *, by: str) -> None:
    """Close the breaker where only a right account was missing; another reason keeps it, and so does a silent Redis."""
    client = redis_client()
    with contextlib.suppress(redis.RedisError):
        if breaker.read_all(client, [marketplace])[marketplace]["reason"] in PAUSING:
            breaker.reset(client, marketplace=marketplace, by=by)


class ReasonForm(helpers.ActionForm):
    """Beside the choice of an action; only letting an account spend asks for it."""

    reason = forms.CharField(label=_("Why"), max_length=200, required=False)


class IsPaused(admin.SimpleListFilter):
    title = _("state")
    parameter_name = "paused"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:  # noqa: ARG002
        return [("no", _("on")), ("yes", _("paused"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Any]) -> QuerySet[Any]:  # noqa: ARG002
        now = timezone.now()
        match self.value():
            case "yes":
                return queryset.filter(paused_until__gt=now)
            case "no":
                return queryset.exclude(paused_until__gt=now)
        return queryset


@admin.register(MarketplaceAccount)
@method_decorator(sensitive_post_parameters(), name="changeform_view")
class MarketplaceAccountAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic for the type checker only
    """An account's marketplace and person stay; its secrets are replaced, never read."""

    list_display = ("id", "marketplace", "label", "user", "paused_until", "pause_reason", "spends_since")
    list_select_related = ("user",)
    list_filter = (IsPaused, "marketplace")
    search_fields = ("=id", "marketplace", "label", "user__username")
    readonly_fields = (
        "marketplace", "user", "paused_until", "pause_reason", "spends_since", "spends_by", "spends_reason",
        "worked_at", "test_error", "removed_at", "created_at", "updated_at",
    )  # fmt: skip
    ordering = ("-id",)
    actions = ("resume", "let_spend", "end_spending")
    action_form = ReasonForm
    change_list_template = "admin/marketplaces/accounts.html"

    def get_urls(self) -> list[Any]:
        own = [
            path("overview/", self.admin_site.admin_view(self.overview), name="marketplaces_overview"),
            path("overview/<str:name>/reset/", self.admin_site.admin_view(self.reset), name="marketplaces_reset"),
        ]
        return [*own, *super().get_urls()]

    # -- the form -------------------------------------------------------------------------------------------------

    def get_form(self, request: HttpRequest, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:  # noqa: ARG002
        shape = shape_of(obj.marketplace if obj else self._asked(request)) or AccountSettings
        return account_form(shape, account=obj)

    def get_fieldsets(self, request: HttpRequest, obj: MarketplaceAccount | None = None) -> Any:
        """Whoever may only look sees what stands in the row, and no field of a form."""
        typed = list(self.get_form(request, obj).base_fields)
        if obj is None:
            return [(None, {"fields": typed})]
        shown = typed if self.has_change_permission(request, obj) else ["label"]
        return [(None, {"fields": [*self.readonly_fields, *shown]})]

    def add_view(self, request: HttpRequest, form_url: str = "", extra_context: Any = None) -> HttpResponse:
        """A form is drawn for one marketplace: without its name the page of all of them offers the choice."""
        if not _reads_signed_in(self._asked(request)):
            messages.info(request, gettext("Choose the marketplace for which to connect an account."))
            return redirect("admin:marketplaces_overview")
        if MarketplaceAccount.objects.filter(marketplace=self._asked(request), user=None).exists():
            messages.info(request, gettext("This marketplace has its account already."))
            return redirect("admin:marketplaces_overview")
        if not settings.SECRETS_KEYS:
            messages.error(
                request, gettext("Without SECRETS_KEYS no secret can be kept. Set it on all machines first.")
            )
            return redirect("admin:marketplaces_overview")
        title = gettext("Account at %(marketplace)s") % {"marketplace": self._asked(request)}
        return super().add_view(request, form_url, {"title": title} | (extra_context or {}))

    def _asked(self, request: HttpRequest) -> str:
        return request.GET.get("marketplace", "")

    def save_form(self, request: HttpRequest, form: AccountForm, change: bool) -> MarketplaceAccount:
        """The services write: here the form only says which row."""
        account: MarketplaceAccount = super().save_form(request, form, change)
        if not change:
            account.marketplace = self._asked(request)
        return account

    def save_model(self, request: HttpRequest, obj: MarketplaceAccount, form: AccountForm, change: bool) -> None:
        values, secrets = form.given(shape_of(obj.marketplace) or AccountSettings)
        now = timezone.now()
        # Workers must find the account when they ask again: only once it is committed.
        transaction.on_commit(partial(_ask_again, obj.marketplace, by=request.user.get_username()))
        if not change:
            made = services.connect_account(
                marketplace=obj.marketplace, user=None, label=obj.label, values=values, secrets=secrets, now=now
            )
            obj.pk = made.pk
            return
        services.change_account(account=obj, label=obj.label, values=values, now=now)
        if secrets:
            self._replace(request, obj, secrets, now)

    def _replace(self, request: HttpRequest, obj: MarketplaceAccount, secrets: dict[str, str], now: datetime) -> None:
        try:
            services.replace_secrets(account=obj, secrets=secrets, now=now)
        except vault.BadKeys as error:
            messages.error(request, gettext("The secrets were not replaced: %(reason)s.") % {"reason": error})

    def delete_model(self, request: HttpRequest, obj: MarketplaceAccount) -> None:  # noqa: ARG002
        services.remove_account(account=obj, now=timezone.now())

    @admin.action(description=_("End the pause"), permissions=["change"])
    def resume(self, request: HttpRequest, queryset: QuerySet[MarketplaceAccount]) -> None:
        rows = list(queryset.filter(paused_until__isnull=False))
        for row in rows:
            services.resume_account(account=row, now=timezone.now())
        sentence = ngettext("%(n)d account is on again.", "%(n)d accounts are on again.", len(rows))
        self.message_user(request, sentence % {"n": len(rows)}, messages.SUCCESS)

    @admin.action(description=_("Let it spend real money"), permissions=["change"])
    def let_spend(self, request: HttpRequest, queryset: QuerySet[MarketplaceAccount]) -> HttpResponse | None:
        """For one account, with a reason, by somebody who has just proven who they are."""
        if not proven_recently(request, now=timezone.now()):
            return redirect(f"{reverse('prove')}?{urlencode({'next': request.get_full_path()})}")
        reason, rows = request.POST.get("reason", "").strip(), list(queryset[:2])
        if len(rows) != 1 or rows[0].user_id is None or not reason or rows[0].removed_at:
            messages.error(request, gettext("Choose one account of a person, and say why it may spend real money."))
            return None
        services.let_spend(account=rows[0], by=request.user, reason=reason[:200], now=timezone.now())
        self.log_change(request, rows[0], f"may spend real money: {reason[:200]}")
        messages.success(request, gettext("The account may spend real money from now on."))
        return None

    @admin.action(description=_("End spending of real money"), permissions=["change"])
    def end_spending(self, request: HttpRequest, queryset: QuerySet[MarketplaceAccount]) -> None:
        for row in queryset.filter(spends_since__isnull=False):
            services.end_spending(account=row, now=timezone.now())
            self.log_change(request, row, "may not spend real money any more")
        messages.success(request, gettext("No real money is spent with them."))

    # -- all plugins ----------------------------------------------------------------------------------------------

    def overview(self, request: HttpRequest) -> HttpResponse:
        """Every plugin, working or broken, and how it is doing."""
        if not self.has_view_permission(request):
            raise PermissionDenied
        context = {
            **self.admin_site.each_context(request),
            "title": _("Marketplaces"),
            "opts": self.opts,
            "standings": standings(catalog(), redis_client()),
            "broken": dict(catalog().broken),
            "may_reset": self.has_change_permission(request),
            "may_connect": self.has_add_permission(request),
        }
        return render(request, "admin/marketplaces/overview.html", context)

    @method_decorator(require_POST)
    def reset(self, request: HttpRequest, name: str) -> HttpResponseRedirect:
        """Close a breaker by hand."""
        if not self.has_change_permission(request):
            raise PermissionDenied
        if name not in catalog().plugins:
            raise Http404(name)
        try:
            was_open = breaker.reset(redis_client(), marketplace=name, by=request.user.get_username())
        except redis.RedisError:
            messages.error(request, gettext("Redis does not answer. Nothing was changed."))
        else:
            told = gettext("%(name)s is asked again.") if was_open else gettext("%(name)s was not stopped.")
            messages.success(request, told % {"name": name})
        return redirect("admin:marketplaces_overview")

"""People in the admin: staff create them, nobody signs up alone."""

import zoneinfo
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import UserChangeForm
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from monitor_site.second_currency import BadRate, Rate, read_rate

from . import auditing
from .exchange_rates import forget_rate, set_rate
from .models import AuditKind, ExchangeRate, User

# Rows of factors hold secrets and rows of sessions open accounts: a command mends, nobody looks.
admin.site.unregister((Authenticator, UserSession))


class PersonForm(UserChangeForm):  # type: ignore[type-arg]  # generic for the type checker only
    def clean_time_zone(self) -> str:
        name = str(self.cleaned_data["time_zone"])
        if name not in zoneinfo.available_timezones():
            raise forms.ValidationError(_("There is no such time zone. Names look like Asia/Tokyo or Europe/Paris."))
        return name


@admin.register(User)
class PersonAdmin(UserAdmin):  # type: ignore[type-arg]  # Django's class is not generic when it runs
    """Django's own page with what we know besides."""

    form = PersonForm
    list_display = ("username", "email", "language", "time_zone", "is_active", "is_staff", "last_login")
    list_filter = ("is_active", "is_staff", "language")
    search_fields = ("username", "email", "first_name", "last_name")
    fieldsets = (
        *(UserAdmin.fieldsets or ()),
        (_("Preferences"), {"fields": ("language", "time_zone", "theme", "second_currency", "start_page")}),
        (_("Limits"), {"fields": ("watch_limit", "question_limit", "weight")}),
    )

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """Roles are whole only once their groups are saved; who gave or took one is written down."""
        before = _roles(User.objects.get(pk=form.instance.pk)) | _changed_flags(form) if change else {}
        super().save_related(request, form, formsets, change)
        on = auditing.Thing(kind="user", id=form.instance.pk, words=form.instance.get_username())
        act, after = "change" if change else "make", _roles(form.instance)
        told: dict[str, Any] = {"before": before, "after": after, "now": timezone.now()}
        auditing.write(kind=AuditKind.SECURITY, act=act, user_id=form.instance.pk, on=on, **told)


FLAGS = ("is_active", "is_staff", "is_superuser")


def _roles(person: User) -> dict[str, Any]:
    """What a person may do here."""
    groups = sorted(person.groups.values_list("name", flat=True))
    rights = sorted(person.user_permissions.values_list("codename", flat=True))
    return {name: getattr(person, name) for name in FLAGS} | {"groups": groups, "permissions": rights}


def _changed_flags(form: Any) -> dict[str, bool]:
    """As they were before the form was saved."""
    return {name: bool(form.initial[name]) for name in FLAGS if name in form.initial}


class RateForm(forms.ModelForm):  # type: ignore[type-arg]  # generic for the type checker only
    per_yen = forms.CharField(label=_("what one yen is worth"), help_text=_("Such as 0.048 for Chinese yuan."))

    def clean(self) -> dict[str, Any]:
        told = super().clean() or self.cleaned_data
        currency = told.get("currency") or self.instance.pk
        try:
            told["per_yen"] = read_rate(str(currency), str(told.get("per_yen", "")).strip())
        except BadRate as error:
            self.add_error("per_yen", str(error))
        return told


@admin.register(ExchangeRate)
class ExchangeRateAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # Django's class is not generic when it runs
    """Rates that people may have prices shown by; whoever writes one here is its source."""

    form = RateForm
    list_display = ("currency", "per_yen", "source", "at")
    fields = ("currency", "per_yen")
    actions = None

    def get_readonly_fields(self, request: HttpRequest, obj: ExchangeRate | None = None) -> tuple[str, ...]:  # noqa: ARG002
        return ("currency",) if obj else ()

    def save_model(self, request: HttpRequest, obj: ExchangeRate, form: Any, change: bool) -> None:  # noqa: ARG002
        now = timezone.now()
        obj.at, obj.source = now, ""
        set_rate(rate=Rate(currency=obj.currency, per_yen=obj.per_yen, at=now), now=now)

    def delete_model(self, request: HttpRequest, obj: ExchangeRate) -> None:  # noqa: ARG002
        forget_rate(currency=obj.currency, now=timezone.now())

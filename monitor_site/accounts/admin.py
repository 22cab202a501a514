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

from . import auditing
from .models import AuditKind, User

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
        (_("Preferences"), {"fields": ("language", "time_zone", "theme")}),
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

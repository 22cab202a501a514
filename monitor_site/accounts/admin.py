"""People in the admin: staff create them, nobody signs up alone."""

import zoneinfo

from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django import forms
from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.contrib.auth.forms import UserChangeForm
from django.utils.translation import gettext_lazy as _

from .models import User

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

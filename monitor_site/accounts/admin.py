"""People in the admin: staff create them, nobody signs up alone."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.utils.translation import gettext_lazy as _

from .models import User


@admin.register(User)
class PersonAdmin(UserAdmin):  # type: ignore[type-arg]  # Django's class is not generic when it runs
    """Django's own page with what we know besides."""

    list_display = ("username", "email", "language", "time_zone", "is_active", "is_staff", "last_login")
    list_filter = ("is_active", "is_staff", "language")
    search_fields = ("username", "email", "first_name", "last_name")
    fieldsets = (
        *(UserAdmin.fieldsets or ()),
        (_("Preferences"), {"fields": ("language", "time_zone", "theme")}),
    )

"""Channels and what was sent through them in the admin: to look at. People change their channels on the pages."""

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from monitor_site.outbox.admin import LookOnly

from . import services
from .models import Alert, Channel, Delivery, Feed, Notice


@admin.register(Channel)
class ChannelAdmin(LookOnly):
    list_display = ("id", "user", "kind", "name", "failures", "delivered_at", "failed_at", "last_words", "disabled_at")
    list_select_related = ("user",)
    list_filter = ("kind", "last_outcome")
    search_fields = ("=id", "=user__username", "name")
    exclude = ("sealed", "values")
    ordering = ("-id",)

    def get_readonly_fields(self, request: HttpRequest, obj: object = None) -> list[str]:
        hidden = set(self.exclude)
        return [name for name in super().get_readonly_fields(request, obj) if name not in hidden]


@admin.register(Alert)
class AlertAdmin(LookOnly):
    list_display = ("id", "user", "kind", "listing", "importance", "created_at", "trace")
    list_select_related = ("user", "listing")
    list_filter = ("kind", "importance")
    search_fields = ("=id", "=trace", "=key", "=user__username")
    ordering = ("-id",)


@admin.register(Notice)
class NoticeAdmin(LookOnly):
    list_display = ("id", "alert", "channel", "due_at", "held", "delivery")
    list_select_related = ("alert", "channel", "delivery")
    list_filter = ("held",)
    search_fields = ("=id", "=alert__id", "=channel__id")
    ordering = ("-id",)


@admin.register(Delivery)
class DeliveryAdmin(LookOnly):
    list_display = ("id", "public_id", "channel", "state", "outcome", "status", "attempts", "created_at", "due_at")
    list_select_related = ("channel",)
    list_filter = ("state", "outcome")
    search_fields = ("=id", "=public_id", "=channel__id")
    ordering = ("-id",)
    actions = ("send_again",)

    @admin.action(description=_("Send again what was not delivered"), permissions=["operate"])
    def send_again(self, request: HttpRequest, queryset: QuerySet[Delivery]) -> None:
        """Under the same id, so that a repetition can be known."""
        count = sum(services.send_again(delivery=row, now=timezone.now()) for row in queryset)
        sentence = ngettext("%(n)d message is sent again.", "%(n)d messages are sent again.", count)
        self.message_user(request, sentence % {"n": count}, messages.SUCCESS)

    def has_operate_permission(self, request: HttpRequest) -> bool:
        """Acting needs more than looking."""
        return request.user.has_perm("alerts.change_delivery")


@admin.register(Feed)
class FeedAdmin(LookOnly):
    list_display = ("id", "user", "kind", "name", "hint", "read_at", "reader")
    list_select_related = ("user",)
    list_filter = ("kind",)
    search_fields = ("=id", "=user__username", "name")
    exclude = ("digest",)
    ordering = ("-id",)

    def get_readonly_fields(self, request: HttpRequest, obj: object = None) -> list[str]:
        return [name for name in super().get_readonly_fields(request, obj) if name != "digest"]

"""Watches and what belongs to them in the admin: for repairs. Rules are changed on the pages, through the services."""

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.db.models import Exists, OuterRef, QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from monitor_site.outbox.admin import LookOnly

from . import services
from .models import (
    Block,
    Check,
    Crossing,
    Doubt,
    Listing,
    ListingEvent,
    Match,
    Note,
    PricePoint,
    Tag,
    Target,
    Watch,
    WatchTarget,
    WatchVersion,
)


class Links(admin.TabularInline):  # type: ignore[type-arg]  # generic for the type checker only
    """Who asks what."""

    model = WatchTarget
    extra = 0
    can_delete = False
    show_change_link = True

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        return False


def _told(page: "admin.ModelAdmin[Any]", request: HttpRequest, singular: str, plural: str, count: int) -> None:
    page.message_user(request, ngettext(singular, plural, count) % {"n": count}, messages.SUCCESS)


def _each(queryset: QuerySet[Any], act: Callable[[Any], object]) -> int:
    rows = list(queryset)
    for row in rows:
        act(row)
    return len(rows)


class IsPaused(admin.SimpleListFilter):
    title = _("state")
    parameter_name = "paused"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:  # noqa: ARG002
        return [("no", _("on")), ("yes", _("paused"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Watch]) -> QuerySet[Watch]:  # noqa: ARG002
        wanted = {"no": True, "yes": False}.get(self.value() or "")
        return queryset if wanted is None else queryset.filter(paused_at__isnull=wanted)


class AsksMarketplace(admin.SimpleListFilter):
    title = _("marketplace")
    parameter_name = "marketplace"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:  # noqa: ARG002
        names = Target.objects.order_by("marketplace").values_list("marketplace", flat=True).distinct()
        return [(name, name) for name in names]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Watch]) -> QuerySet[Watch]:  # noqa: ARG002
        asked = WatchTarget.objects.filter(watch=OuterRef("pk"), target__marketplace=self.value())
        return queryset.filter(Exists(asked)) if self.value() else queryset


@admin.register(Watch)
class WatchAdmin(LookOnly):
    list_display = ("id", "name", "user", "marketplaces", "interval_seconds", "paused_at", "created_at")
    list_select_related = ("user",)
    list_filter = (IsPaused, AsksMarketplace, "policy")
    search_fields = ("=id", "name", "user__username")
    inlines = (Links,)
    ordering = ("-id",)
    actions = ("pause", "resume")

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        """As the person's permissions say; deleting goes through the service."""
        return request.user.has_perm("watches.delete_watch")

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """Its links and matches go with a watch; nobody needs a permission for those alone."""
        names, counts, _needed, protected = super().get_deleted_objects(objs, request)
        return names, counts, set(), protected

    def delete_model(self, request: HttpRequest, obj: Watch) -> None:  # noqa: ARG002
        services.delete_watch(watch=obj, now=timezone.now())

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[Watch]) -> None:  # noqa: ARG002
        _each(queryset, lambda watch: services.delete_watch(watch=watch, now=timezone.now()))

    @admin.action(description=_("Pause"), permissions=["operate"])
    def pause(self, request: HttpRequest, queryset: QuerySet[Watch]) -> None:
        count = _each(queryset, lambda watch: services.pause_watch(watch=watch, now=timezone.now()))
        _told(self, request, "%(n)d watch is paused.", "%(n)d watches are paused.", count)

    @admin.action(description=_("Resume"), permissions=["operate"])
    def resume(self, request: HttpRequest, queryset: QuerySet[Watch]) -> None:
        count = _each(queryset, lambda watch: services.resume_watch(watch=watch, now=timezone.now()))
        _told(self, request, "%(n)d watch is on again.", "%(n)d watches are on again.", count)

    def has_operate_permission(self, request: HttpRequest) -> bool:
        """Acting needs more than looking."""
        return request.user.has_perm("watches.change_watch")


class IsQuarantined(admin.SimpleListFilter):
    title = _("schedule")
    parameter_name = "schedule"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:  # noqa: ARG002
        return [("in", _("asked")), ("out", _("quarantined")), ("failing", _("failing"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Target]) -> QuerySet[Target]:  # noqa: ARG002
        match self.value():
            case "in":
                return queryset.filter(active=True)
            case "out":
                return queryset.filter(quarantined_at__isnull=False)
            case "failing":
                return queryset.filter(failures__gt=0)
        return queryset


@admin.register(Target)
class TargetAdmin(LookOnly):
    list_display = ("id", "marketplace", "kind", "criteria", "active", "checked_at", "last_error", "quarantined_at")
    list_filter = (IsQuarantined, "kind", "marketplace")
    search_fields = ("=id", "=key", "criteria")
    inlines = (Links,)
    ordering = ("-id",)
    actions = ("release",)

    @admin.action(description=_("Release from quarantine"), permissions=["operate"])
    def release(self, request: HttpRequest, queryset: QuerySet[Target]) -> None:
        quarantined = queryset.filter(quarantined_at__isnull=False)
        count = _each(quarantined, lambda target: services.release_target(target=target, now=timezone.now()))
        _told(self, request, "%(n)d target runs again.", "%(n)d targets run again.", count)

    def has_operate_permission(self, request: HttpRequest) -> bool:
        """Acting needs more than looking."""
        return request.user.has_perm("watches.change_target")


@admin.register(WatchTarget)
class WatchTargetAdmin(LookOnly):
    list_display = ("id", "watch", "target", "baselined_at")
    list_select_related = ("watch", "target")
    search_fields = ("=watch__id", "=target__id")
    ordering = ("-id",)


@admin.register(Check)
class CheckAdmin(LookOnly):
    list_display = ("id", "target", "started_at", "outcome", "error", "lateness_ms", "duration_ms")
    list_select_related = ("target",)
    list_filter = ("outcome", "gap")
    search_fields = ("=trace", "=target__id")
    ordering = ("-id",)


@admin.register(Listing)
class ListingAdmin(LookOnly):
    list_display = ("id", "external_id", "title", "price", "status", "first_seen_at", "seen_at")
    list_filter = ("status", "kind", "condition")
    search_fields = ("=external_id", "=id")
    ordering = ("-id",)


@admin.register(PricePoint)
class PricePointAdmin(LookOnly):
    list_display = ("id", "listing", "price", "at")
    list_select_related = ("listing",)
    search_fields = ("=listing__external_id", "=listing__id")
    ordering = ("-id",)


@admin.register(ListingEvent)
class ListingEventAdmin(LookOnly):
    list_display = ("id", "listing", "kind", "at", "before", "after", "trace")
    list_select_related = ("listing",)
    list_filter = ("kind",)
    search_fields = ("=listing__external_id", "=trace")
    ordering = ("-id",)


@admin.register(Match)
class MatchAdmin(LookOnly):
    list_display = ("id", "watch", "listing", "cause", "state", "price", "matched_at")
    list_select_related = ("watch", "listing")
    list_filter = ("state", "cause", "silent")
    search_fields = ("=public_id", "=trace", "=listing__external_id", "user__username")
    ordering = ("-id",)


@admin.register(Crossing)
class CrossingAdmin(LookOnly):
    list_display = ("id", "match", "kind", "before", "price", "at")
    list_select_related = ("match",)
    list_filter = ("kind",)
    search_fields = ("=match__id", "=match__watch__id", "=trace")
    ordering = ("-id",)


@admin.register(WatchVersion)
class WatchVersionAdmin(LookOnly):
    list_display = ("id", "watch", "number", "at", "by")
    list_select_related = ("watch", "by")
    search_fields = ("=watch__id", "watch__user__username")
    ordering = ("-id",)


@admin.register(Tag)
class TagAdmin(LookOnly):
    list_display = ("id", "name", "user")
    list_select_related = ("user",)
    search_fields = ("name", "user__username")
    ordering = ("-id",)


@admin.register(Block)
class BlockAdmin(LookOnly):
    list_display = ("id", "user", "kind", "marketplace", "value", "created_at")
    list_select_related = ("user",)
    list_filter = ("kind",)
    search_fields = ("value", "user__username")
    ordering = ("-id",)


@admin.register(Note)
class NoteAdmin(LookOnly):
    """Whose notes there are; what they say is private."""

    list_display = ("id", "user", "listing", "updated_at")
    list_select_related = ("user", "listing")
    search_fields = ("=listing__id", "user__username")
    ordering = ("-id",)

    def get_fields(self, request: HttpRequest, obj: Any = None) -> Any:  # noqa: ARG002
        return ["user", "listing", "updated_at"]


@admin.register(Doubt)
class DoubtAdmin(LookOnly):
    list_display = ("id", "watch", "listing", "open_rules", "outcome", "raised_at", "asked_at", "decided_at")
    list_select_related = ("watch", "listing")
    list_filter = ("outcome",)
    search_fields = ("=watch__id", "=listing__external_id", "=listing__id")
    ordering = ("-id",)

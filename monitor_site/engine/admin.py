"""What the engine remembers, to look at."""

from django.contrib import admin

from monitor_site.accounts.models import AuditEntry
from monitor_site.marketplaces.models import MarketplacePause
from monitor_site.outbox.admin import LookOnly

from .models import CheckDay, Incident, PriceDay


@admin.register(Incident)
class IncidentAdmin(LookOnly):
    list_display = ("id", "kind", "subject", "detail", "opened_at", "closed_at", "watches", "worst_ms")
    list_filter = ("kind",)
    search_fields = ("subject", "detail")
    ordering = ("-id",)


@admin.register(CheckDay)
class CheckDayAdmin(LookOnly):
    list_display = (
        "day", "marketplace", "kind", "checks", "failed", "missed_beats", "took_ms", "late_ms", "worst_late_ms",
    )  # fmt: skip
    list_filter = ("marketplace", "kind")
    ordering = ("-day", "marketplace", "kind")


@admin.register(PriceDay)
class PriceDayAdmin(LookOnly):
    list_display = ("day", "marketplace", "points", "listings")
    list_filter = ("marketplace",)
    ordering = ("-day", "marketplace")


@admin.register(MarketplacePause)
class MarketplacePauseAdmin(LookOnly):
    list_display = ("marketplace", "by", "reason", "since")
    ordering = ("marketplace",)


@admin.register(AuditEntry)
class AuditEntryAdmin(LookOnly):
    list_display = ("at", "user", "actor", "name", "act", "subject", "reason")
    list_filter = ("kind", "actor")
    list_select_related = ("user",)
    search_fields = ("name", "subject", "reason")
    ordering = ("-id",)

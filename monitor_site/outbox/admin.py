"""Outbox rows in the admin: to look at, and to open again what must follow once more."""

from typing import Any

from django.contrib import admin, messages
from django.core.paginator import Paginator
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import cached_property
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from . import services
from .models import OutboxRow

COUNTED_ROWS = 10_000


class ShortCount(Paginator):  # type: ignore[type-arg]  # generic for the type checker only
    """Counts no further than it must: a table of millions costs no more than its first pages."""

    @cached_property
    def count(self) -> int:
        """At most ``COUNTED_ROWS``; what lies behind is found by search and filters."""
        rows: QuerySet[Any] = self.object_list  # type: ignore[assignment]  # in the admin it is one
        return rows.order_by()[:COUNTED_ROWS].count()


class LookOnly(admin.ModelAdmin):  # type: ignore[type-arg]  # generic for the type checker only
    """Rows that only the machine writes: staff read them, nobody adds, changes or deletes one."""

    paginator = ShortCount
    show_full_result_count = False
    list_per_page = 50

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> list[str]:  # noqa: ARG002
        """Every field: a page then needs no form, whatever a column holds."""
        return [field.name for field in self.opts.fields]

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:  # noqa: ARG002
        return False


class IsDone(admin.SimpleListFilter):
    title = _("state")
    parameter_name = "done"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:  # noqa: ARG002
        return [("no", _("open")), ("yes", _("done"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[OutboxRow]) -> QuerySet[OutboxRow]:  # noqa: ARG002
        wanted = {"no": True, "yes": False}.get(self.value() or "")
        return queryset if wanted is None else queryset.filter(done_at__isnull=wanted)


@admin.register(OutboxRow)
class OutboxRowAdmin(LookOnly):
    list_display = ("id", "topic", "object_id", "epoch", "created_at", "handed_out_at", "done_at")
    list_filter = (IsDone, "topic")
    search_fields = ("=object_id",)
    ordering = ("-id",)
    actions = ("open_again",)

    @admin.action(description=_("Open again and hand out"), permissions=["operate"])
    def open_again(self, request: HttpRequest, queryset: QuerySet[OutboxRow]) -> None:
        """What followed once follows once more; jobs bear repeating."""
        rows = list(queryset.values_list("topic", "object_id"))
        with transaction.atomic():
            for topic in {topic for topic, _id in rows}:
                ids = [pk for name, pk in rows if name == topic]
                services.write(topic=topic, object_ids=ids, now=timezone.now())
        sentence = ngettext("%(n)d row is open again.", "%(n)d rows are open again.", len(rows))
        self.message_user(request, sentence % {"n": len(rows)}, messages.SUCCESS)

    def has_operate_permission(self, request: HttpRequest) -> bool:
        """Acting needs more than looking."""
        return request.user.has_perm("outbox.change_outboxrow")

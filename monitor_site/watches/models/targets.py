"""The questions that watches ask."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from ..plan import Because
from .listings import Listing
from .watches import Watch


class TargetKind(models.TextChoices):
    """What a target asks: what a search finds, how one listing is, or what was sold of what a search asks for."""

    SEARCH = "search", _("search")
    LISTING = "listing", _("listing")
    SOLD = "sold", _("sold")


# What comes first where not everything can, of 100, unless somebody says otherwise.
IMPORTANCE = {TargetKind.SEARCH: 50, TargetKind.LISTING: 20, TargetKind.SOLD: 10}


class TargetQuerySet(models.QuerySet["Target"]):
    """Questions of watches, looks at listings and questions for sales stand in one table; figures speak of one kind."""

    def searches(self) -> "TargetQuerySet":
        """The questions that watches ask."""
        return self.filter(kind=TargetKind.SEARCH)

    def looks(self) -> "TargetQuerySet":
        """The listings that are looked at."""
        return self.filter(kind=TargetKind.LISTING)

    def sales(self) -> "TargetQuerySet":
        """The questions for what was sold."""
        return self.filter(kind=TargetKind.SOLD)


class Target(models.Model):
    """One canonical question to one marketplace, asked once for all watches that want the answer.

    A ``search`` beats on the grid of its interval. A ``listing`` asks about ``listing``; ``criteria`` is its external
    id. Until its first good answer nobody may know whether there is such a listing. A ``sold`` asks what was sold of
    what ``search`` asks for. The ``due_at`` of these two is the exact time of the next time, their interval only how
    far ahead that was. A search with ``times`` has one, too.

    ``interval_seconds`` of a search is what its watches wish, ``planned_seconds`` how often it is asked in fact,
    ``None`` for as often as it wishes, and ``planned_because`` why. ``times`` are its triggers where an interval alone
    does not say it, see :mod:`..times`; between ``wanted_fastest`` and ``wanted_slowest``, where set, the interval may
    follow what it brings. ``importance``, of 100, is ``None`` for the usual one of its kind.

    ``spent`` are the last five checks, as milliseconds and pages; ``gave_at`` is when something new came last,
    ``gives_every`` how many seconds lie between such moments, both only where the interval may follow it.

    ``fence`` is the fence of the last result that counted. ``recent`` is the last good answer, external id → digest:
    what equals it needs no look into the database. ``usual`` is what the gateway remembers of the question: plain JSON,
    its own affair. ``empty_streak`` counts in a row suspicious empty pages, of a listing answers that it is gone;
    ``strange_streak`` answers about other things than it asks, ``failures`` failed checks in a row.
    """

    marketplace = models.CharField(max_length=40)
    kind = models.CharField(max_length=8, choices=TargetKind.choices, default=TargetKind.SEARCH)
    key = models.CharField(max_length=64, unique=True)
    criteria = models.TextField()
    listing = models.OneToOneField(Listing, on_delete=models.CASCADE, null=True, blank=True, related_name="look")
    search = models.OneToOneField("self", on_delete=models.CASCADE, null=True, blank=True, related_name="sold")
    active = models.BooleanField(default=True)
    interval_seconds = models.PositiveIntegerField()
    times = models.JSONField(default=list, blank=True)
    wanted_fastest = models.PositiveIntegerField(null=True, blank=True)
    wanted_slowest = models.PositiveIntegerField(null=True, blank=True)
    planned_seconds = models.PositiveIntegerField(null=True, blank=True)
    planned_because = models.CharField(max_length=8, blank=True, default="")
    importance = models.PositiveSmallIntegerField(null=True, blank=True)
    spent = models.JSONField(default=list, blank=True)
    gave_at = models.DateTimeField(null=True, blank=True)
    gives_every = models.PositiveIntegerField(null=True, blank=True)
    due_at = models.DateTimeField(null=True, blank=True)
    fence = models.BigIntegerField(default=0)
    recent = models.JSONField(default=dict)
    usual = models.JSONField(default=dict)
    empty_streak = models.PositiveIntegerField(default=0)
    # What an earlier release writes knows nothing of it.
    strange_streak = models.PositiveIntegerField(default=0, db_default=0)
    failures = models.PositiveIntegerField(default=0)
    last_error = models.CharField(max_length=32, blank=True)
    checked_at = models.DateTimeField(null=True, blank=True)
    succeeded_at = models.DateTimeField(null=True, blank=True)
    quarantined_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()

    objects = TargetQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(interval_seconds__gte=1), name="target_interval_positive"),
            models.CheckConstraint(condition=Q(kind__in=TargetKind.values), name="target_kind_known"),
            models.CheckConstraint(
                condition=Q(planned_seconds=None) | Q(planned_seconds__gte=1), name="target_planned_positive"
            ),
            models.CheckConstraint(
                condition=Q(importance=None) | Q(importance__lte=100), name="target_importance_bounded"
            ),
            models.CheckConstraint(
                condition=Q(planned_because__in=[why.value for why in Because]), name="target_planned_because_known"
            ),
            models.CheckConstraint(
                condition=Q(kind=TargetKind.SEARCH, listing=None, search=None)
                | Q(kind=TargetKind.LISTING, search=None)
                | Q(kind=TargetKind.SOLD, listing=None, search__isnull=False),
                name="target_is_of_its_kind",
            ),
            models.CheckConstraint(
                condition=Q(kind=TargetKind.SEARCH) | Q(active=False) | Q(due_at__isnull=False),
                name="target_off_the_grid_has_a_time",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["marketplace", "active"], name="target_by_marketplace")]

    def __str__(self) -> str:
        return f"{self.marketplace} {self.criteria}"

    @property
    def is_look(self) -> bool:
        """It asks about one listing."""
        return self.kind == TargetKind.LISTING

    @property
    def every_seconds(self) -> int:
        """How often it is asked in fact."""
        return self.planned_seconds or self.interval_seconds

    @property
    def ranks(self) -> int:
        """Its importance, or the usual one of its kind."""
        return IMPORTANCE[TargetKind(self.kind)] if self.importance is None else self.importance

    @property
    def is_search(self) -> bool:
        """A watch asks it; it beats on a grid. All others have a time of their own and give way to it."""
        return self.kind == TargetKind.SEARCH


class WatchTarget(models.Model):
    """A watch asks a target.

    Until ``baselined_at`` is set, what was listed before ``began_at`` is the baseline. It is silent when ``quiet``.
    ``memory`` is what the triggers of a listing watch remember of the last look, see :mod:`..triggers`.
    """

    watch = models.ForeignKey(Watch, on_delete=models.CASCADE, related_name="links")
    target = models.ForeignKey(Target, on_delete=models.CASCADE, related_name="links")
    began_at = models.DateTimeField()
    quiet = models.BooleanField(default=True)
    baselined_at = models.DateTimeField(null=True, blank=True)
    memory = models.JSONField(default=dict, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["watch", "target"], name="watch_asks_a_target_once"),
        ]

    def __str__(self) -> str:
        return f"{self.watch_id} asks {self.target_id}"

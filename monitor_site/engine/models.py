"""What the engine remembers of itself beyond a loss of Redis: days in sums, and what went wrong from when to when."""

from typing import ClassVar

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _


class IncidentKind(models.TextChoices):
    """What went wrong."""

    BREAKER = "breaker", _("not asked")
    PROMOTER = "promoter", _("no promoter")
    LANE = "lane", _("no worker")
    LOAD = "load", _("busy machine")
    LATE = "late", _("late")


class Incident(models.Model):
    """Something was wrong with ``subject`` (a marketplace, a lane, a machine) from a moment until another.

    ``detail`` is a code: why a breaker opened, the level of a load. ``watches`` were touched when it began,
    ``worst_ms`` is the greatest lateness seen meanwhile; both are ``None`` where nobody knows.
    """

    kind = models.CharField(max_length=8, choices=IncidentKind.choices)
    subject = models.CharField(max_length=64, blank=True)
    detail = models.CharField(max_length=32, blank=True)
    opened_at = models.DateTimeField()
    closed_at = models.DateTimeField(null=True, blank=True)
    watches = models.PositiveIntegerField(null=True, blank=True)
    worst_ms = models.PositiveBigIntegerField(null=True, blank=True)

    class Meta:
        verbose_name = _("incident")
        verbose_name_plural = _("incidents")
        permissions: ClassVar = [("operate", "Can act on the operations page")]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(kind__in=IncidentKind.values), name="incident_kind_known"),
            models.CheckConstraint(
                condition=Q(closed_at=None) | Q(closed_at__gte=F("opened_at")), name="incident_ends_after_it_began"
            ),
            models.UniqueConstraint(fields=["kind", "subject"], condition=Q(closed_at=None), name="incident_open_once"),
        ]
        indexes: ClassVar = [models.Index(fields=["-opened_at"], name="incident_by_time")]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}"


class CheckDay(models.Model):
    """The checks of a day in Tokyo at one marketplace, of one kind, in sums that outlive the checks themselves."""

    day = models.DateField()
    marketplace = models.CharField(max_length=40)
    kind = models.CharField(max_length=8)
    checks = models.PositiveBigIntegerField()
    failed = models.PositiveBigIntegerField()
    missed_beats = models.PositiveBigIntegerField()
    took_ms = models.PositiveBigIntegerField()
    late_ms = models.BigIntegerField()
    worst_late_ms = models.IntegerField()

    class Meta:
        verbose_name = _("day of checks")
        verbose_name_plural = _("days of checks")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["day", "marketplace", "kind"], name="check_day_once"),
            models.CheckConstraint(condition=Q(failed__lte=F("checks")), name="check_day_fails_no_more_than_it_ran"),
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.marketplace} {self.kind}"


class PriceDay(models.Model):
    """How many prices became known on a day in Tokyo at one marketplace, and of how many listings."""

    day = models.DateField()
    marketplace = models.CharField(max_length=40)
    points = models.PositiveBigIntegerField()
    listings = models.PositiveBigIntegerField()

    class Meta:
        verbose_name = _("day of prices")
        verbose_name_plural = _("days of prices")
        constraints: ClassVar = [models.UniqueConstraint(fields=["day", "marketplace"], name="price_day_once")]

    def __str__(self) -> str:
        return f"{self.day} {self.marketplace}"

"""Runs of targets."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from .targets import Target


class Outcome(models.TextChoices):
    """How a check ended."""

    OK = "ok", _("found")
    EMPTY = "empty", _("nothing found")
    FAILED = "failed", _("failed")


class Check(models.Model):
    """One run of one target. ``lateness_ms`` is start less due time; ``error`` is the code of the error.

    ``worded`` of its first thirty rows have a word of the question in their title, ``None`` where nobody has counted.
    """

    target = models.ForeignKey(Target, on_delete=models.CASCADE, related_name="checks")
    trace = models.CharField(max_length=32, db_index=True)
    worker = models.CharField(max_length=64)
    outcome = models.CharField(max_length=8, choices=Outcome.choices)
    error = models.CharField(max_length=32, blank=True)
    due_at = models.DateTimeField()
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField()
    lateness_ms = models.IntegerField()
    duration_ms = models.PositiveIntegerField()
    missed_beats = models.PositiveIntegerField(default=0)
    fetched = models.PositiveIntegerField(default=0)
    new = models.PositiveIntegerField(default=0)
    matched = models.PositiveIntegerField(default=0)
    worded = models.PositiveSmallIntegerField(null=True, blank=True)
    bad_rows = models.PositiveIntegerField(default=0)
    pages = models.PositiveSmallIntegerField(default=0)
    bytes = models.PositiveIntegerField(default=0)
    gap = models.BooleanField(default=False)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(outcome__in=Outcome.values), name="check_outcome_known"),
            models.CheckConstraint(
                condition=Q(outcome=Outcome.FAILED, error__gt="") | Q(~Q(outcome=Outcome.FAILED), error=""),
                name="check_fails_with_an_error",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["target", "-id"], name="check_by_target"),
            models.Index(fields=["target", "-started_at"], name="check_by_target_and_start"),
            models.Index(fields=["target", "-id"], condition=Q(outcome="failed"), name="check_failed"),
            models.Index(fields=["started_at"], name="check_by_start"),
        ]

    def __str__(self) -> str:
        return f"{self.trace} {self.outcome}"

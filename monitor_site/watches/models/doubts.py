"""Listings of which a watch cannot tell yet whether they fit."""

from typing import Any, ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from .listings import Listing
from .matches import Cause
from .watches import Watch


class DoubtOutcome(models.TextChoices):
    """How a doubt ended; ``unclear``: the look did not tell it either."""

    OPEN = "open", _("open")
    MATCHED = "matched", _("it fits")
    REJECTED = "rejected", _("it does not fit")
    UNCLEAR = "unclear", _("still unclear")
    GONE = "gone", _("listing gone")


class DoubtQuerySet(models.QuerySet["Doubt"]):
    """Open doubts either wait to be asked, or have been asked and wait for the answer."""

    def of(self, user: Any) -> "DoubtQuerySet":
        """Only those of the watches of ``user``."""
        return self.filter(watch__user=user)

    def still_open(self) -> "DoubtQuerySet":
        """Not decided yet."""
        return self.filter(outcome=DoubtOutcome.OPEN)

    def asked(self) -> "DoubtQuerySet":
        """Not decided yet, and a look is on its way."""
        return self.still_open().filter(asked_at__isnull=False)

    def waiting(self) -> "DoubtQuerySet":
        """Not decided yet, and nobody looks yet."""
        return self.still_open().filter(asked_at=None)


class Doubt(models.Model):
    """A search did not tell enough of a listing; one look decides for the watch.

    ``open_rules`` are the names of the rules that cannot tell. ``cause`` is what a match of it will be told with.
    It waits until ``due_at``, is asked at ``asked_at`` and decided at ``decided_at``. A listing that changes in its
    search may be doubted again, in the same row.
    """

    watch = models.ForeignKey(Watch, on_delete=models.CASCADE, related_name="doubts")
    listing = models.ForeignKey(Listing, on_delete=models.CASCADE, related_name="doubts")
    open_rules = models.JSONField(default=list)
    cause = models.CharField(max_length=12, choices=Cause.choices)
    outcome = models.CharField(max_length=8, choices=DoubtOutcome.choices, default=DoubtOutcome.OPEN)
    raised_at = models.DateTimeField()
    due_at = models.DateTimeField()
    asked_at = models.DateTimeField(null=True, blank=True)
    decided_at = models.DateTimeField(null=True, blank=True)

    objects = DoubtQuerySet.as_manager()

    class Meta:
        verbose_name = _("doubt")
        verbose_name_plural = _("doubts")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["watch", "listing"], name="doubt_once_per_watch_and_listing"),
            models.CheckConstraint(condition=Q(cause__in=Cause.values), name="doubt_cause_known"),
            models.CheckConstraint(condition=Q(outcome__in=DoubtOutcome.values), name="doubt_outcome_known"),
            models.CheckConstraint(
                condition=Q(outcome=DoubtOutcome.OPEN, decided_at=None)
                | (~Q(outcome=DoubtOutcome.OPEN) & Q(decided_at__isnull=False)),
                name="doubt_is_open_or_decided",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["watch", "due_at"], condition=Q(outcome="open", asked_at=None), name="doubt_waiting"),
            models.Index(fields=["listing"], condition=Q(outcome="open"), name="doubt_open_by_listing"),
            models.Index(fields=["raised_at"], name="doubt_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.watch_id} ? {self.listing_id}"

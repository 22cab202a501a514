"""Requests to have a purchase cancelled at its marketplace, each with an outcome of its own."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from .orders import MOST_EPOCHS, Order


class CancelOutcome(models.TextChoices):
    """What is known of such a request. None of them says anything of money."""

    ASKED = "asked", _("asked for")
    OPEN = "open", _("under way")
    NOT_SENT = "not_sent", _("not sent")
    REFUSED = "refused", _("refused")
    DONE = "done", _("taken by the marketplace")
    UNKNOWN = "unknown", _("unknown")
    NOT_DONE = "not_done", _("without effect")


class Cancellation(models.Model):
    """A person wants a purchase cancelled: one request, written down before its first byte.

    From ``committing_at`` on it may have reached the marketplace; before that it provably has not. ``looks`` are the
    stages in which the purchase was seen while nobody knew, each with its moment. Whatever its outcome, the order stays
    bought until the marketplace shows the purchase as cancelled.
    """

    order = models.ForeignKey(Order, on_delete=models.PROTECT, related_name="cancellations")
    epoch = models.PositiveSmallIntegerField()
    actor = models.CharField(max_length=40)
    outcome = models.CharField(max_length=10, choices=CancelOutcome.choices, default=CancelOutcome.ASKED)
    reason = models.CharField(max_length=40, blank=True)
    evidence = models.JSONField(default=dict)
    looks = models.JSONField(default=list)
    asked_at = models.DateTimeField()
    begun_at = models.DateTimeField(null=True, blank=True)
    send_deadline = models.DateTimeField(null=True, blank=True)
    committing_at = models.DateTimeField(null=True, blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("cancellation")
        verbose_name_plural = _("cancellations")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["order", "epoch"], name="cancellation_once_per_epoch"),
            models.UniqueConstraint(
                fields=["order"], condition=~Q(outcome="not_sent"), name="cancellation_one_that_may_count"
            ),
            models.CheckConstraint(condition=Q(outcome__in=CancelOutcome.values), name="cancellation_outcome_known"),
            models.CheckConstraint(condition=Q(epoch__lte=MOST_EPOCHS), name="cancellation_epochs_bounded"),
        ]
        indexes: ClassVar = [models.Index(fields=["outcome", "asked_at"], name="cancellation_to_do")]

    def __str__(self) -> str:
        return f"{self.order_id} {self.epoch} {self.outcome}"

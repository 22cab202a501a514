"""Deliveries: one message to one channel, from the first try to the last word."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from monitor_site.watches.models import new_public_id

from .channels import Channel


class DeliveryState(models.TextChoices):
    """What became of a message."""

    WAITING = "waiting", _("waiting")
    SENT = "sent", _("delivered")
    DEAD = "dead", _("not delivered")


class Delivery(models.Model):
    """One message to one channel. ``public_id`` is what every repetition carries.

    ``due_at`` is when it is tried next, ``tried_at`` when it was tried last. ``seconds`` is how long the last answer
    took, ``outcome``, ``status`` and ``words`` what it said. What is ``dead`` waits for a person to send it again.
    """

    channel = models.ForeignKey(Channel, on_delete=models.CASCADE, related_name="deliveries")
    public_id = models.CharField(max_length=24, unique=True, default=new_public_id)
    state = models.CharField(max_length=8, choices=DeliveryState.choices, default=DeliveryState.WAITING)
    attempts = models.PositiveIntegerField(default=0)
    due_at = models.DateTimeField()
    tried_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=12, blank=True)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    words = models.CharField(max_length=300, blank=True)
    seconds = models.FloatField(null=True, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        verbose_name = _("delivery")
        verbose_name_plural = _("deliveries")
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(state__in=DeliveryState.values), name="delivery_state_known"),
            models.CheckConstraint(
                condition=Q(state=DeliveryState.WAITING, ended_at=None)
                | ~Q(state=DeliveryState.WAITING) & Q(ended_at__isnull=False),
                name="delivery_ends_once",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["channel", "due_at"], condition=Q(state="waiting"), name="delivery_waiting"),
            models.Index(fields=["channel", "-created_at"], name="delivery_by_channel"),
            models.Index(fields=["created_at"], name="delivery_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.public_id} {self.state}"

"""Alerts: what a person is to be told of, and through which channels."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from monitor_site.watches.models import Listing, Watch

from .channels import Channel, Importance
from .deliveries import Delivery


class AlertKind(models.TextChoices):
    """What an alert is about."""

    MATCH = "match", _("new matches")
    PRICE_DROP = "price_drop", _("price drops")
    PRICE_RISE = "price_rise", _("price rises")
    BACK = "back", _("back on sale")
    SOLD = "sold", _("sold or gone")
    CROSSING = "crossing", _("price watches")
    ORDER = "order", _("orders and proposals")
    TROUBLE = "trouble", _("trouble with marketplaces and channels")
    TEST = "test", _("tests")


class WatchAlerts(models.Model):
    """How matches of a watch are told of: how important they are and where; without channels, on the default ones."""

    watch = models.OneToOneField(Watch, on_delete=models.CASCADE, related_name="alerts")
    importance = models.SmallIntegerField(_("importance"), choices=Importance.choices, default=Importance.NORMAL)
    channels: "models.ManyToManyField[Channel, Any]" = models.ManyToManyField(
        Channel, blank=True, related_name="watch_alerts", verbose_name=_("channels")
    )

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(importance__in=Importance.values), name="watch_alerts_importance_known"),
        ]

    def __str__(self) -> str:
        return f"{self.watch_id} {self.importance}"


class Alert(models.Model):
    """Something a person is to be told of, once: ``key`` names the fact, whatever finds it and however often.

    ``match_ids`` are the matches it concerns, one for each watch that hit. ``facts`` are the figures of the moment, in
    minor units of the listing's currency, or the words of a trouble.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="alerts")
    kind = models.CharField(max_length=12, choices=AlertKind.choices)
    key = models.CharField(max_length=80)
    listing = models.ForeignKey(Listing, on_delete=models.CASCADE, null=True, blank=True, related_name="alerts")
    match_ids = models.JSONField(default=list)
    facts = models.JSONField(default=dict)
    importance = models.SmallIntegerField(choices=Importance.choices, default=Importance.NORMAL)
    trace = models.CharField(max_length=32, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "key"], name="alert_once_per_fact"),
            models.CheckConstraint(condition=Q(kind__in=AlertKind.values), name="alert_kind_known"),
            models.CheckConstraint(condition=Q(importance__in=Importance.values), name="alert_importance_known"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["user", "listing"], name="alert_by_listing"),
            models.Index(fields=["created_at"], name="alert_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} {self.key}"


class Held(models.TextChoices):
    """Why a notice waits."""

    MUTED = "muted", _("the channel is muted")
    QUIET = "quiet", _("quiet hours")
    DIGEST = "digest", _("the next digest")
    COOL_DOWN = "cool_down", _("the cool-down of the listing")
    DAY = "day", _("the most messages a day are reached")


class Notice(models.Model):
    """A channel is to tell of an alert, once: from ``due_at`` on, in ``delivery``. ``held`` says why it waits."""

    alert = models.ForeignKey(Alert, on_delete=models.CASCADE, related_name="notices")
    channel = models.ForeignKey(Channel, on_delete=models.CASCADE, related_name="notices")
    delivery = models.ForeignKey(Delivery, on_delete=models.SET_NULL, null=True, blank=True, related_name="notices")
    due_at = models.DateTimeField()
    held = models.CharField(max_length=10, choices=Held.choices, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["alert", "channel"], name="notice_once_per_alert_and_channel"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["channel", "due_at"], condition=Q(delivery=None), name="notice_waiting"),
        ]

    def __str__(self) -> str:
        return f"{self.alert_id} → {self.channel_id}"

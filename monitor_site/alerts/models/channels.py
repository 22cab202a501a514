"""Channels: where a person is told."""

from datetime import datetime
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

MINUTES_A_DAY = 24 * 60
MOST_MINUTES = 7 * MINUTES_A_DAY
MOST_A_DAY = 100_000
FAILING_AFTER = 5


class Importance(models.IntegerChoices):
    """How much a person cares; a channel tells only of what reaches its threshold."""

    LOW = 0, _("low")
    NORMAL = 1, _("normal")
    HIGH = 2, _("high")


class ChannelQuerySet(models.QuerySet["Channel"]):
    """Channels are always asked for through their user."""

    def of(self, user: Any) -> "ChannelQuerySet":
        """Only the channels of ``user``."""
        return self.filter(user=user)

    def usable(self) -> "ChannelQuerySet":
        """Those that are not given up."""
        return self.filter(disabled_at=None)


class Channel(models.Model):
    """Where a user is told: its kind, what the kind needs, what it tells of and when, and how it fares.

    ``values`` holds what anybody may see, ``sealed`` the secrets as the vault wrote them. ``tells`` are the kinds of
    alerts. The hours from ``quiet_from`` to ``quiet_until`` (minutes of the user's day, either order) hold what comes.
    With ``digest_minutes`` messages come together so often. What is told of a listing again within
    ``cool_down_minutes`` waits until then. ``per_day`` caps the messages of a day. ``backup`` is told when this one
    fails.

    ``failures`` counts in a row since ``failing_since``; what the last try said is in ``last_status`` and
    ``last_words``. Nothing is sent before ``rests_until``; ``spared`` are the sends left at ``spared_at``. One worker
    at a time has a channel, until ``busy_until``, and knows it by its ``fence``.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="channels")
    kind = models.CharField(_("kind"), max_length=16)
    name = models.CharField(_("name"), max_length=80)
    language = models.CharField(_("language"), max_length=10, blank=True, default="")
    values = models.JSONField(default=dict, blank=True)
    sealed = models.TextField(blank=True, editable=False)
    is_default = models.BooleanField(_("used by all watches that name no channel"), default=True)
    tells = models.JSONField(_("tells of"), default=list, blank=True)
    least = models.SmallIntegerField(_("least importance"), choices=Importance.choices, default=Importance.LOW)
    quiet_from = models.PositiveSmallIntegerField(_("quiet from"), null=True, blank=True)
    quiet_until = models.PositiveSmallIntegerField(_("quiet until"), null=True, blank=True)
    digest_minutes = models.PositiveIntegerField(_("together every (minutes)"), null=True, blank=True)
    cool_down_minutes = models.PositiveIntegerField(_("cool-down (minutes)"), default=15)
    per_day = models.PositiveIntegerField(_("most messages a day"), null=True, blank=True)
    weekly_test = models.BooleanField(_("test every week"), default=True)
    backup = models.ForeignKey("self", on_delete=models.SET_NULL, null=True, blank=True, related_name="backs_up")
    muted_until = models.DateTimeField(null=True, blank=True)
    disabled_at = models.DateTimeField(null=True, blank=True)
    failures = models.PositiveIntegerField(default=0)
    failing_since = models.DateTimeField(null=True, blank=True)
    delivered_at = models.DateTimeField(null=True, blank=True)
    failed_at = models.DateTimeField(null=True, blank=True)
    last_outcome = models.CharField(max_length=12, blank=True)
    last_status = models.PositiveSmallIntegerField(null=True, blank=True)
    last_words = models.CharField(max_length=300, blank=True)
    rests_until = models.DateTimeField(null=True, blank=True)
    spared = models.FloatField(default=0)
    spared_at = models.DateTimeField(null=True, blank=True)
    busy_until = models.DateTimeField(null=True, blank=True)
    fence = models.BigIntegerField(default=0)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    objects = ChannelQuerySet.as_manager()

    class Meta:
        verbose_name = _("channel")
        verbose_name_plural = _("channels")
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(least__in=Importance.values), name="channel_least_known"),
            models.CheckConstraint(
                condition=Q(quiet_from=None, quiet_until=None)
                | Q(quiet_from__lt=MINUTES_A_DAY, quiet_until__lt=MINUTES_A_DAY)
                & ~Q(quiet_from=models.F("quiet_until")),
                name="channel_quiet_hours_whole",
            ),
            models.CheckConstraint(
                condition=Q(digest_minutes=None) | Q(digest_minutes__gte=1, digest_minutes__lte=MOST_MINUTES),
                name="channel_digest_bounded",
            ),
            models.CheckConstraint(condition=Q(cool_down_minutes__lte=MOST_MINUTES), name="channel_cool_down_bounded"),
            models.CheckConstraint(
                condition=Q(per_day=None) | Q(per_day__gte=1, per_day__lte=MOST_A_DAY), name="channel_cap_bounded"
            ),
            models.CheckConstraint(condition=~Q(backup=F("id")), name="channel_backs_up_another"),
            models.CheckConstraint(
                condition=Q(failures=0, failing_since=None) | Q(failures__gt=0, failing_since__isnull=False),
                name="channel_fails_since_a_moment",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["user", "id"], name="channel_by_user")]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"

    @property
    def identity(self) -> str:
        """What its secrets are bound to: they open in no other row, and in this one for nobody else."""
        return f"channel/{self.pk}/{self.kind}/{self.user_id}"

    @property
    def is_failing(self) -> bool:
        """It was given up, or it failed so often in a row that nobody should rely on it."""
        return self.disabled_at is not None or self.failures >= FAILING_AFTER

    def is_muted(self, *, now: datetime) -> bool:
        """What comes waits."""
        return self.muted_until is not None and self.muted_until > now

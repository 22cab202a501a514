"""People who use an installation."""

from typing import ClassVar

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.translation import gettext_lazy as _

MOST_WEIGHT = 100


class Theme(models.TextChoices):
    """Appearance of the pages."""

    SYSTEM = "system", _("As the device")
    LIGHT = "light", _("Light")
    DARK = "dark", _("Dark")


class User(AbstractUser):
    """A person. Sign-up is closed: staff create users in the admin."""

    language = models.CharField(_("language"), max_length=10, blank=True, help_text=_("Empty: as the browser asks."))
    time_zone = models.CharField(_("time zone"), max_length=64, default="Asia/Tokyo")
    theme = models.CharField(_("appearance"), max_length=8, choices=Theme.choices, default=Theme.SYSTEM)

    watch_limit = models.PositiveIntegerField(
        _("most watches"), null=True, blank=True, help_text=_("Empty: as for everybody.")
    )
    question_limit = models.PositiveIntegerField(
        _("most questions"), null=True, blank=True, help_text=_("Empty: as for everybody.")
    )

    weight = models.PositiveSmallIntegerField(
        _("weight"),
        default=1,
        # What an earlier release writes knows no weight.
        db_default=1,
        help_text=_(
            "A person of weight 2 gets twice the share of one of weight 1 where marketplaces are short of pace."
        ),
    )

    class Meta:
        verbose_name = _("user")
        verbose_name_plural = _("users")
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(theme__in=Theme.values), name="user_theme_known"),
            models.CheckConstraint(
                condition=models.Q(weight__gte=1, weight__lte=MOST_WEIGHT), name="user_weight_bounded"
            ),
        ]


class AuditEntry(models.Model):
    """Somebody did something to the whole installation: who, what, to what, and why. Rows are only added."""

    at = models.DateTimeField(_("when"))
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="audit", verbose_name=_("user")
    )
    name = models.CharField(_("name"), max_length=150)
    act = models.CharField(_("act"), max_length=32)
    subject = models.CharField(_("subject"), max_length=120, blank=True)
    reason = models.CharField(_("reason"), max_length=200)
    outcome = models.CharField(_("outcome"), max_length=80, blank=True)

    class Meta:
        verbose_name = _("entry of the audit log")
        verbose_name_plural = _("audit log")
        constraints: ClassVar = [
            models.CheckConstraint(condition=~models.Q(reason=""), name="audit_entry_has_a_reason"),
        ]
        indexes: ClassVar = [models.Index(fields=["-at"], name="audit_by_time")]

    def __str__(self) -> str:
        return f"{self.act} {self.subject}"

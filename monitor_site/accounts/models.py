"""People who use an installation."""

from typing import ClassVar

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

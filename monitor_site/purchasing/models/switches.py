"""The kill switch."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class Switch(models.Model):
    """Spending of a person, or of everybody without one, is stopped while ``stopped_at`` is set."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="kill_switch"
    )
    stopped_at = models.DateTimeField(null=True, blank=True)
    reason = models.CharField(max_length=80, blank=True)
    changed_at = models.DateTimeField()

    class Meta:
        verbose_name = _("kill switch")
        verbose_name_plural = _("kill switches")
        constraints: ClassVar = [
            models.UniqueConstraint(models.Value(1), condition=Q(user=None), name="switch_one_for_everybody"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id or 'everybody'} {'stopped' if self.stopped_at else 'open'}"

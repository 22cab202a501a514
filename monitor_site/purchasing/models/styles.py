"""How a person approves."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _


class ApprovalStyle(models.Model):
    """``one_press``: a button that moves money moves it at the first press. Above ``proof_above``, in yen, people prove
    again that it is them; empty: never, for one thing alone.
    """

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="approval_style")
    one_press = models.BooleanField(_("one press"), default=False)
    proof_above = models.PositiveBigIntegerField(_("prove it again above"), null=True, blank=True)
    updated_at = models.DateTimeField()

    class Meta:
        verbose_name = _("way to approve")
        verbose_name_plural = _("ways to approve")
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(proof_above=None) | Q(proof_above__gt=0), name="approval_style_proof_positive"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user_id}"

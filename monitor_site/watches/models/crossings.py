"""What a listing watch was to tell of."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from .matches import Match


class CrossingKind(models.TextChoices):
    """Which trigger went from false to true; in this order the first one speaks for those that cross together."""

    FALL = "fall", _("price falls")
    LIMIT = "limit", _("price at the limit")
    LOWEST = "lowest", _("lowest price")
    RISE = "rise", _("price rises")
    BACK = "back", _("back on sale")
    ENDING = "ending", _("ends soon")


class Crossing(models.Model):
    """Triggers of a watch became true at one look; told once.

    ``kind`` is the first of ``kinds``, all that crossed then. ``price`` is what was seen, ``before`` what it is
    measured from; ``None`` where unknown. ``at`` is the start of the look, ``trace`` its check.
    """

    match = models.ForeignKey(Match, on_delete=models.CASCADE, related_name="crossings")
    kind = models.CharField(max_length=8, choices=CrossingKind.choices)
    kinds = models.JSONField(default=list)
    at = models.DateTimeField()
    price = models.PositiveBigIntegerField(null=True, blank=True)
    before = models.PositiveBigIntegerField(null=True, blank=True)
    trace = models.CharField(max_length=32)

    class Meta:
        verbose_name = _("crossing")
        verbose_name_plural = _("crossings")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["match", "at"], name="crossing_once_per_look"),
            models.CheckConstraint(condition=Q(kind__in=CrossingKind.values), name="crossing_kind_known"),
            models.CheckConstraint(
                condition=(Q(price=None) | Q(price__gt=0)) & (Q(before=None) | Q(before__gt=0)),
                name="crossing_price_unknown_is_not_zero",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["match", "-at"], name="crossing_by_match")]

    def __str__(self) -> str:
        return f"{self.match_id} {self.kind}"

"""Of which listings prices are made, and what they come to."""

from typing import ClassVar

from django.db import models
from django.db.models import Q

from .listings import Listing
from .targets import Target
from .watches import Watch


class Sample(models.Model):
    """A question found a listing: statistics of prices look at these and at nothing else.

    ``target`` is the search. ``asking``: the search itself showed it, so its price is one that somebody asked; what
    only a question for sales told has no asked price.
    """

    target = models.ForeignKey(Target, on_delete=models.CASCADE, related_name="samples")
    listing = models.ForeignKey(Listing, on_delete=models.CASCADE, related_name="samples")
    asking = models.BooleanField()
    at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["target", "listing"], name="sample_once_per_target_and_listing"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["target", "-id"], name="sample_by_target"),
            models.Index(fields=["at"], name="sample_by_time"),
        ]

    def __str__(self) -> str:
        return f"{self.target_id} found {self.listing_id}"


class WatchPrices(models.Model):
    """What things like a watch's were sold for lately, worked out ahead for its cards.

    ``sales`` counts the sales; with too few of them all figures are ``None``. Whole units of the watch's currency.
    """

    watch = models.OneToOneField(Watch, on_delete=models.CASCADE, related_name="prices")
    sales = models.PositiveIntegerField()
    p5 = models.PositiveBigIntegerField(null=True)
    p25 = models.PositiveBigIntegerField(null=True)
    median = models.PositiveBigIntegerField(null=True)
    p75 = models.PositiveBigIntegerField(null=True)
    p95 = models.PositiveBigIntegerField(null=True)
    worked_out_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(p5=None, p25=None, median=None, p75=None, p95=None)
                | Q(
                    p5__gt=0,
                    p25__gte=models.F("p5"),
                    median__gte=models.F("p25"),
                    p75__gte=models.F("median"),
                    p95__gte=models.F("p75"),
                ),
                name="watch_prices_are_ordered",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["worked_out_at"], name="watch_prices_by_age")]

    def __str__(self) -> str:
        return f"{self.watch_id} {self.median}"

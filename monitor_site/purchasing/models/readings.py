"""What was seen of an account's purchases: of one order, and of the account as a whole."""

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from monitor_site.marketplaces.models import MarketplaceAccount

from .orders import Order


class ReadingSeen(models.TextChoices):
    """What a reading saw; ``evidence.Seen`` says what follows from it."""

    FOUND = "found", _("found among the purchases")
    ABSENT = "absent", _("not among the purchases, older ones are there")
    UNPROVEN = "unproven", _("not among the purchases, and no older one proves it")
    FAILED = "failed", _("no usable answer")


class Reading(models.Model):
    """The marketplace was asked what became of an order, and this is what it said. Rows are only ever added.

    ``number`` and ``paid`` are the marketplace's for the purchase it showed, ``error`` the code of what failed.
    ``doubtful``: the purchase is from before we sent anything.
    """

    order = models.ForeignKey(Order, on_delete=models.PROTECT, related_name="readings")
    account = models.ForeignKey(MarketplaceAccount, on_delete=models.PROTECT, null=True, related_name="+")
    seen = models.CharField(max_length=10, choices=ReadingSeen.choices)
    number = models.CharField(max_length=80, blank=True)
    stage = models.CharField(max_length=20, blank=True)
    paid = models.PositiveBigIntegerField(null=True, blank=True)
    doubtful = models.BooleanField(default=False)
    error = models.CharField(max_length=40, blank=True)
    at = models.DateTimeField()

    class Meta:
        verbose_name = _("reading")
        verbose_name_plural = _("readings")
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(seen__in=ReadingSeen.values), name="reading_seen_known"),
            models.CheckConstraint(
                condition=Q(seen="found") | Q(number="", stage="", paid=None, doubtful=False),
                name="reading_shows_a_purchase_only_when_found",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["order", "at"], name="reading_by_order")]

    def __str__(self) -> str:
        return f"{self.order_id} {self.seen}"


class Sweep(models.Model):
    """When an account's purchases are compared with our orders; ``swept_at``: when all of them last were.

    ``shows_since``: from when on a purchase that belongs to no order is shown to its person; what is older was there
    before us.
    """

    account = models.OneToOneField(MarketplaceAccount, on_delete=models.CASCADE, related_name="sweep")
    due_at = models.DateTimeField()
    swept_at = models.DateTimeField(null=True, blank=True)
    shows_since = models.DateTimeField()
    error = models.CharField(max_length=40, blank=True)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["due_at"], name="sweep_due")]

    def __str__(self) -> str:
        return f"{self.account_id} {self.due_at:%Y-%m-%d %H:%M}"


class Stray(models.Model):
    """A purchase of an account that belongs to no order: bought by hand, or by somebody else. ``noted_at``: its person
    has seen it, or it is older than our looking.
    """

    account = models.ForeignKey(MarketplaceAccount, on_delete=models.CASCADE, related_name="strays")
    external_id = models.CharField(max_length=64)
    number = models.CharField(max_length=80)
    paid = models.PositiveBigIntegerField(null=True, blank=True)
    currency = models.CharField(max_length=3, blank=True)
    bought_at = models.DateTimeField(null=True, blank=True)
    first_seen_at = models.DateTimeField()
    noted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("purchase that is not ours")
        verbose_name_plural = _("purchases that are not ours")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["account", "number"], name="stray_once"),
        ]

    def __str__(self) -> str:
        return f"{self.account_id} {self.number}"

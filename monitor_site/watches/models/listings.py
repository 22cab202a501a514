"""Listings, their prices and what happened to them."""

from typing import Any, ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from monitor_site.contract import Condition, Kind, Shipping, Status


def _choices(enum: Any) -> list[tuple[str, str]]:
    return [(item.value, item.value) for item in enum]


class Listing(models.Model):
    """A thing on a marketplace over time. ``price`` is ``None`` when unknown, never 0.

    ``listed_at`` and ``edited_at`` are the marketplace's times, ``first_seen_at`` and ``seen_at`` ours (``seen_at``
    is coarse). ``digest`` stands for all tracked fields as a search told them last: equal digest, no news.
    ``observed_at`` is the start of the check whose answer the row shows, so that an answer which comes late changes
    nothing; ``looked_at`` is the start of the last look at this listing alone. ``description`` is empty until a look
    has told it. ``trace`` is the check that saw it first.

    ``paid`` is what somebody paid for it and ``sold_at`` when, as well as we know; both or none. A question for sales
    may tell them before a look sees the sale: until then ``status`` stays what looks and searches say.
    ``relisted_from`` is the listing under which the same seller offered the same thing before.
    """

    marketplace = models.CharField(max_length=40)
    external_id = models.CharField(max_length=64)
    title = models.TextField()
    description = models.TextField(blank=True, default="")
    url = models.URLField(max_length=500)
    price = models.PositiveBigIntegerField(null=True, blank=True)
    buy_now = models.PositiveBigIntegerField(null=True, blank=True)
    currency = models.CharField(max_length=3)
    kind = models.CharField(max_length=8, choices=_choices(Kind))
    status = models.CharField(max_length=8, choices=_choices(Status))
    condition = models.CharField(max_length=8, choices=_choices(Condition))
    shipping = models.CharField(max_length=10, choices=_choices(Shipping))
    shipping_fee = models.PositiveBigIntegerField(null=True, blank=True)
    seller_id = models.CharField(max_length=64, blank=True)
    seller_name = models.CharField(max_length=120, blank=True)
    seller_rating = models.FloatField(null=True, blank=True)
    seller_count = models.PositiveIntegerField(null=True, blank=True)
    images = models.JSONField(default=list)
    bids = models.PositiveIntegerField(null=True, blank=True)
    ends_at = models.DateTimeField(null=True, blank=True)
    listed_at = models.DateTimeField(null=True, blank=True)
    edited_at = models.DateTimeField(null=True, blank=True)
    first_seen_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    observed_at = models.DateTimeField()
    looked_at = models.DateTimeField(null=True, blank=True)
    digest = models.CharField(max_length=32)
    trace = models.CharField(max_length=32)
    extra = models.JSONField(default=dict)
    paid = models.PositiveBigIntegerField(null=True, blank=True)
    sold_at = models.DateTimeField(null=True, blank=True)
    relisted_from = models.ForeignKey(
        "self", on_delete=models.SET_NULL, null=True, blank=True, related_name="relisted_as"
    )

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(paid=None, sold_at=None) | Q(paid__gt=0, sold_at__isnull=False),
                name="listing_sale_is_whole",
            ),
            models.UniqueConstraint(fields=["marketplace", "external_id"], name="listing_once_per_marketplace"),
            models.CheckConstraint(condition=Q(price=None) | Q(price__gt=0), name="listing_price_unknown_is_not_zero"),
            models.CheckConstraint(condition=Q(kind__in=[k.value for k in Kind]), name="listing_kind_known"),
            models.CheckConstraint(condition=Q(status__in=[s.value for s in Status]), name="listing_status_known"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["ends_at", "id"], condition=Q(kind="auction"), name="listing_auction_end"),
            models.Index(
                fields=["marketplace", "seller_id"],
                condition=~Q(seller_id=""),
                name="listing_by_seller",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.marketplace}:{self.external_id}"


class PricePoint(models.Model):
    """The price of a listing from a moment on; a row only when it changed, never for an unknown price."""

    listing = models.ForeignKey(Listing, on_delete=models.CASCADE, related_name="price_points")
    price = models.PositiveBigIntegerField()
    at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["listing", "at"], name="price_point_once_per_moment"),
            models.CheckConstraint(condition=Q(price__gt=0), name="price_point_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.listing_id} {self.price}"


class EventKind(models.TextChoices):
    """What happened to a listing."""

    LISTED = "listed", _("listed")
    PRICE_DROP = "price_drop", _("price drop")
    PRICE_RISE = "price_rise", _("price rise")
    RESERVED = "reserved", _("reserved")
    SOLD = "sold", _("sold")
    STOPPED = "stopped", _("stopped")
    ENDED = "ended", _("ended")
    REMOVED = "removed", _("removed")
    BACK = "back", _("back on sale")
    BUMPED = "bumped", _("bumped")
    EXTENDED = "extended", _("extended")
    RELISTED = "relisted", _("relisted")


class ListingEvent(models.Model):
    """An edge in the life of a listing, with the figure before and after where there is one.

    The figures are prices; those of ``extended`` are the ends of the auction, in epoch seconds. What is ``damped``
    repeats itself within a while: it stands in the timeline and is told to nobody.
    """

    listing = models.ForeignKey(Listing, on_delete=models.CASCADE, related_name="events")
    kind = models.CharField(max_length=12, choices=EventKind.choices)
    at = models.DateTimeField()
    before = models.PositiveBigIntegerField(null=True, blank=True)
    after = models.PositiveBigIntegerField(null=True, blank=True)
    trace = models.CharField(max_length=32, blank=True)
    damped = models.BooleanField(default=False)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(kind__in=EventKind.values), name="listing_event_kind_known"),
            models.UniqueConstraint(fields=["listing"], condition=Q(kind="listed"), name="listing_is_listed_once"),
        ]
        indexes: ClassVar = [models.Index(fields=["listing", "at"], name="event_by_listing")]

    def __str__(self) -> str:
        return f"{self.listing_id} {self.kind}"

"""Watches and the questions they ask."""

from datetime import datetime
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Length
from django.db.models.lookups import LessThanOrEqual
from django.utils.translation import gettext_lazy as _

from .listings import Listing

LONGEST_PATTERN = 200
MOST_RATED = 1_000_000
MOST_BIDS = 10_000
LONGEST_WINDOW_MINUTES = 60 * 24 * 30
LONGEST_AGE_HOURS = 24 * 365


class Policy(models.TextChoices):
    """What a match may lead to."""

    NOTIFY = "notify", _("Notify")


class ShippingWish(models.TextChoices):
    """Which shipping a watch accepts."""

    ANY = "any", _("Any shipping")
    INCLUDED = "included", _("Shipping included")


class WatchQuerySet(models.QuerySet["Watch"]):
    """Watches are always asked for through their user."""

    def of(self, user: Any) -> "WatchQuerySet":
        """Only the watches of ``user``."""
        return self.filter(user=user)

    def active(self) -> "WatchQuerySet":
        """Not paused."""
        return self.filter(paused_at=None)


def _within(name: str, least: int, most: int) -> models.CheckConstraint:
    """Unset, or between these bounds."""
    inside = Q(**{name: None}) | Q(**{f"{name}__gte": least, f"{name}__lte": most})
    return models.CheckConstraint(condition=inside, name=f"watch_{name}_bounded")


class Watch(models.Model):
    """A user's standing wish: words, limits, policy, pace.

    ``marketplaces`` are the names of one or several, sorted. ``must``, ``any_of`` and ``none_of`` are lists of words.
    A word may hold alternatives, ``a|b``. ``pattern`` is a regular expression that the title must match. With
    ``landed`` the price limits hold for price and shipping together. ``kinds`` and ``conditions`` are values of the
    contract's enums. ``rating_min`` is a share of good ratings in percent, ``rated_min`` their number; ``bids_max`` and
    ``ends_within_minutes`` concern auctions only. ``options`` are the plugins' own criteria: marketplace → option →
    value. A watch with ``muted_at`` is muted until ``muted_until``, without that until somebody unmutes it.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="watches")
    name = models.CharField(_("name"), max_length=80)
    marketplaces = models.JSONField(_("marketplaces"))
    must = models.JSONField(_("all of these words"), default=list, blank=True)
    any_of = models.JSONField(_("at least one of these words"), default=list, blank=True)
    none_of = models.JSONField(_("none of these words"), default=list, blank=True)
    in_description = models.BooleanField(_("look into the description too"), default=False)
    pattern = models.CharField(_("pattern of the title"), max_length=LONGEST_PATTERN, blank=True, default="")
    price_min = models.PositiveIntegerField(_("lowest price"), null=True, blank=True)
    price_max = models.PositiveIntegerField(_("highest price"), null=True, blank=True)
    landed = models.BooleanField(_("price with shipping"), default=False)
    currency = models.CharField(max_length=3, default="JPY")
    kinds = models.JSONField(_("kinds"), default=list, blank=True)
    conditions = models.JSONField(_("conditions"), default=list, blank=True)
    shipping = models.CharField(_("shipping"), max_length=12, choices=ShippingWish.choices, default=ShippingWish.ANY)
    rating_min = models.PositiveSmallIntegerField(_("lowest rating (percent)"), null=True, blank=True)
    rated_min = models.PositiveIntegerField(_("fewest ratings"), null=True, blank=True)
    bids_max = models.PositiveIntegerField(_("most bids"), null=True, blank=True)
    ends_within_minutes = models.PositiveIntegerField(_("ends within (minutes)"), null=True, blank=True)
    listed_within_hours = models.PositiveIntegerField(_("listed within (hours)"), null=True, blank=True)
    options = models.JSONField(default=dict, blank=True)
    policy = models.CharField(_("then"), max_length=8, choices=Policy.choices, default=Policy.NOTIFY)
    interval_seconds = models.PositiveIntegerField(_("check every (seconds)"), default=60)
    tell_existing = models.BooleanField(_("also show me what already matches"), default=False)
    paused_at = models.DateTimeField(null=True, blank=True)
    muted_at = models.DateTimeField(null=True, blank=True)
    muted_until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    objects = WatchQuerySet.as_manager()

    class Meta:
        verbose_name = _("watch")
        verbose_name_plural = _("watches")
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(price_min=None) | Q(price_max=None) | Q(price_min__lte=F("price_max")),
                name="watch_price_bounds_ordered",
            ),
            models.CheckConstraint(condition=Q(price_max=None) | Q(price_max__gt=0), name="watch_price_max_positive"),
            models.CheckConstraint(condition=Q(interval_seconds__gte=1), name="watch_interval_positive"),
            models.CheckConstraint(condition=~Q(marketplaces=[]), name="watch_has_a_marketplace"),
            models.CheckConstraint(condition=Q(policy__in=Policy.values), name="watch_policy_known"),
            models.CheckConstraint(condition=Q(shipping__in=ShippingWish.values), name="watch_shipping_known"),
            models.CheckConstraint(
                condition=Q(muted_until=None) | Q(muted_at__isnull=False, muted_until__gt=F("muted_at")),
                name="watch_muted_from_then_on",
            ),
            models.CheckConstraint(
                condition=LessThanOrEqual(Length("pattern"), LONGEST_PATTERN), name="watch_pattern_short"
            ),
            _within("rating_min", 1, 100),
            _within("rated_min", 1, MOST_RATED),
            _within("bids_max", 0, MOST_BIDS),
            _within("ends_within_minutes", 1, LONGEST_WINDOW_MINUTES),
            _within("listed_within_hours", 1, LONGEST_AGE_HOURS),
        ]
        indexes: ClassVar = [models.Index(fields=["user", "created_at"], name="watch_by_user")]

    def __str__(self) -> str:
        return self.name

    def is_muted(self, *, now: datetime) -> bool:
        """Its matches come, and nobody is alerted."""
        return self.muted_at is not None and (self.muted_until is None or self.muted_until > now)


class TargetKind(models.TextChoices):
    """What a target asks: what a search finds, how one listing is, or what was sold of what a search asks for."""

    SEARCH = "search", _("search")
    LISTING = "listing", _("listing")
    SOLD = "sold", _("sold")


class TargetQuerySet(models.QuerySet["Target"]):
    """Questions of watches, looks at listings and questions for sales stand in one table; figures speak of one kind."""

    def searches(self) -> "TargetQuerySet":
        """The questions that watches ask."""
        return self.filter(kind=TargetKind.SEARCH)

    def looks(self) -> "TargetQuerySet":
        """The listings that are looked at."""
        return self.filter(kind=TargetKind.LISTING)

    def sales(self) -> "TargetQuerySet":
        """The questions for what was sold."""
        return self.filter(kind=TargetKind.SOLD)


class Target(models.Model):
    """One canonical question to one marketplace, asked once for all watches that want the answer.

    A ``search`` beats on the grid of its interval. A ``listing`` asks about ``listing``; ``criteria`` is its external
    id. A ``sold`` asks what was sold of what ``search`` asks for. The ``due_at`` of these two is the exact time of the
    next time, their interval only how far ahead that was.

    ``fence`` is the fence of the last result that counted. ``recent`` is the last good answer, external id → digest:
    what equals it needs no look into the database. ``usual`` is what the gateway remembers of the question: plain JSON,
    its own affair. ``empty_streak`` counts in a row suspicious empty pages, of a listing answers that it is gone;
    ``failures`` failed checks in a row.
    """

    marketplace = models.CharField(max_length=40)
    kind = models.CharField(max_length=8, choices=TargetKind.choices, default=TargetKind.SEARCH)
    key = models.CharField(max_length=64, unique=True)
    criteria = models.TextField()
    listing = models.OneToOneField(Listing, on_delete=models.CASCADE, null=True, blank=True, related_name="look")
    search = models.OneToOneField("self", on_delete=models.CASCADE, null=True, blank=True, related_name="sold")
    active = models.BooleanField(default=True)
    interval_seconds = models.PositiveIntegerField()
    due_at = models.DateTimeField(null=True, blank=True)
    fence = models.BigIntegerField(default=0)
    recent = models.JSONField(default=dict)
    usual = models.JSONField(default=dict)
    empty_streak = models.PositiveIntegerField(default=0)
    failures = models.PositiveIntegerField(default=0)
    last_error = models.CharField(max_length=32, blank=True)
    checked_at = models.DateTimeField(null=True, blank=True)
    succeeded_at = models.DateTimeField(null=True, blank=True)
    quarantined_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()

    objects = TargetQuerySet.as_manager()

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(interval_seconds__gte=1), name="target_interval_positive"),
            models.CheckConstraint(condition=Q(kind__in=TargetKind.values), name="target_kind_known"),
            models.CheckConstraint(
                condition=Q(kind=TargetKind.SEARCH, listing=None, search=None, due_at=None)
                | Q(kind=TargetKind.LISTING, listing__isnull=False, search=None)
                | Q(kind=TargetKind.SOLD, listing=None, search__isnull=False),
                name="target_is_of_its_kind",
            ),
            models.CheckConstraint(
                condition=Q(kind=TargetKind.SEARCH) | Q(active=False) | Q(due_at__isnull=False),
                name="target_off_the_grid_has_a_time",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["marketplace", "active"], name="target_by_marketplace")]

    def __str__(self) -> str:
        return f"{self.marketplace} {self.criteria}"

    @property
    def is_look(self) -> bool:
        """It asks about one listing."""
        return self.kind == TargetKind.LISTING

    @property
    def is_search(self) -> bool:
        """A watch asks it; it beats on a grid. All others have a time of their own and give way to it."""
        return self.kind == TargetKind.SEARCH


class WatchTarget(models.Model):
    """A watch asks a target.

    Until ``baselined_at`` is set, what was listed before ``began_at`` is the baseline. It is silent when ``quiet``.
    """

    watch = models.ForeignKey(Watch, on_delete=models.CASCADE, related_name="links")
    target = models.ForeignKey(Target, on_delete=models.CASCADE, related_name="links")
    began_at = models.DateTimeField()
    quiet = models.BooleanField(default=True)
    baselined_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["watch", "target"], name="watch_asks_a_target_once"),
        ]

    def __str__(self) -> str:
        return f"{self.watch_id} asks {self.target_id}"

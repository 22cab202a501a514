"""What people watch."""

from datetime import datetime
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Length
from django.db.models.lookups import LessThanOrEqual
from django.utils.translation import gettext_lazy as _

LONGEST_WATCH_NAME = 80
LONGEST_PATTERN = 200
LONGEST_CRON = 100
DAY_MINUTES = 24 * 60
MOST_RATED = 1_000_000
MOST_BIDS = 10_000
LONGEST_WINDOW_MINUTES = 60 * 24 * 30
LONGEST_AGE_HOURS = 24 * 365
MOST_FALL_PERCENT = 99
MOST_RISE_PERCENT = 1_000
MOST_AMOUNT = 9_999_998
FEWEST_DAYS, MOST_DAYS = 2, 365


class Policy(models.TextChoices):
    """What a match may lead to."""

    NOTIFY = "notify", _("Notify")


class WatchKind(models.TextChoices):
    """What a watch is about: whatever meets its words, or one listing."""

    SEARCH = "search", _("search")
    LISTING = "listing", _("one listing")


class RelistedWish(models.TextChoices):
    """What becomes of what is listed again under a new number."""

    ALERT = "alert", _("Show it as a new match")
    SILENT = "silent", _("Note it quietly")
    PRICE_CHANGE = "price_change", _("Show it only if its price differs")


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


def _any_trigger() -> Q:
    """At least one of the triggers of a listing watch is set."""
    found = Q(back_on_sale=True)
    for name in ("price_max", "ends_within_minutes", *TRIGGER_BOUNDS):
        found |= Q(**{f"{name}__isnull": False})
    return found


# Of a listing watch alone. Field → least and most.
TRIGGER_BOUNDS = {
    "fall_percent": (1, MOST_FALL_PERCENT),
    "fall_amount": (1, MOST_AMOUNT),
    "rise_percent": (1, MOST_RISE_PERCENT),
    "rise_amount": (1, MOST_AMOUNT),
    "lowest_days": (FEWEST_DAYS, MOST_DAYS),
}


class Watch(models.Model):
    """A user's standing wish: words, limits, policy, pace.

    One of kind ``listing`` is about the listing ``external_id`` of its one marketplace, has no words and at least one
    trigger: what its price must do (``fall_…``, ``rise_…``, ``price_max``, ``lowest_days``), ``back_on_sale``,
    ``ends_within_minutes``. Whether there is such a listing its first look tells.

    ``marketplaces`` are the names of one or several, sorted. ``must``, ``any_of`` and ``none_of`` are lists of words.
    A word may hold alternatives, ``a|b``. ``pattern`` is a regular expression that the title must match. With
    ``landed`` the price limits hold for price and shipping together. ``kinds`` and ``conditions`` are values of the
    contract's enums. ``rating_min`` is a share of good ratings in percent, ``rated_min`` their number; ``bids_max`` and
    ``ends_within_minutes`` concern auctions only. ``options`` are the plugins' own criteria: marketplace → option →
    value. ``active_from`` and ``active_to`` are minutes of the day on its user's clock, over midnight when the second
    is not later; a day of ``weekdays`` (0 is Monday, none means all) is the one on which that time begins. A watch with
    a ``cron`` is asked at those times, on the same clock, and ``interval_seconds`` is the shortest gap between them. An
    ``adaptive`` one may be asked more or less often than it wishes. A watch with ``muted_at`` is muted until
    ``muted_until``, without that until somebody unmutes it.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="watches")
    kind = models.CharField(_("kind"), max_length=8, choices=WatchKind.choices, default=WatchKind.SEARCH)
    name = models.CharField(_("name"), max_length=LONGEST_WATCH_NAME)
    external_id = models.CharField(_("item ID"), max_length=64, blank=True, default="")
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
    fall_percent = models.PositiveIntegerField(_("price falls by (percent)"), null=True, blank=True)
    fall_amount = models.PositiveIntegerField(_("price falls by (amount)"), null=True, blank=True)
    rise_percent = models.PositiveIntegerField(_("price rises by (percent)"), null=True, blank=True)
    rise_amount = models.PositiveIntegerField(_("price rises by (amount)"), null=True, blank=True)
    lowest_days = models.PositiveIntegerField(_("lowest price in (days)"), null=True, blank=True)
    back_on_sale = models.BooleanField(_("back on sale"), default=False)
    relisted = models.CharField(
        _("listed again"), max_length=12, choices=RelistedWish.choices, default=RelistedWish.ALERT
    )
    options = models.JSONField(default=dict, blank=True)
    policy = models.CharField(_("then"), max_length=8, choices=Policy.choices, default=Policy.NOTIFY)
    interval_seconds = models.PositiveIntegerField(_("check every (seconds)"), default=60)
    active_from = models.PositiveSmallIntegerField(_("checks from"), null=True, blank=True)
    active_to = models.PositiveSmallIntegerField(_("checks until"), null=True, blank=True)
    weekdays = models.JSONField(_("on these days"), default=list, blank=True)
    cron = models.CharField(_("at times (cron)"), max_length=LONGEST_CRON, blank=True, default="")
    jitter = models.BooleanField(_("a little irregularly"), default=False)
    adaptive = models.BooleanField(_("as often as it is worth"), default=False)
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
            models.CheckConstraint(
                condition=Q(active_from=None, active_to=None)
                | Q(
                    ~Q(active_from=F("active_to")),
                    active_from__isnull=False,
                    active_to__isnull=False,
                    active_from__lt=DAY_MINUTES,
                    active_to__lt=DAY_MINUTES,
                ),
                name="watch_hours_bounded",
            ),
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
            *(_within(name, least, most) for name, (least, most) in TRIGGER_BOUNDS.items()),
            models.CheckConstraint(condition=Q(relisted__in=RelistedWish.values), name="watch_relisted_known"),
            models.CheckConstraint(
                condition=Q(**dict.fromkeys(TRIGGER_BOUNDS), kind=WatchKind.SEARCH, external_id="", back_on_sale=False)
                | Q(
                    _any_trigger(),
                    ~Q(external_id=""),
                    kind=WatchKind.LISTING,
                    marketplaces__1__isnull=True,
                    must=[],
                    any_of=[],
                    none_of=[],
                ),
                name="watch_is_of_its_kind",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["user", "created_at"], name="watch_by_user")]

    def __str__(self) -> str:
        return self.name

    def is_muted(self, *, now: datetime) -> bool:
        """Its matches come, and nobody is alerted."""
        return self.muted_at is not None and (self.muted_until is None or self.muted_until > now)

    @property
    def is_of_listing(self) -> bool:
        """It is about one listing."""
        return self.kind == WatchKind.LISTING

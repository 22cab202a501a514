"""Orders, their steps, and the one request that can spend money."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.purchasing.transitions import ASKING, LIVE, UNDER_WAY, State
from monitor_site.watches.models import Listing, Match, Watch, new_public_id

STATES = [(state.value, state.value) for state in State]
MOST_EPOCHS = 3
# The reason of an order that was bought after all, until its person has looked at it.
FOUND_LATE = "late"


class OrderKind(models.TextChoices):
    """How a listing is acquired."""

    BUY = "buy", _("purchase")
    BID = "bid", _("bid")


class Mode(models.TextChoices):
    """Who decides, and whether money can move at all."""

    DRY_RUN = "dry_run", _("dry run")
    APPROVAL = "approval", _("approval")
    AUTOMATIC = "automatic", _("automatic")


class Way(models.TextChoices):
    """How an order reaches the marketplace."""

    ASSISTED = "assisted", _("you order, we watch")
    PARTNER_API = "partner_api", _("the marketplace's partner API")


class OrderQuerySet(models.QuerySet["Order"]):
    """Orders are always asked for through their user."""

    def of(self, user: Any) -> "OrderQuerySet":
        """Only the orders of ``user``."""
        return self.filter(user=user)

    def live(self) -> "OrderQuerySet":
        """Those that may still lead to a purchase, or have."""
        return self.filter(state__in=LIVE)

    def under_way(self) -> "OrderQuerySet":
        """Those that may still lead to a purchase and have not."""
        return self.filter(state__in=UNDER_WAY)


class Order(models.Model):
    """Our intent to acquire one listing, at most at ``price_max``: price, shipping and fees together.

    ``price`` and ``shipping`` are what was seen when it was proposed; ``shown`` is the digest of exactly that, which
    an approval must repeat. Whoever approves may allow less: ``price_max`` and ``shown`` then say so. ``paid`` is what
    the marketplace took. ``epoch`` counts the tries to submit, ``steps`` the steps so far. Until ``expires_at``
    somebody may decide; ``ask_at`` is when the outcome is asked for next. ``stood_since`` is when it came into its
    state. ``found_late_at``: it was bought, though we had given it up; that is written down whatever else is ordered
    meanwhile. ``parcel`` and ``problem`` are its person's own words: with what it is shipped, and what is wrong since
    ``problem_at``; neither moves anything.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="orders")
    listing = models.ForeignKey(Listing, on_delete=models.PROTECT, related_name="orders")
    watch = models.ForeignKey(Watch, on_delete=models.SET_NULL, null=True, blank=True, related_name="orders")
    match = models.ForeignKey(Match, on_delete=models.SET_NULL, null=True, blank=True, related_name="orders")
    account = models.ForeignKey(
        MarketplaceAccount, on_delete=models.PROTECT, null=True, blank=True, related_name="orders"
    )
    public_id = models.CharField(max_length=24, unique=True, default=new_public_id)
    kind = models.CharField(max_length=4, choices=OrderKind.choices, default=OrderKind.BUY)
    mode = models.CharField(max_length=10, choices=Mode.choices)
    way = models.CharField(max_length=12, choices=Way.choices)
    state = models.CharField(max_length=20, choices=STATES, default=State.PROPOSED)
    currency = models.CharField(max_length=3, default="JPY")
    price = models.PositiveBigIntegerField()
    shipping = models.PositiveBigIntegerField(default=0)
    price_max = models.PositiveBigIntegerField()
    shown = models.CharField(max_length=64)
    paid = models.PositiveBigIntegerField(null=True, blank=True)
    reference = models.CharField(max_length=80, blank=True)
    reason = models.CharField(max_length=40, blank=True)
    epoch = models.PositiveSmallIntegerField(default=0)
    steps = models.PositiveIntegerField(default=0)
    supersedes = models.ForeignKey(
        "self", on_delete=models.PROTECT, null=True, blank=True, related_name="superseded_by"
    )
    trace = models.CharField(max_length=32, blank=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    ask_at = models.DateTimeField(null=True, blank=True)
    stood_since = models.DateTimeField()
    found_late_at = models.DateTimeField(null=True, blank=True)
    parcel = models.CharField(max_length=40, blank=True, default="")
    problem = models.CharField(max_length=200, blank=True, default="")
    problem_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField()

    objects = OrderQuerySet.as_manager()

    class Meta:
        verbose_name = _("order")
        verbose_name_plural = _("orders")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["user", "listing"],
                condition=Q(state__in=sorted(LIVE), found_late_at=None),
                name="order_one_live_per_listing",
            ),
            models.CheckConstraint(condition=Q(state__in=list(State)), name="order_state_known"),
            models.CheckConstraint(condition=Q(mode__in=Mode.values), name="order_mode_known"),
            models.CheckConstraint(condition=Q(way__in=Way.values), name="order_way_known"),
            models.CheckConstraint(condition=Q(kind__in=OrderKind.values), name="order_kind_known"),
            # What waits for an answer offers all that it costs; only an answer may allow less.
            models.CheckConstraint(
                condition=Q(price__gt=0, price_max__gt=0)
                & (Q(price_max__gte=F("price") + F("shipping")) | ~Q(state__in=sorted(ASKING))),
                name="order_price_within_its_limit",
            ),
            models.CheckConstraint(condition=Q(epoch__lte=MOST_EPOCHS), name="order_epochs_bounded"),
            models.CheckConstraint(
                condition=Q(problem="", problem_at=None) | ~Q(problem="") & Q(problem_at__isnull=False),
                name="order_problem_has_words",
            ),
            models.UniqueConstraint(
                fields=["account"], condition=Q(state=State.SUBMITTING), name="order_one_under_way_per_account"
            ),
            # A dry run never comes to where a request can go out.
            models.CheckConstraint(
                condition=~Q(mode=Mode.DRY_RUN) | Q(state__in=["proposed", "cancelled", "expired"]),
                name="order_dry_run_stays_dry",
            ),
        ]
        indexes: ClassVar = [
            models.Index(fields=["user", "-id"], name="order_by_user"),
            models.Index(fields=["state", "ask_at"], name="order_to_ask"),
            models.Index(fields=["account", "state"], name="order_by_account"),
        ]

    def __str__(self) -> str:
        return f"{self.public_id} {self.state}"


class OrderStep(models.Model):
    """A step of an order, for whoever asks later: who did what, on what evidence. Rows are only ever added."""

    order = models.ForeignKey(Order, on_delete=models.PROTECT, related_name="history")
    number = models.PositiveIntegerField()
    verb = models.CharField(max_length=20)
    before = models.CharField(max_length=20, choices=STATES)
    after = models.CharField(max_length=20, choices=STATES)
    actor = models.CharField(max_length=40)
    evidence = models.JSONField(default=dict)
    at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["order", "number"], name="order_step_once"),
        ]

    def __str__(self) -> str:
        return f"{self.order_id} {self.before} → {self.after}"


class SubmissionOutcome(models.TextChoices):
    """What is known of a submission."""

    OPEN = "open", _("under way")
    NOT_SENT = "not_sent", _("not sent")
    REFUSED = "refused", _("refused")
    PLACED = "placed", _("placed")
    UNKNOWN = "unknown", _("unknown")


class Submission(models.Model):
    """The one request of an order's epoch that can spend money, written down before its first byte.

    ``price_cap`` is what it may cost, ``digest`` of what is asked for, ``send_deadline`` when the kernel ends whoever
    sends it. From ``committing_at`` on it may have reached the marketplace; before that it provably has not.
    """

    order = models.ForeignKey(Order, on_delete=models.PROTECT, related_name="submissions")
    epoch = models.PositiveSmallIntegerField()
    price_cap = models.PositiveBigIntegerField()
    digest = models.CharField(max_length=64, blank=True)
    send_deadline = models.DateTimeField()
    committing_at = models.DateTimeField(null=True, blank=True)
    outcome = models.CharField(max_length=10, choices=SubmissionOutcome.choices, default=SubmissionOutcome.OPEN)
    evidence = models.JSONField(default=dict)
    begun_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["order", "epoch"], name="submission_once_per_epoch"),
            models.UniqueConstraint(
                fields=["order"], condition=~Q(outcome="not_sent"), name="submission_one_that_may_count"
            ),
            models.CheckConstraint(condition=Q(outcome__in=SubmissionOutcome.values), name="submission_outcome_known"),
        ]

    def __str__(self) -> str:
        return f"{self.order_id} {self.epoch} {self.outcome}"

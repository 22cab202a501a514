"""Budgets and the ledger: what may be spent, what is held, what was spent."""

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.watches.models import Tag, Watch


class BudgetKind(models.TextChoices):
    """Whose money a budget guards. A person and an account have one at most; named ones are shared by watches."""

    NAMED = "named", _("named")
    USER = "user", _("everything a person buys")
    ACCOUNT = "account", _("everything bought with an account")


class BudgetQuerySet(models.QuerySet["Budget"]):
    """Budgets are always asked for through their user."""

    def of(self, user: Any) -> "BudgetQuerySet":
        """Only the budgets of ``user``."""
        return self.filter(user=user)


def _positive(name: str) -> models.CheckConstraint:
    return models.CheckConstraint(condition=Q(**{name: None}) | Q(**{f"{name}__gt": 0}), name=f"budget_{name}_positive")


class Budget(models.Model):
    """A pot with limits: for one item, a day (in Tokyo), a week, a month, in all; and how many things at most.

    Limits are whole units of the currency; no limit is ``None``, never 0. Nothing is bought automatically after
    ``until``. ``watches`` and ``tags`` share a named one.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="budgets")
    kind = models.CharField(max_length=8, choices=BudgetKind.choices, default=BudgetKind.NAMED)
    account = models.OneToOneField(
        MarketplaceAccount, on_delete=models.CASCADE, null=True, blank=True, related_name="budget"
    )
    name = models.CharField(_("name"), max_length=80)
    currency = models.CharField(max_length=3, default="JPY")
    per_item = models.PositiveBigIntegerField(_("for one thing"), null=True, blank=True)
    per_day = models.PositiveBigIntegerField(_("a day"), null=True, blank=True)
    per_week = models.PositiveBigIntegerField(_("a week"), null=True, blank=True)
    per_month = models.PositiveBigIntegerField(_("a month"), null=True, blank=True)
    total = models.PositiveBigIntegerField(_("in all"), null=True, blank=True)
    units = models.PositiveIntegerField(_("things at most"), null=True, blank=True)
    until = models.DateField(_("automatic until"), null=True, blank=True)
    watches: "models.ManyToManyField[Watch, Any]" = models.ManyToManyField(Watch, blank=True, related_name="budgets")
    tags: "models.ManyToManyField[Tag, Any]" = models.ManyToManyField(Tag, blank=True, related_name="budgets")
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    objects = BudgetQuerySet.as_manager()

    class Meta:
        verbose_name = _("budget")
        verbose_name_plural = _("budgets")
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(kind__in=BudgetKind.values), name="budget_kind_known"),
            models.CheckConstraint(
                condition=Q(kind=BudgetKind.ACCOUNT, account__isnull=False)
                | ~Q(kind=BudgetKind.ACCOUNT) & Q(account=None),
                name="budget_of_an_account_has_one",
            ),
            models.UniqueConstraint(fields=["user"], condition=Q(kind="user"), name="budget_one_of_a_user"),
            *map(_positive, ("per_item", "per_day", "per_week", "per_month", "total", "units")),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.name}"


class Period(models.TextChoices):
    """How long a counter counts."""

    DAY = "day", _("day")
    WEEK = "week", _("week")
    MONTH = "month", _("month")
    TOTAL = "total", _("in all")


class Measure(models.TextChoices):
    """What a counter counts."""

    MONEY = "money", _("money")
    UNITS = "units", _("things")


class Scope(models.Model):
    """One counter of a budget: of one period, money or things. ``starts`` is the period's first day in Tokyo.

    ``held`` and ``spent`` are a cache that the ledger proves. ``overrun`` is what was booked above the limit: a late
    find, or a limit that was lowered; new holds are tested against the limit alone.
    """

    budget = models.ForeignKey(Budget, on_delete=models.CASCADE, related_name="scopes")
    period = models.CharField(max_length=5, choices=Period.choices)
    starts = models.DateField()
    measure = models.CharField(max_length=5, choices=Measure.choices)
    limit = models.PositiveBigIntegerField(null=True, blank=True)
    held = models.PositiveBigIntegerField(default=0)
    spent = models.PositiveBigIntegerField(default=0)
    overrun = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["budget", "period", "starts", "measure"], name="scope_once"),
            models.CheckConstraint(condition=Q(period__in=Period.values), name="scope_period_known"),
            models.CheckConstraint(condition=Q(measure__in=Measure.values), name="scope_measure_known"),
            models.CheckConstraint(
                condition=Q(limit=None) | Q(limit__gte=F("held") + F("spent") - F("overrun")),
                name="scope_within_its_limit",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.budget_id} {self.period} {self.starts} {self.measure}"


class Entry(models.TextChoices):
    """What moved: from what was free to held, from held to spent, back."""

    HOLD = "hold", _("held")
    SPEND = "spend", _("spent")
    RELEASE = "release", _("released")
    BOOK = "book", _("booked above what was held")
    REFUND = "refund", _("refunded")


class LedgerEntry(models.Model):
    """A movement in one counter for one order. Rows are only ever added; ``step`` is the order's step that moved it."""

    scope = models.ForeignKey(Scope, on_delete=models.PROTECT, related_name="entries")
    order = models.ForeignKey("purchasing.Order", on_delete=models.PROTECT, related_name="entries")
    step = models.PositiveIntegerField()
    kind = models.CharField(max_length=8, choices=Entry.choices)
    amount = models.PositiveBigIntegerField()
    at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["order", "scope", "step", "kind"], name="ledger_entry_once_per_step"),
            models.CheckConstraint(condition=Q(kind__in=Entry.values), name="ledger_entry_kind_known"),
            models.CheckConstraint(condition=Q(amount__gt=0), name="ledger_entry_positive"),
        ]
        indexes: ClassVar = [models.Index(fields=["scope", "-id"], name="ledger_by_scope")]

    def __str__(self) -> str:
        return f"{self.kind} {self.amount}"

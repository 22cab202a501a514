"""What a match of a watch may lead to, beside being told of."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.watches.models import Watch

from .orders import Way

LONGEST_APPROVAL_MINUTES = 24 * 60


class BuyPolicy(models.TextChoices):
    """Who decides."""

    ASK = "ask", _("Ask me")
    BUY = "buy", _("Buy")


class BuyRule(models.Model):
    """What may be bought of a watch's matches: nothing above ``price_max``, with shipping and fees; empty: nothing.

    Where the buyer pays a shipping that nobody knows, ``shipping_estimate`` is held for it; without one nothing is
    proposed. A proposal waits ``approval_minutes`` for an answer. Automatic buying ends with ``until`` and was allowed
    at ``confirmed_at`` with a second factor.
    """

    watch = models.OneToOneField(Watch, on_delete=models.CASCADE, related_name="buy_rule")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    policy = models.CharField(_("then"), max_length=4, choices=BuyPolicy.choices, default=BuyPolicy.ASK)
    price_max = models.PositiveBigIntegerField(_("highest price with shipping"), null=True, blank=True)
    shipping_estimate = models.PositiveBigIntegerField(_("shipping when I pay it"), null=True, blank=True)
    way = models.CharField(_("how"), max_length=12, choices=Way.choices, default=Way.ASSISTED)
    account = models.ForeignKey(
        MarketplaceAccount,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("account"),
    )
    approval_minutes = models.PositiveIntegerField(_("time to answer (minutes)"), default=15)
    until = models.DateField(_("automatic until"), null=True, blank=True)
    confirmed_at = models.DateTimeField(null=True, blank=True)
    updated_at = models.DateTimeField()

    class Meta:
        verbose_name = _("buy rule")
        verbose_name_plural = _("buy rules")
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(policy__in=BuyPolicy.values), name="buy_rule_policy_known"),
            models.CheckConstraint(condition=Q(way__in=Way.values), name="buy_rule_way_known"),
            models.CheckConstraint(condition=Q(price_max=None) | Q(price_max__gt=0), name="buy_rule_price_positive"),
            models.CheckConstraint(
                condition=Q(approval_minutes__gte=1, approval_minutes__lte=LONGEST_APPROVAL_MINUTES),
                name="buy_rule_approval_bounded",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.watch_id} {self.policy}"

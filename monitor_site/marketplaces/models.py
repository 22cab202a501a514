"""Accounts at marketplaces."""

from datetime import UTC, datetime
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

BY_HAND = "by_hand"
"""The reason of a pause that a person has asked for."""
FOR_GOOD = datetime(9999, 1, 1, tzinfo=UTC)
"""The end of a pause that only a person ends."""


class MarketplaceAccountQuerySet(models.QuerySet["MarketplaceAccount"]):
    """People's accounts are always asked for through their user."""

    def of(self, user: Any) -> "MarketplaceAccountQuerySet":
        """Those of ``user`` that are not removed."""
        return self.filter(user=user, removed_at=None)


class MarketplaceAccount(models.Model):
    """Settings and credentials at one marketplace; without a ``user`` it is the installation's own, used to read.

    ``values`` holds what anybody may see, ``sealed`` the secrets as the vault wrote them: no other code reads it.
    Without ``spends_since``, which an operator sets, nothing real is ever spent with it; ``spends_by`` is who did.
    ``known_as`` is what the marketplace called it in a test that worked, at ``worked_at``; ``test_error`` is the code
    of the error of the last test. ``signed_in_at`` is when its sign-in was renewed last, ``signed_in_until`` when that
    ends, where the marketplace told. ``removed_at``: its secrets are gone, and the row stays for the orders it bought.
    ``updated_at`` moves when values or secrets change, not when the account is paused.
    """

    marketplace = models.CharField(_("marketplace"), max_length=40)
    label = models.CharField(_("label"), max_length=80, blank=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.CASCADE,
        null=True,
        blank=True,
        related_name="marketplace_accounts",
        verbose_name=_("user"),
        help_text=_("Empty: the installation's own account, with which it reads."),
    )
    values = models.JSONField(default=dict, blank=True)
    sealed = models.TextField(blank=True, editable=False)
    paused_until = models.DateTimeField(_("paused until"), null=True, blank=True)
    pause_reason = models.CharField(_("reason"), max_length=32, blank=True)
    spends_since = models.DateTimeField(_("spends since"), null=True, blank=True, editable=False)
    spends_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.SET_NULL,
        null=True,
        blank=True,
        editable=False,
        related_name="+",
        verbose_name=_("allowed by"),
    )
    spends_reason = models.CharField(_("why it may spend"), max_length=200, blank=True, editable=False)
    known_as = models.CharField(max_length=80, blank=True, editable=False)
    test_asked_at = models.DateTimeField(null=True, blank=True, editable=False)
    tested_at = models.DateTimeField(null=True, blank=True, editable=False)
    test_error = models.CharField(max_length=32, blank=True, editable=False)
    worked_at = models.DateTimeField(null=True, blank=True, editable=False)
    signed_in_at = models.DateTimeField(null=True, blank=True, editable=False)
    signed_in_until = models.DateTimeField(null=True, blank=True, editable=False)
    removed_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField()
    updated_at = models.DateTimeField()

    objects = MarketplaceAccountQuerySet.as_manager()

    class Meta:
        verbose_name = _("marketplace account")
        verbose_name_plural = _("marketplace accounts")
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["marketplace"], condition=Q(user=None), name="marketplaceaccount_one_of_the_installation"
            ),
            models.CheckConstraint(
                condition=Q(paused_until=None, pause_reason="") | Q(paused_until__isnull=False) & ~Q(pause_reason=""),
                name="marketplaceaccount_pause_has_a_reason",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.marketplace} {self.label}".rstrip()

    @property
    def identity(self) -> str:
        """What its secrets are bound to: they open in no other row, and in this one for nobody else."""
        return f"marketplaceaccount/{self.pk}/{self.marketplace}/{self.user_id or 'installation'}"


class MarketplacePause(models.Model):
    """An operator wants a marketplace asked nothing; it lasts until the row goes."""

    marketplace = models.CharField(_("marketplace"), max_length=40, unique=True)
    by = models.CharField(_("by"), max_length=150)
    reason = models.CharField(_("reason"), max_length=200)
    since = models.DateTimeField(_("since"))

    class Meta:
        verbose_name = _("pause of a marketplace")
        verbose_name_plural = _("pauses of marketplaces")

    def __str__(self) -> str:
        return self.marketplace

"""People who use an installation."""

from typing import ClassVar

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

MOST_WEIGHT = 100


class Theme(models.TextChoices):
    """Appearance of the pages."""

    SYSTEM = "system", _("As the device")
    LIGHT = "light", _("Light")
    DARK = "dark", _("Dark")


class SecondCurrency(models.TextChoices):
    """Beside yen, what a reader thinks in: approximate, and only shown."""

    NONE = "", pgettext_lazy("currency", "none")
    CNY = "CNY", _("Chinese yuan (CNY)")
    TWD = "TWD", _("New Taiwan dollar (TWD)")
    HKD = "HKD", _("Hong Kong dollar (HKD)")
    USD = "USD", _("US dollar (USD)")
    EUR = "EUR", _("Euro (EUR)")
    GBP = "GBP", _("Pound sterling (GBP)")
    KRW = "KRW", _("South Korean won (KRW)")
    SGD = "SGD", _("Singapore dollar (SGD)")


class StartPage(models.TextChoices):
    """What a person sees first."""

    MATCHES = "matches", _("Matches")
    APPROVALS = "approvals", _("Approvals")
    AUCTIONS = "auctions", _("Auctions")
    ORDERS = "orders", _("Orders")
    WATCHES = "watches", _("Watches")


class User(AbstractUser):
    """A person. Sign-up is closed: staff create users in the admin."""

    language = models.CharField(_("language"), max_length=10, blank=True, help_text=_("Empty: as the browser asks."))
    time_zone = models.CharField(_("time zone"), max_length=64, default="Asia/Tokyo")
    theme = models.CharField(_("appearance"), max_length=8, choices=Theme.choices, default=Theme.SYSTEM)
    # What an earlier release writes knows neither of these.
    second_currency = models.CharField(
        _("second currency"), max_length=3, choices=SecondCurrency.choices, blank=True, default="", db_default=""
    )
    start_page = models.CharField(
        _("start page"), max_length=12, choices=StartPage.choices, default=StartPage.MATCHES, db_default="matches"
    )

    watch_limit = models.PositiveIntegerField(
        _("most watches"), null=True, blank=True, help_text=_("Empty: as for everybody.")
    )
    question_limit = models.PositiveIntegerField(
        _("most questions"), null=True, blank=True, help_text=_("Empty: as for everybody.")
    )

    weight = models.PositiveSmallIntegerField(
        _("weight"),
        default=1,
        # What an earlier release writes knows no weight.
        db_default=1,
        help_text=_(
            "A person of weight 2 gets twice the share of one of weight 1 where marketplaces are short of pace."
        ),
    )

    class Meta:
        verbose_name = _("user")
        verbose_name_plural = _("users")
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(theme__in=Theme.values), name="user_theme_known"),
            models.CheckConstraint(
                condition=models.Q(second_currency__in=SecondCurrency.values), name="user_second_currency_known"
            ),
            models.CheckConstraint(condition=models.Q(start_page__in=StartPage.values), name="user_start_page_known"),
            models.CheckConstraint(
                condition=models.Q(weight__gte=1, weight__lte=MOST_WEIGHT), name="user_weight_bounded"
            ),
        ]


class ExchangeRate(models.Model):
    """What a yen is worth in another currency: said by the operator, or loaded from ``source``. Only ever shown.

    ``at`` is when the operator said so, or the day that the source gives.
    """

    currency = models.CharField(_("currency"), max_length=3, primary_key=True, choices=SecondCurrency.choices[1:])
    per_yen = models.DecimalField(_("what one yen is worth"), max_digits=15, decimal_places=9)
    source = models.CharField(_("loaded from"), max_length=253, blank=True)
    at = models.DateTimeField(_("of when"))

    class Meta:
        verbose_name = _("exchange rate")
        verbose_name_plural = _("exchange rates")
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(per_yen__gt=0), name="exchange_rate_positive"),
            models.CheckConstraint(
                condition=models.Q(currency__in=SecondCurrency.values[1:]), name="exchange_rate_currency_known"
            ),
        ]

    def __str__(self) -> str:
        return f"1 JPY = {self.per_yen.normalize():f} {self.currency}"


class AuditKind(models.TextChoices):
    """What an entry of the audit log is about."""

    MONEY = "money", pgettext_lazy("audit", "money")
    RULE = "rule", pgettext_lazy("audit", "rules")
    ACCOUNT = "account", pgettext_lazy("audit", "marketplace accounts")
    SECURITY = "security", pgettext_lazy("audit", "security")
    SYSTEM = "system", pgettext_lazy("audit", "installation")
    SETTING = "setting", pgettext_lazy("audit", "preferences")


class ActorKind(models.TextChoices):
    """Who did something."""

    PERSON = "person", pgettext_lazy("actor", "a person")
    RULE = "rule", pgettext_lazy("actor", "the rule")
    SYSTEM = "system", pgettext_lazy("actor", "this site")
    COMMAND = "command", pgettext_lazy("actor", "a command")


class AuditEntry(models.Model):
    """Somebody did something: who and how, to what, what it was before and after, and why. Rows are only added.

    ``user`` is in whose record it stands, which is not always who did it (``name``, by ``way``); nobody's is about the
    whole installation. Its number outlives the person, so that what was sealed stays as it was. ``before`` and
    ``after`` hold what changed, and no secret. ``source`` is an address, kept only where the operator allows it.
    """

    at = models.DateTimeField(_("when"))
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.DO_NOTHING,
        db_constraint=False,
        null=True,
        related_name="audit",
        verbose_name=_("user"),
    )
    kind = models.CharField(_("kind"), max_length=8, choices=AuditKind.choices, default=AuditKind.SYSTEM)
    actor = models.CharField(_("by"), max_length=8, choices=ActorKind.choices, default=ActorKind.PERSON)
    name = models.CharField(_("name"), max_length=150, blank=True)
    way = models.CharField(_("how"), max_length=16, blank=True)
    act = models.CharField(_("act"), max_length=32)
    thing = models.CharField(_("of what kind"), max_length=16, blank=True)
    thing_id = models.CharField(max_length=32, blank=True)
    subject = models.CharField(_("subject"), max_length=120, blank=True)
    before = models.JSONField(_("before"), default=dict, encoder=DjangoJSONEncoder)
    after = models.JSONField(_("after"), default=dict, encoder=DjangoJSONEncoder)
    reason = models.CharField(_("reason"), max_length=200, blank=True)
    outcome = models.CharField(_("outcome"), max_length=80, blank=True)
    source = models.CharField(_("address"), max_length=45, blank=True)
    trace = models.CharField(max_length=32, blank=True)

    class Meta:
        verbose_name = _("entry of the audit log")
        verbose_name_plural = _("audit log")
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=~models.Q(kind="system", actor="person", reason=""), name="audit_entry_has_a_reason"
            ),
            models.CheckConstraint(condition=models.Q(kind__in=AuditKind.values), name="audit_entry_kind_known"),
            models.CheckConstraint(condition=models.Q(actor__in=ActorKind.values), name="audit_entry_actor_known"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["-at"], name="audit_by_time"),
            models.Index(fields=["user", "-at", "-id"], name="audit_by_user"),
        ]

    def __str__(self) -> str:
        return f"{self.act} {self.subject}"


class Seal(models.Model):
    """Rows of one table, sealed together: ``rows`` has the digest of each, ``digest`` covers them and the seal before.

    Seals are only added; that of rows whose time is over stays, so that the chain stays whole.
    """

    number = models.PositiveBigIntegerField(primary_key=True)
    table = models.CharField(max_length=16)
    rows = models.JSONField()
    last_row = models.PositiveBigIntegerField()
    digest = models.CharField(max_length=64)
    at = models.DateTimeField()

    class Meta:
        verbose_name = _("seal")
        verbose_name_plural = _("seals")
        indexes: ClassVar = [models.Index(fields=["table", "-last_row"], name="seal_by_row")]

    def __str__(self) -> str:
        return f"{self.number} {self.table}"


class SealCheck(models.Model):
    """All seals were compared with their rows: whole until ``until``, else broken at ``place``."""

    at = models.DateTimeField()
    until = models.DateTimeField(null=True)
    place = models.CharField(max_length=120, blank=True)

    class Meta:
        verbose_name = _("comparison of seals")
        verbose_name_plural = _("comparisons of seals")

    def __str__(self) -> str:
        return self.place or "whole"

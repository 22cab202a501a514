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


class User(AbstractUser):
    """A person. Sign-up is closed: staff create users in the admin."""

    language = models.CharField(_("language"), max_length=10, blank=True, help_text=_("Empty: as the browser asks."))
    time_zone = models.CharField(_("time zone"), max_length=64, default="Asia/Tokyo")
    theme = models.CharField(_("appearance"), max_length=8, choices=Theme.choices, default=Theme.SYSTEM)

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
                condition=models.Q(weight__gte=1, weight__lte=MOST_WEIGHT), name="user_weight_bounded"
            ),
        ]


class AuditKind(models.TextChoices):
    """What an entry of the audit log is about."""

    MONEY = "money", pgettext_lazy("audit", "money")
    RULE = "rule", pgettext_lazy("audit", "rules")
    ACCOUNT = "account", pgettext_lazy("audit", "marketplace accounts")
    SECURITY = "security", pgettext_lazy("audit", "security")
    SYSTEM = "system", pgettext_lazy("audit", "installation")


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

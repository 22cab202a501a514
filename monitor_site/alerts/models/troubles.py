"""Troubles of the installation, as people are told of them."""

from typing import ClassVar

from django.db import models
from django.db.models import Q


class TroubleKind(models.TextChoices):
    """What is in trouble: a marketplace that is not asked, an account that is not used, a busy machine, checks that
    are late, or the promoters.
    """

    MARKETPLACE = "marketplace"
    ACCOUNT = "account"
    MACHINE = "machine"
    LATENESS = "lateness"
    PROMOTER = "promoter"


class Trouble(models.Model):
    """One trouble from its beginning to its end; ``subject`` says whose within its kind.

    ``facts`` are plain values of the last time it was seen, at ``seen_at``. ``told_at`` is when people were told that
    it began; they are told of its end too, once it has stayed away for a while, at ``ended_at``.
    """

    kind = models.CharField(max_length=12, choices=TroubleKind.choices)
    subject = models.CharField(max_length=120, blank=True, default="")
    facts = models.JSONField(default=dict)
    began_at = models.DateTimeField()
    seen_at = models.DateTimeField()
    told_at = models.DateTimeField(null=True, blank=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(
                fields=["kind", "subject"], condition=Q(ended_at=None), name="trouble_once_at_a_time"
            ),
            models.CheckConstraint(condition=Q(kind__in=TroubleKind.values), name="trouble_kind_known"),
        ]
        indexes: ClassVar = [models.Index(fields=["kind", "subject", "ended_at"], name="trouble_by_subject")]

    def __str__(self) -> str:
        return f"{self.kind} {self.subject}".rstrip()

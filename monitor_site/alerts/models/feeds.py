"""Feeds: matches for a reader of RSS, Atom or JSON, behind an address that is a secret."""

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from monitor_site.watches.models import Watch


class FeedKind(models.TextChoices):
    """What a feed lists."""

    ALL = "all", _("all matches")
    DROPS = "drops", _("price drops")
    WATCH = "watch", _("one watch")


class Feed(models.Model):
    """An address that lists matches to whoever knows it. Only the digest of its secret part is kept.

    ``hint`` is the secret's beginning, by which a person knows it again. ``read_at`` and ``reader`` (its user agent)
    are of the last reading.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="feeds")
    name = models.CharField(_("name"), max_length=80)
    kind = models.CharField(_("lists"), max_length=8, choices=FeedKind.choices, default=FeedKind.ALL)
    watch = models.ForeignKey(Watch, on_delete=models.CASCADE, null=True, blank=True, related_name="feeds")
    digest = models.CharField(max_length=64, unique=True)
    hint = models.CharField(max_length=8)
    created_at = models.DateTimeField()
    read_at = models.DateTimeField(null=True, blank=True)
    reader = models.CharField(max_length=80, blank=True)

    class Meta:
        verbose_name = _("feed")
        verbose_name_plural = _("feeds")
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(kind__in=FeedKind.values), name="feed_kind_known"),
            models.CheckConstraint(
                condition=Q(kind=FeedKind.WATCH, watch__isnull=False) | ~Q(kind=FeedKind.WATCH) & Q(watch=None),
                name="feed_of_a_watch_has_one",
            ),
        ]
        indexes: ClassVar = [models.Index(fields=["user", "id"], name="feed_by_user")]

    def __str__(self) -> str:
        return f"{self.user_id} {self.name}"

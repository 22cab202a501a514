"""Listings that meet watches."""

import secrets
from datetime import datetime
from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from .listings import Listing
from .watches import Watch


def new_public_id() -> str:
    """An address part nobody can guess."""
    return secrets.token_urlsafe(12)


class MatchState(models.TextChoices):
    """What its user did with a match."""

    NEW = "new", _("new")
    SEEN = "seen", _("seen")
    IGNORED = "ignored", _("ignored")


class Cause(models.TextChoices):
    """Why a match came about; ``existing`` was there before the watch and is silent."""

    LISTED = "listed", _("newly listed")
    PRICE_DROP = "price_drop", _("price drop")
    BACK = "back", _("back on sale")
    RELISTED = "relisted", _("listed again")
    CHANGED = "changed", _("changed")
    EXISTING = "existing", _("already there")
    CROSSED = "crossed", _("what you wanted to be told of")


class MatchQuerySet(models.QuerySet["Match"]):
    """Matches are always asked for through their user."""

    def of(self, user: Any) -> "MatchQuerySet":
        """Only the matches of ``user``."""
        return self.filter(user=user)

    def told(self) -> "MatchQuerySet":
        """Without the silent ones, which were there before their watch."""
        return self.filter(silent=False)

    def awake(self, *, now: datetime) -> "MatchQuerySet":
        """Without those that are snoozed."""
        return self.filter(Q(snoozed_until=None) | Q(snoozed_until__lte=now))


class Match(models.Model):
    """A listing meets a watch, once. ``decision`` is what every rule said, as they were then.

    ``user`` repeats the watch's user, so that a feed is one index away. ``snoozed_until`` keeps it out of the feed
    until then; ``blocked_by`` is the block that put it aside. That of a listing watch is made silently by its first
    look; each crossing moves ``matched_at``, so that it comes to the top of the feed.
    """

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="matches")
    watch = models.ForeignKey(Watch, on_delete=models.CASCADE, related_name="matches")
    listing = models.ForeignKey(Listing, on_delete=models.CASCADE, related_name="matches")
    public_id = models.CharField(max_length=24, unique=True, default=new_public_id)
    state = models.CharField(max_length=8, choices=MatchState.choices, default=MatchState.NEW)
    cause = models.CharField(max_length=12, choices=Cause.choices)
    silent = models.BooleanField(default=False)
    price = models.PositiveBigIntegerField(null=True, blank=True)
    decision = models.JSONField(default=list)
    trace = models.CharField(max_length=32)
    matched_at = models.DateTimeField()
    snoozed_until = models.DateTimeField(null=True, blank=True)
    blocked_by = models.ForeignKey(
        "watches.Block", on_delete=models.SET_NULL, null=True, blank=True, db_index=False, related_name="put_aside"
    )

    objects = MatchQuerySet.as_manager()

    class Meta:
        verbose_name = _("match")
        verbose_name_plural = _("matches")
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["watch", "listing"], name="match_once_per_watch_and_listing"),
            models.CheckConstraint(condition=Q(state__in=MatchState.values), name="match_state_known"),
            models.CheckConstraint(condition=Q(cause__in=Cause.values), name="match_cause_known"),
        ]
        indexes: ClassVar = [
            models.Index(fields=["user", "-id"], condition=Q(silent=False), name="match_feed"),
            models.Index(fields=["user", "-matched_at", "-id"], condition=Q(silent=False), name="match_feed_in_time"),
            models.Index(fields=["user"], condition=Q(state="new", silent=False), name="match_new"),
            models.Index(fields=["user", "-id"], condition=Q(state="ignored"), name="match_ignored"),
            models.Index(fields=["listing", "user"], name="match_by_listing_and_user"),
            models.Index(fields=["watch", "matched_at"], name="match_by_watch_and_time"),
            models.Index(fields=["watch", "-id"], name="match_by_watch"),
            models.Index(fields=["matched_at"], name="match_by_time"),
            models.Index(fields=["blocked_by"], condition=Q(blocked_by__isnull=False), name="match_by_block"),
        ]

    def __str__(self) -> str:
        return f"{self.watch_id} × {self.listing_id}"

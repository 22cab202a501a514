"""Feeds: made, given a new address, ended; and found by the secret in their address.

A secret is told once, to who made it. What is kept is its digest, so that a copy of the database reads no feed.
"""

import hashlib
import secrets
import unicodedata
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from monitor_site.watches.models import Watch

from .models import Feed, FeedKind

SECRET_BYTES = 24
HINT = 6  # characters; the rest of a secret alone is more than anybody can guess
LONGEST_NAME = 80
LONGEST_READER = 80
MOST_FEEDS = 50
NOTED_EVERY = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a feed is to list; ``watch`` only for a feed of one watch. Without a name it is called what it lists."""

    kind: str
    name: str = ""
    watch: Watch | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A feed with the secret of its address, which nobody can tell again."""

    feed: Feed
    secret: str


@transaction.atomic
def create_feed(*, user: Any, wish: Wish, now: datetime) -> Opened:
    """Make a feed with an address of its own. Raises ``ValidationError`` with a sentence."""
    get_user_model().objects.select_for_update(no_key=True).get(pk=user.pk)  # two tabs count one after the other
    _check_wish(user, wish)
    if Feed.objects.filter(user=user).count() >= MOST_FEEDS:
        sentence = ngettext("You may have %(n)d feed and no more.", "You may have %(n)d feeds and no more.", MOST_FEEDS)
        raise ValidationError(sentence % {"n": MOST_FEEDS})
    secret = secrets.token_urlsafe(SECRET_BYTES)
    feed = Feed(user=user, name=_clean(wish.name), kind=wish.kind, watch=wish.watch, created_at=now)
    feed.digest, feed.hint = digest_of(secret), secret[:HINT]
    feed.save()
    return Opened(feed=feed, secret=secret)


def _check_wish(user: Any, wish: Wish) -> None:
    of_a_watch = wish.kind == FeedKind.WATCH
    theirs = wish.watch is not None and wish.watch.user_id == user.pk
    if wish.kind not in FeedKind.values or (of_a_watch and not theirs) or (wish.watch is not None and not of_a_watch):
        raise ValidationError(_("Please choose what the feed lists."))


def _clean(text: str) -> str:
    name = " ".join(text.split())
    if len(name) > LONGEST_NAME or any(unicodedata.category(char) in {"Cc", "Cs", "Cn"} for char in name):
        raise ValidationError(_("Please give a name of at most %(n)d characters.") % {"n": LONGEST_NAME})
    return name


def name_of(feed: Feed) -> str:
    """What a feed is called, in the active language."""
    return feed.name or (feed.watch.name if feed.watch else str(FeedKind(feed.kind).label))


@transaction.atomic
def rotate_feed(*, feed: Feed) -> Opened:
    """Give a feed a new address; the old one leads nowhere from now on."""
    secret = secrets.token_urlsafe(SECRET_BYTES)
    fresh = {"digest": digest_of(secret), "hint": secret[:HINT], "read_at": None, "reader": ""}
    Feed.objects.filter(pk=feed.pk).update(**fresh)
    feed.refresh_from_db()
    return Opened(feed=feed, secret=secret)


@transaction.atomic
def revoke_feed(*, feed: Feed) -> None:
    """End a feed and its address."""
    feed.delete()


def digest_of(secret: str) -> str:
    """What is kept of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def feed_behind(secret: str) -> Feed | None:
    """The feed with this secret; a wrong one costs the same look-up. Who may not sign in has none."""
    found = Feed.objects.select_related("user", "watch").filter(digest=digest_of(secret), user__is_active=True)
    return found.first()


def note_reading(*, feed: Feed, reader: str, now: datetime) -> bool:
    """Note who has read it, by what the program calls itself, at most once a minute; whether it was noted."""
    if feed.read_at is not None and feed.read_at > now - NOTED_EVERY:
        return False
    plain = "".join(char for char in reader if char.isprintable()).strip()[:LONGEST_READER]
    stale = Feed.objects.filter(Q(read_at=None) | Q(read_at__lte=now - NOTED_EVERY), pk=feed.pk)
    return bool(stale.update(read_at=now, reader=plain))

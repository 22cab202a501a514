"""What people do with watches and matches: one verb on one noun, one transaction each."""

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext

from monitor_site.outbox import services as outbox

from . import follow, questions, quotas, sold, tagging, versions
from .models import Doubt, Listing, Match, MatchQuerySet, MatchState, Target, Watch, WatchTag, WatchVersion
from .pages import currency_of
from .questions import CHECK_NOW
from .rules import rule_of
from .triggers import triggers_of
from .wishes import LONGEST_NAME, Wish, checked

__all__ = [
    "Wish",
    "change_watch",
    "check_now",
    "copy_watch",
    "create_watch",
    "delete_watch",
    "draft_watch",
    "ignore_match",
    "pause_watch",
    "release_target",
    "restore_match",
    "restore_version",
    "resume_watch",
    "see_all",
    "see_matches",
]

WISHED = tuple(field.name for field in fields(Wish))


def draft_watch(*, user: Any, wish: Wish, now: datetime) -> Watch:
    """The watch that a wish would become, not saved. Raises ``ValidationError`` with a sentence per field."""
    watch = Watch(user=user, created_at=now)
    _fill(watch, checked(wish), now)
    return watch


@transaction.atomic
def create_watch(*, user: Any, wish: Wish, now: datetime) -> Watch:
    """Save a wish and begin to ask. Raises ``ValidationError`` with a sentence per field, or for one watch too many."""
    watch = draft_watch(user=user, wish=wish, now=now)
    quotas.check(watch=watch, asked=None)
    watch.save()
    versions.keep(watch=watch, by=user, now=now)
    questions.link(watch=watch, now=now, quiet=not watch.tell_existing)
    follow.settle_looks(target_ids=_targets_of(watch), now=now)
    return watch


@transaction.atomic
def change_watch(*, watch: Watch, wish: Wish, now: datetime, by: Any = None) -> Watch:
    """Change a watch; ``by`` is who does it, its user when not given. What it was before stays as a version.

    New questions, as those to a marketplace added to it, begin with a silent baseline; under a changed rule, what was
    listed since the last check is still new, while changed triggers measure from the price that is seen next. Raises
    ``ValidationError`` with a sentence per field; nothing is saved then.
    """
    before, asked, told = rule_of(watch), _targets_of(watch), triggers_of(watch)
    said = versions.values_of(watch)
    _fill(watch, checked(wish), now)
    quotas.check(watch=watch, asked=len(asked))
    watch.save(update_fields=[*WISHED, "currency", "updated_at"])
    versions.keep(watch=watch, by=by or watch.user, now=now)
    versions.write_down(watch, "change", now, before=said, after=versions.values_of(watch))
    questions.link(watch=watch, now=now, quiet=True)
    if watch.is_of_listing and triggers_of(watch) != told:
        questions.begin_again(watch=watch, began_at=now)
    elif not watch.is_of_listing and rule_of(watch) != before:
        questions.look_again(watch=watch, target_ids=asked, now=now)
    follow.settle_looks(target_ids=asked | _targets_of(watch), now=now)
    return watch


def _fill(watch: Watch, wish: Wish, now: datetime) -> None:
    for name in WISHED:
        value = getattr(wish, name)
        setattr(watch, name, list(value) if isinstance(value, tuple) else value)
    watch.options = {name: _plain(options) for name, options in wish.options.items()}
    watch.currency = currency_of(wish.marketplaces[0])
    watch.updated_at = now


def _plain(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in options.items()}


def restore_version(*, version: WatchVersion, by: Any, now: datetime) -> Watch:
    """Wish again what a version says, as a new version. Raises what :func:`change_watch` raises."""
    return change_watch(watch=version.watch, wish=versions.wish_of(version.wish), by=by, now=now)


@transaction.atomic
def copy_watch(*, watch: Watch, now: datetime) -> Watch:
    """A paused watch of the same wish and tags, under a name that says so. Raises what :func:`create_watch` raises."""
    wish = versions.wish_of(versions.values_of(watch))
    name = gettext("Copy of %(name)s") % {"name": wish.name}
    copy = create_watch(user=watch.user, wish=replace(wish, name=name[:LONGEST_NAME].rstrip()), now=now)
    pause_watch(watch=copy, now=now)
    WatchTag.objects.bulk_create([WatchTag(watch=copy, tag=tag) for tag in watch.tags.all()])
    return copy


@transaction.atomic
def pause_watch(*, watch: Watch, now: datetime) -> bool:
    """Stop asking for this watch; whether it was on.

    Its targets go on for the others who ask them; what it doubts is left undecided.
    """
    questions.lock(_targets_of(watch))
    was_on = Watch.objects.filter(pk=watch.pk, paused_at=None).update(paused_at=now, updated_at=now)
    if was_on:
        versions.write_down(watch, "pause", now)
        follow.follow_later(listing_ids=_give_up_doubts(watch), now=now)
        _settle(_targets_of(watch), now)
    return bool(was_on)


@transaction.atomic
def resume_watch(*, watch: Watch, now: datetime) -> bool:
    """Ask again; whether it was paused.

    What came and went meanwhile is the new baseline: a long pause does not end in a flood.
    """
    was_paused = Watch.objects.filter(pk=watch.pk).exclude(paused_at=None).update(paused_at=None, updated_at=now)
    if was_paused:
        versions.write_down(watch, "resume", now)
        questions.lock(_targets_of(watch))
        questions.begin_again(watch=watch, began_at=now)
        Target.objects.looks().filter(links__watch=watch).update(empty_streak=0)
        # What it watched may have been listed again meanwhile.
        follow.follow_later(listing_ids=_watched_by(watch), now=now)
        _settle(_targets_of(watch), now)
    return bool(was_paused)


def _settle(target_ids: set[int], now: datetime) -> None:
    """Bring what a watch asks, or has asked, in line with those who ask it now."""
    questions.settle(target_ids=target_ids, now=now)
    follow.settle_looks(target_ids=target_ids, now=now)


@transaction.atomic
def delete_watch(*, watch: Watch, now: datetime) -> None:
    """Remove a watch and its matches; listings and their prices stay."""
    targets = _targets_of(watch)
    questions.lock(targets)
    listings = follow.looked_at(Match.objects.filter(watch=watch)) | _give_up_doubts(watch)
    versions.write_down(watch, "remove", now, before={"name": watch.name})
    watch.delete()
    tagging.forget_unused(watch.user)
    follow.follow_later(listing_ids=listings, now=now)
    _settle(targets, now)


def _give_up_doubts(watch: Watch) -> set[int]:
    """Nothing is decided for a watch that does not ask; returns the listings that are looked at because of it.

    Its targets are held. As in a recording, doubts come before the outbox, so that neither waits for the other.
    """
    doubts = Doubt.objects.still_open().filter(watch=watch)
    listings = follow.looked_at(doubts)
    doubts.delete()
    return listings


def _targets_of(watch: Watch) -> set[int]:
    return set(watch.links.values_list("target_id", flat=True))


def _watched_by(watch: Watch) -> set[int]:
    return set(Listing.objects.filter(look__links__watch=watch).values_list("pk", flat=True))


@transaction.atomic
def check_now(*, watch: Watch, now: datetime) -> None:
    """Move this watch's next check to now; the marketplace's pace still holds."""
    if watch.is_of_listing:
        follow.hurry_looks(target_ids=_targets_of(watch), now=now)
    else:
        outbox.write(topic=CHECK_NOW, object_ids=_targets_of(watch), now=now)


@transaction.atomic
def release_target(*, target: Target, now: datetime) -> None:
    """Take a target out of quarantine."""
    Target.objects.filter(pk=target.pk).update(quarantined_at=None, last_error="", failures=0)
    if target.is_look:
        follow.settle_looks(target_ids=[target.pk], now=now)
    elif target.search_id is not None:
        sold.settle(search_ids=[target.search_id], now=now)
    else:
        questions.settle(target_ids={target.pk}, now=now)


@transaction.atomic
def ignore_match(*, match: Match, now: datetime) -> None:
    """Put a match aside; a listing that nobody else wants is followed no more."""
    Match.objects.filter(pk=match.pk).update(state=MatchState.IGNORED)
    follow.settle(listing_ids=[match.listing_id], now=now)


@transaction.atomic
def restore_match(*, match: Match, now: datetime) -> None:
    """Take back :func:`ignore_match`."""
    if Match.objects.filter(pk=match.pk, state=MatchState.IGNORED).update(state=MatchState.SEEN):
        follow.settle(listing_ids=[match.listing_id], now=now)


def see_matches(*, user: Any, match_ids: Iterable[int]) -> int:
    """Mark new matches as seen; returns how many were new."""
    return Match.objects.of(user).filter(pk__in=list(match_ids), state=MatchState.NEW).update(state=MatchState.SEEN)


def see_all(*, matches: MatchQuerySet) -> int:
    """Mark the new ones among these matches as seen, in one step; returns how many were new."""
    return matches.filter(state=MatchState.NEW).order_by().update(state=MatchState.SEEN)

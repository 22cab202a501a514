"""Sellers and phrases that a person never wants to see."""

import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from monitor_site.marketplaces.catalog import catalog

from . import follow
from .matching import Blocks
from .matching.words import alternatives
from .models import Block, BlockKind, Match, MatchState
from .text import Reading, contains, fold

LONGEST_SELLER = 64
LONGEST_PHRASE = 60
LONGEST_KEY = 200
LONGEST_NOTE = 200
LONGEST_LABEL = 120
MOST_BLOCKS = 1000
MOST_SEARCHED = 5000
AT_ONCE = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A block, whether it is new, and how many new matches it put aside."""

    block: Block
    new: bool
    put_aside: int


class BlockBook:
    """The blocks of several people, read in one query."""

    def __init__(self, user_ids: Collection[int]) -> None:
        self._values: dict[tuple[int, str], list[str]] = {}
        rows = Block.objects.filter(user__in=user_ids).order_by("pk").values_list("user_id", "marketplace", "value")
        for user_id, marketplace, value in rows:
            self._values.setdefault((user_id, marketplace), []).append(value)

    def of(self, user_id: int, marketplace: str) -> Blocks:
        """What this person has blocked there; phrases are blocked everywhere."""
        sellers, phrases = self._values.get((user_id, marketplace), ()), self._values.get((user_id, ""), ())
        return Blocks(sellers=tuple(sellers), phrases=tuple(phrases))


def blocks_of(user: Any, marketplaces: Iterable[str]) -> dict[str, Blocks]:
    """What a person has blocked at each of these marketplaces."""
    book = BlockBook({user.pk})
    return {name: book.of(user.pk, name) for name in marketplaces}


@dataclass(frozen=True, slots=True, kw_only=True)
class SellerOf:
    """A seller at a marketplace; ``name`` is empty when nobody has told it."""

    marketplace: str
    id: str
    name: str = ""


@transaction.atomic
def block_seller(*, user: Any, seller: SellerOf, now: datetime, note: str = "") -> Made:
    """Nothing of this seller comes any more, and what is new of them is put aside. Raises ``ValidationError``."""
    name, marketplace = seller.id.strip(), seller.marketplace
    if marketplace not in catalog().plugins:
        raise ValidationError(_("Please choose a marketplace."))
    if not name or len(name) > LONGEST_SELLER or _has_control(name):
        raise ValidationError(_("Please give the seller's ID as the marketplace writes it."))
    facts = {"kind": BlockKind.SELLER, "marketplace": marketplace, "key": name}
    shown = {"value": name, "label": seller.name[:LONGEST_LABEL], "note": _note(note), "created_at": now}
    block, new = _make(user, facts, shown)
    theirs = _new_matches(user).filter(listing__marketplace=marketplace, listing__seller_id=name)
    return Made(block=block, new=new, put_aside=_put_aside(block, theirs.values_list("pk", flat=True), now))


@transaction.atomic
def block_phrase(*, user: Any, phrase: str, now: datetime, note: str = "") -> Made:
    """Nothing with this phrase comes any more, and what is new with it is put aside. Raises ``ValidationError``."""
    phrase = " ".join(phrase.split())
    key = fold(phrase)
    if not key.strip("ー| ") or _has_control(phrase):
        raise ValidationError(_("Please give a phrase that can be searched for."))
    if len(phrase) > LONGEST_PHRASE or len(key) > LONGEST_KEY:
        raise ValidationError(_("The phrase is longer than %(n)d characters.") % {"n": LONGEST_PHRASE})
    facts = {"kind": BlockKind.PHRASE, "marketplace": "", "key": key}
    block, new = _make(user, facts, {"value": phrase, "note": _note(note), "created_at": now})
    return Made(block=block, new=new, put_aside=_put_aside(block, _holding(user, phrase), now))


def _has_control(text: str) -> bool:
    return any(unicodedata.category(char) in {"Cc", "Cs", "Cn"} for char in text)


def _note(note: str) -> str:
    clean = " ".join(note.split())
    if len(clean) > LONGEST_NOTE or _has_control(clean):
        raise ValidationError(_("The note is longer than %(n)d characters.") % {"n": LONGEST_NOTE})
    return clean


def _make(user: Any, facts: Mapping[str, Any], shown: Mapping[str, Any]) -> tuple[Block, bool]:
    block, new = Block.objects.get_or_create(user=user, **facts, defaults=shown)
    if new and Block.objects.of(user).count() > MOST_BLOCKS:
        sentence = ngettext(
            "You may block %(n)d seller or phrase. Remove it to block another one.",
            "You may block %(n)d sellers and phrases. Remove some that you no longer need.",
            MOST_BLOCKS,
        )
        raise ValidationError(sentence % {"n": MOST_BLOCKS})
    return block, new


def _new_matches(user: Any) -> QuerySet[Match]:
    return Match.objects.of(user).told().filter(state=MatchState.NEW).order_by("-pk")


def _holding(user: Any, phrase: str) -> list[int]:
    """The new matches among the newest so many whose title or description holds a phrase, as a rule would find it."""
    texts = _new_matches(user).values_list("pk", "listing__title", "listing__description")[:MOST_SEARCHED]
    return [pk for pk, *parts in texts if any(_holds(Reading(part), phrase) for part in parts)]


def _holds(text: Reading, phrase: str) -> bool:
    return any(contains(text, one) for one in alternatives(phrase))


def _put_aside(block: Block, match_ids: Iterable[int], now: datetime) -> int:
    """Ignore these new matches on the block's account; returns how many."""
    ids, count = list(match_ids), 0
    for start in range(0, len(ids), AT_ONCE):
        new = Match.objects.filter(pk__in=ids[start : start + AT_ONCE], state=MatchState.NEW)
        count += new.update(state=MatchState.IGNORED, blocked_by=block)
    follow.follow_later(listing_ids=_listings_of(block), now=now)
    return count


def _listings_of(block: Block) -> list[int]:
    return list(Match.objects.filter(blocked_by=block).values_list("listing_id", flat=True))


@transaction.atomic
def unblock(*, block: Block, now: datetime) -> int:
    """Remove a block; what it put aside and is still there is new again. Returns how many matches that are."""
    follow.follow_later(listing_ids=_listings_of(block), now=now)
    back = Match.objects.filter(blocked_by=block, state=MatchState.IGNORED)
    count = back.update(state=MatchState.NEW, blocked_by=None)
    block.delete()
    return count

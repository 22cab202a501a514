"""How the listings of listing watches stand, in words: for the list of watches and the page of one."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext

from monitor_site import wording
from monitor_site.contract import ListingGone
from monitor_site.watches.facts import OVER
from monitor_site.watches.looks import GONE_TIMES
from monitor_site.watches.models import Listing, Target, Watch, WatchTarget
from monitor_site.watches.trigger_words import change_words
from monitor_site.watches.triggers import BEGAN, TOLD, Memory, from_plain

from .standing import standing_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Watched:
    """A listing watch and its listing, ``None`` while nobody knows whether there is one.

    ``price`` is the present one in words, ``change`` how it compares with what it is measured from. ``end`` says why
    nothing is asked any more, and is empty while something is; ``bad``: since there is no such listing.
    """

    listing: Listing | None
    memory: Memory
    price: str
    change: str
    end: str
    bad: bool = False


def watched_by(watches: Iterable[Watch], *, now: datetime) -> dict[int, Watched]:
    """Of those of these watches that are about one listing; one question, none where there is no such watch."""
    asked = {watch.pk: watch for watch in watches if watch.is_of_listing}
    if not asked:
        return {}
    links = WatchTarget.objects.filter(watch__in=list(asked), target__kind="listing").select_related("target__listing")
    return {link.watch_id: _watched(asked[link.watch_id], link, now) for link in links}


def _watched(watch: Watch, link: WatchTarget, now: datetime) -> Watched:
    listing, memory = link.target.listing, from_plain(link.memory)
    unknown = listing is None and is_unknown(link.target)
    return Watched(
        listing=listing,
        memory=memory,
        price=wording.money(listing.price, listing.currency) if listing else "",
        change=_change(listing, memory),
        end=gettext("No such listing") if unknown else _end(watch, listing, now),
        bad=unknown,
    )


def is_unknown(target: Target) -> bool:
    """The marketplace has said often enough that there is no such listing."""
    return target.last_error == ListingGone.code and target.empty_streak >= GONE_TIMES


def _change(listing: Listing | None, memory: Memory) -> str:
    if listing is None or not listing.price or not memory.base:
        return ""
    return change_words(listing.price, memory.base, since=BEGAN if memory.base == memory.began else TOLD)


def _end(watch: Watch, listing: Listing | None, now: datetime) -> str:
    """What is over is watched no more, unless it may come back; reserved and taken offline it is asked for as ever."""
    if listing is None or listing.status not in OVER:
        return ""
    word = standing_of(listing, now=now).word
    return gettext("%(state)s; waiting for it to come back") % {"state": word} if watch.back_on_sale else word

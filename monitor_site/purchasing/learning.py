"""What a declined proposal teaches: a lower limit, words not wanted, a seller to block; and the way back."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from monitor_site.watches import blocking, services, versions
from monitor_site.watches.blocking import SellerOf
from monitor_site.watches.models import Block, Watch

from .models import Order
from .rules import lower_limit, raise_again

Learned = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What is to hold from now on: nothing above ``limit`` is proposed, nothing with these words matches, nothing of
    this seller is shown.
    """

    limit: int | None = None
    words: tuple[str, ...] = ()
    block_seller: bool = False


NOTHING = Lesson()


def learn(*, order: Order, lesson: Lesson, now: datetime) -> Learned:
    """Add it to the rules of the order's watch; what was added, as it is written down. Raises ``ValidationError``.

    Within the transaction of the answer.
    """
    if lesson.block_seller:
        return _block(order, now)
    if lesson == NOTHING:
        return {}
    if order.watch is None:
        raise ValidationError(_("Its watch is not there any more, so no rule can be added to it."))
    return _exclude(order.watch, lesson.words, now) if lesson.words else _lower(order.watch, lesson.limit or 0, now)


def _block(order: Order, now: datetime) -> Learned:
    thing = order.listing
    seller = SellerOf(marketplace=thing.marketplace, id=thing.seller_id, name=thing.seller_name)
    made = blocking.block_seller(user=order.user, seller=seller, now=now)
    return {"block": made.block.pk, "seller": made.block.label or made.block.value} if made.new else {}


def _exclude(watch: Watch, words: tuple[str, ...], now: datetime) -> Learned:
    if watch.is_of_listing:
        raise ValidationError(_("This watch is of one listing, so no words can be excluded."))
    wish, before = versions.wish_of(versions.values_of(watch)), set(watch.none_of)
    services.change_watch(watch=watch, wish=replace(wish, none_of=(*wish.none_of, *words)), now=now)
    added = [word for word in watch.none_of if word not in before]
    return {"words": added} if added else {}


def _lower(watch: Watch, limit: int, now: datetime) -> Learned:
    was = lower_limit(watch=watch, price_max=limit, now=now)
    if was is None:
        raise ValidationError(_("The new highest price must be above 0 and below the one of the rule."))
    return {"limit": limit, "was": was}


@transaction.atomic
def forget(*, order: Order, learned: Learned, now: datetime) -> bool:
    """Take back what :func:`learn` added, as far as it still stands as it was added; whether anything was."""
    if "block" in learned:
        block = Block.objects.of(order.user).filter(pk=learned["block"]).first()
        if block is not None:
            blocking.unblock(block=block, now=now)
        return block is not None
    if order.watch is None or not is_in_force(order, learned, blocks=()):
        return False
    if "words" in learned:
        return _include(order.watch, learned["words"], now)
    return raise_again(watch=order.watch, from_price=learned["limit"], to_price=learned["was"], now=now)


def _include(watch: Watch, words: list[str], now: datetime) -> bool:
    wish = versions.wish_of(versions.values_of(watch))
    kept = tuple(word for word in wish.none_of if word not in words)
    services.change_watch(watch=watch, wish=replace(wish, none_of=kept), now=now)
    return True


def is_in_force(order: Order, learned: Learned, *, blocks: Any) -> bool:
    """Whether what was added still holds; ``blocks`` are the numbers of those that are there."""
    if "block" in learned:
        return learned["block"] in blocks
    if order.watch is None:
        return False
    if "words" in learned:
        return bool(set(learned["words"]) & set(order.watch.none_of))
    rule: Any = getattr(order.watch, "buy_rule", None)
    return "limit" in learned and rule is not None and rule.price_max == learned["limit"]

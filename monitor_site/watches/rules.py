"""What a watch accepts, as the matching knows it. Pure."""

from datetime import timedelta

from .matching import NO_BLOCKS, Blocks, Rule
from .models import ShippingWish, Watch


def rule_of(watch: Watch, *, blocks: Blocks = NO_BLOCKS) -> Rule:
    """The watch's limits as plain values, together with what its user blocks everywhere."""
    return Rule(
        must=tuple(watch.must),
        any_of=tuple(watch.any_of),
        none_of=tuple(watch.none_of),
        blocked_phrases=blocks.phrases,
        in_description=watch.in_description,
        pattern=watch.pattern,
        price_min=watch.price_min,
        price_max=watch.price_max,
        currency=watch.currency,
        landed=watch.landed,
        kinds=tuple(watch.kinds),
        conditions=tuple(watch.conditions),
        shipping_included=watch.shipping == ShippingWish.INCLUDED,
        blocked_sellers=blocks.sellers,
        rating_min=watch.rating_min,
        rated_min=watch.rated_min,
        bids_max=watch.bids_max,
        ends_within=None if watch.ends_within_minutes is None else timedelta(minutes=watch.ends_within_minutes),
        listed_within=None if watch.listed_within_hours is None else timedelta(hours=watch.listed_within_hours),
    )

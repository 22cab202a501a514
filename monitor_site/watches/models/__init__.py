"""Watches and what checks found for them. Constraints repeat every promise that a service makes."""

from .checks import Check, Outcome
from .listings import EventKind, Listing, ListingEvent, PricePoint
from .matches import Cause, Match, MatchQuerySet, MatchState, new_public_id
from .prices import Sample, WatchPrices
from .watches import Policy, ShippingWish, Target, TargetKind, TargetQuerySet, Watch, WatchQuerySet, WatchTarget

__all__ = [
    "Cause",
    "Check",
    "EventKind",
    "Listing",
    "ListingEvent",
    "Match",
    "MatchQuerySet",
    "MatchState",
    "Outcome",
    "Policy",
    "PricePoint",
    "Sample",
    "ShippingWish",
    "Target",
    "TargetKind",
    "TargetQuerySet",
    "Watch",
    "WatchPrices",
    "WatchQuerySet",
    "WatchTarget",
    "new_public_id",
]

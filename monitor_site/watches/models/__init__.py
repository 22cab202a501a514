"""Watches and what checks found for them. Constraints repeat every promise that a service makes."""

from .checks import Check, Outcome
from .crossings import Crossing, CrossingKind
from .doubts import Doubt, DoubtOutcome, DoubtQuerySet
from .listings import EventKind, Listing, ListingEvent, PricePoint
from .matches import Cause, Match, MatchQuerySet, MatchState, new_public_id
from .people import Block, BlockKind, Note, Tag, WatchTag, WatchVersion
from .prices import Sample, WatchPrices
from .targets import Target, TargetKind, TargetQuerySet, WatchTarget
from .watches import Policy, RelistedWish, ShippingWish, Watch, WatchKind, WatchQuerySet

__all__ = [
    "Block",
    "BlockKind",
    "Cause",
    "Check",
    "Crossing",
    "CrossingKind",
    "Doubt",
    "DoubtOutcome",
    "DoubtQuerySet",
    "EventKind",
    "Listing",
    "ListingEvent",
    "Match",
    "MatchQuerySet",
    "MatchState",
    "Note",
    "Outcome",
    "Policy",
    "PricePoint",
    "RelistedWish",
    "Sample",
    "ShippingWish",
    "Tag",
    "Target",
    "TargetKind",
    "TargetQuerySet",
    "Watch",
    "WatchKind",
    "WatchPrices",
    "WatchQuerySet",
    "WatchTag",
    "WatchTarget",
    "WatchVersion",
    "new_public_id",
]

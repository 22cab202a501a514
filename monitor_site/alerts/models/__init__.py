"""Where people are told, what they are told of, and what became of every message."""

from .alerts import Alert, AlertKind, Held, Notice, WatchAlerts
from .channels import FAILING_AFTER, Channel, ChannelQuerySet, Importance
from .deliveries import Delivery, DeliveryState
from .feeds import Feed, FeedKind
from .troubles import Trouble, TroubleKind

__all__ = [
    "FAILING_AFTER",
    "Alert",
    "AlertKind",
    "Channel",
    "ChannelQuerySet",
    "Delivery",
    "DeliveryState",
    "Feed",
    "FeedKind",
    "Held",
    "Importance",
    "Notice",
    "Trouble",
    "TroubleKind",
    "WatchAlerts",
]

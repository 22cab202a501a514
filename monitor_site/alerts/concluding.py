"""What an answer means for a message and for its channel. In one transaction, under the channel's fence."""

from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Q

from .claiming import Parcel
from .models import FAILING_AFTER, Alert, AlertKind, Channel, Delivery, DeliveryState, Notice
from .routing import routes_of
from .telling import CHANNEL_TROUBLE, Draft, notify, publish
from .ways.values import Answer, Outcome

# Nine tries within 23 hours: a day without a sink ends in a message that is seen to be undelivered, not in silence.
WAITS = (5, 30, 120, 600, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600)
LONGEST_WAIT = timedelta(hours=6)
LONGEST_THROTTLE = timedelta(hours=24)
# Nothing we could send would be taken there.
OVER = frozenset({Outcome.GONE, Outcome.UNSAFE})
CHANNEL_FAULTS = frozenset({Outcome.FORBIDDEN, Outcome.UNREACHABLE, *OVER})


@transaction.atomic
def conclude(*, parcel: Parcel, answer: Answer, now: datetime) -> bool:
    """Write down what became of a message; ``False`` when the channel has been another worker's meanwhile."""
    channel = Channel.objects.select_for_update().filter(pk=parcel.channel.pk, fence=parcel.fence).first()
    if channel is None:
        return False
    delivery = Delivery.objects.select_for_update().get(pk=parcel.delivery.pk)
    delivery.attempts, delivery.tried_at = delivery.attempts + 1, now
    delivery.outcome, delivery.status = answer.outcome, answer.status
    delivery.words, delivery.seconds = answer.words[:300], answer.seconds
    _judge(delivery, answer, now)
    delivery.save()
    _note(channel, delivery, answer, now)
    if delivery.state == DeliveryState.DEAD:
        alert_ids = set(delivery.notices.values_list("alert_id", flat=True))
        pass_on(channel=channel, alert_ids=alert_ids, now=now)
    return True


def _judge(delivery: Delivery, answer: Answer, now: datetime) -> None:
    if answer.outcome == Outcome.ACCEPTED:
        _end(delivery, DeliveryState.SENT, now)
    elif answer.outcome == Outcome.THROTTLED and now < delivery.created_at + LONGEST_THROTTLE:
        delivery.due_at = now + asked_wait(answer)
    elif answer.outcome in {Outcome.FORBIDDEN, Outcome.UNREACHABLE} and delivery.attempts <= len(WAITS):
        delivery.due_at = now + max(timedelta(seconds=WAITS[delivery.attempts - 1]), asked_wait(answer, least=0))
    else:
        _end(delivery, DeliveryState.DEAD, now)


def _end(delivery: Delivery, state: DeliveryState, now: datetime) -> None:
    delivery.state, delivery.ended_at = state, now


def asked_wait(answer: Answer, *, least: float = 1.0) -> timedelta:
    """How long the other end asks us to wait, within reason."""
    asked = timedelta(seconds=max(least, answer.retry_after or 0))
    return min(asked, LONGEST_WAIT)


def _note(channel: Channel, delivery: Delivery, answer: Answer, now: datetime) -> None:
    """How the channel fares. What is wrong with a message alone says nothing about it."""
    changed: dict[str, Any] = {"busy_until": None, "last_outcome": answer.outcome}
    changed |= {"last_status": answer.status, "last_words": answer.words[:300]}
    if answer.outcome == Outcome.ACCEPTED:
        changed |= {"failures": 0, "failing_since": None, "rests_until": None, "disabled_at": None, "delivered_at": now}
    elif answer.outcome in CHANNEL_FAULTS:
        changed |= {"failures": channel.failures + 1, "failing_since": channel.failing_since or now, "failed_at": now}
        changed["disabled_at"] = now if answer.outcome in OVER else channel.disabled_at
    if answer.outcome != Outcome.ACCEPTED and delivery.state == DeliveryState.WAITING:
        changed["rests_until"] = delivery.due_at
    for name, value in changed.items():
        setattr(channel, name, value)
    channel.save(update_fields=list(changed))
    _sound(channel, answer, now)


def _sound(channel: Channel, answer: Answer, now: datetime) -> None:
    """Say on another channel that this one fails: when it has failed so often, and at once when it is given up."""
    if answer.outcome not in OVER and not (answer.outcome in CHANNEL_FAULTS and channel.failures == FAILING_AFTER):
        return
    draft = Draft(
        user_id=channel.user_id,
        kind=AlertKind.TROUBLE,
        key=f"channel:{channel.pk}:{channel.failing_since:%Y%m%d%H%M%S}",
        facts={"trouble": CHANNEL_TROUBLE, "channel": channel.name, "words": channel.last_words},
        only=stand_ins_of(channel),
    )
    publish([draft], now=now)
    _hand_over_waiting(channel, now)


def _hand_over_waiting(channel: Channel, now: datetime) -> None:
    """What waits here is told elsewhere too. It stays here as well: a channel that recovers is silent about nothing."""
    notices = Notice.objects.filter(Q(delivery=None) | Q(delivery__state=DeliveryState.WAITING), channel=channel)
    pass_on(channel=channel, alert_ids=set(notices.values_list("alert_id", flat=True)), now=now)


def pass_on(*, channel: Channel, alert_ids: Collection[int], now: datetime) -> None:
    """Have who stands in for a channel tell of these alerts; what concerns the channel alone stays with it."""
    alerts = Alert.objects.filter(pk__in=alert_ids).exclude(kind=AlertKind.TEST)
    alerts = alerts.exclude(kind=AlertKind.TROUBLE, facts__trouble=CHANNEL_TROUBLE)
    stand_ins = stand_ins_of(channel)
    notify([(alert, one) for alert in alerts.order_by("pk") for one in stand_ins], now=now)


def stand_ins_of(channel: Channel) -> list[Channel]:
    """Who tells what this channel cannot."""
    return routes_of(user_ids=[channel.user_id]).stand_ins(channel)

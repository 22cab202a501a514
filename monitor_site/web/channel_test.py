"""Sending a test: begin it, then watch each step until it has arrived or failed."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from monitor_site import wording
from monitor_site.alerts import faring, services
from monitor_site.alerts.claiming import told_today
from monitor_site.alerts.concluding import WAITS
from monitor_site.alerts.models import AlertKind, Channel, Delivery, DeliveryState, Notice
from monitor_site.alerts.would_tell import reasons

from .channel_pages import own_channel
from .channel_words import answer_words, reason_words

MOST_TRIES = len(WAITS) + 1
# Until then somebody sits and waits; afterwards the next try is minutes away.
LOOKED_AT_EAGERLY = timedelta(minutes=1)
# A worker takes a message within a second; after so long something is wrong.
TAKEN_WITHIN = timedelta(seconds=15)

ONE_PRESS = timedelta(seconds=5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step: ``tone`` is ``ok``, ``bad``, ``warn`` or empty for what is still to come."""

    words: str
    tone: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """How far a test is. ``every`` is how often to look again, in seconds; 0 when it has ended.

    ``hindrances`` are why real matches would not come; ``arrived`` says whether the test did.
    """

    steps: list[Step]
    every: int
    arrived: bool
    hindrances: list[str]


@own_channel
@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest, channel: Channel) -> HttpResponse:
    """Begin a test, or look at the last one; a script that looks again gets the steps alone."""
    notice, now = last_test(channel), timezone.now()
    if request.method == "POST":
        if notice is None or not _is_fresh(notice, now):
            services.begin_test(channel=channel, now=now)
        return redirect("channel-test", channel.pk)
    progress = None if notice is None else progress_of(notice, channel, now=now)
    name = "_test" if request.headers.get("HX-Request") else "test"
    return render(request, f"web/channels/{name}.html", {"channel": channel, "progress": progress})


def last_test(channel: Channel) -> Notice | None:
    """The newest test of a channel."""
    tests = Notice.objects.filter(channel=channel, alert__kind=AlertKind.TEST)
    return tests.select_related("delivery").order_by("-pk").first()


def _is_fresh(notice: Notice, now: datetime) -> bool:
    """A second press within a moment means the same test."""
    ended = notice.delivery is not None and notice.delivery.state != DeliveryState.WAITING
    return not ended and now - notice.created_at < ONE_PRESS


def progress_of(notice: Notice, channel: Channel, *, now: datetime) -> Progress:
    """The steps of a test so far, and once it has arrived what a real match would meet."""
    delivery = notice.delivery
    arrived = delivery is not None and delivery.state == DeliveryState.SENT
    ended = delivery is not None and delivery.state != DeliveryState.WAITING
    eager = now - notice.created_at < LOOKED_AT_EAGERLY
    return Progress(
        steps=[Step(words=gettext("Queued"), tone="ok", at=notice.created_at), *_steps(notice, delivery, now)],
        every=0 if ended else 1 if eager else 15,
        arrived=arrived,
        hindrances=_hindrances(channel, now) if arrived else [],
    )


def _steps(notice: Notice, delivery: Delivery | None, now: datetime) -> list[Step]:
    if delivery is None:
        late = now - notice.created_at > TAKEN_WITHIN
        words = gettext("No worker has taken it yet. Is one running?") if late else gettext("Waits for a worker")
        return [Step(words=words, tone="warn" if late else "")]
    if delivery.tried_at is None:
        return [Step(words=gettext("Is being sent"))]
    return [Step(words=gettext("Sent to the provider"), tone="ok", at=delivery.tried_at), *_answers(delivery, now)]


def _answers(delivery: Delivery, now: datetime) -> list[Step]:
    if delivery.state == DeliveryState.SENT:
        return [Step(words=_accepted(delivery), tone="ok", at=delivery.ended_at)]
    said = answer_words(outcome=delivery.outcome, status=delivery.status, words=delivery.words)
    took = gettext("After %(time)s: %(words)s") % {"time": _took(delivery), "words": said}
    if delivery.state == DeliveryState.DEAD:
        return [Step(words=took, tone="bad"), Step(words=gettext("Not delivered, and not tried again."), tone="bad")]
    facts = {"n": delivery.attempts, "most": MOST_TRIES, "time": wording.until(delivery.due_at, now=now)}
    words = gettext("Try %(n)d of %(most)d failed; next try %(time)s") % facts
    return [Step(words=took, tone="warn"), Step(words=words, at=delivery.due_at)]


def _took(delivery: Delivery) -> str:
    return wording.milliseconds(round((delivery.seconds or 0) * 1000))


def _accepted(delivery: Delivery) -> str:
    facts: dict[str, Any] = {"status": delivery.status, "time": _took(delivery)}
    if delivery.status is None:
        return gettext("The provider took it after %(time)s") % facts
    return gettext("The provider answered %(status)d in %(time)s") % facts


def _hindrances(channel: Channel, now: datetime) -> list[str]:
    found = reasons(
        channel,
        usage=faring.uses_of(channel.user).usage(channel),
        told_today=told_today(channel, now=now),
        zone=ZoneInfo(channel.user.time_zone),
        now=now,
    )
    return [reason_words(reason, now=now) for reason in found]

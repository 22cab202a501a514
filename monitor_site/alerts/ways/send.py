"""One message out on one channel: the only door of this package for whoever delivers."""

import asyncio
import base64
from collections.abc import Mapping
from dataclasses import asdict, fields, replace
from datetime import datetime
from typing import Any, Self

import structlog
from django.utils import timezone

from monitor_site.marketplaces.transport import Resolve, resolve

from .answers import Call, verdict, without_secrets
from .apprise_process import AppriseProcess
from .compose import Wording, destination, plainly, wording
from .guard import networks_now
from .kinds import KINDS
from .mail import Mailer
from .posting import Poster
from .values import Answer, Message, Outcome, Picture
from .webhook import post_signed
from .webpush import push

DEADLINE_SECONDS = 10.0

log = structlog.get_logger(__name__)


class Way:
    """What sending needs, opened once for a loop's life: connections, the process for Apprise, threads for mail."""

    def __init__(self, *, resolve: Resolve = resolve, deadline_seconds: float = DEADLINE_SECONDS) -> None:
        networks = networks_now()
        self.poster = Poster(networks, resolve=resolve)
        self.apprise = AppriseProcess(networks)
        self.mailer = Mailer()
        self.deadline_seconds = deadline_seconds

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_error: object) -> None:
        await self.close()

    async def warm(self) -> None:
        """Start the process for Apprise now, so that the first message need not wait the second this takes."""
        await self.apprise.warm()

    async def close(self) -> None:
        """End all of it."""
        self.mailer.close()
        await self.poster.close()
        await self.apprise.close()


async def send(*, kind: str, settings: Mapping[str, str], message: Message, way: Way) -> Answer:
    """One attempt, within ten seconds. Raises nothing but ``CancelledError``."""
    clock = asyncio.get_running_loop().time
    started = clock()
    try:
        async with asyncio.timeout(way.deadline_seconds):
            answer = await _sent(kind, settings, message, way, until=started + way.deadline_seconds)
    except TimeoutError:
        answer = Answer(outcome=Outcome.UNREACHABLE)
    except Exception as error:  # noqa: BLE001 - one broken channel must not stop the others
        # Its name alone: the words could hold the secrets of the channel.
        log.warning("alert.way_failed", kind=kind, error=type(error).__name__)
        answer = Answer(outcome=Outcome.UNREACHABLE)
    words = without_secrets(answer.words, _secrets(kind, settings)) if _speaks(kind) else ""
    return replace(answer, words=words, seconds=clock() - started)


def _speaks(kind: str) -> bool:
    """Whether the words are a provider's, not those of a machine that a user chose."""
    return kind in KINDS and not KINDS[kind].own_host


def _secrets(kind: str, settings: Mapping[str, str]) -> list[str]:
    return [settings.get(spec.name, "") for spec in fields(KINDS[kind].settings) if spec.metadata["secret"]]


async def _sent(kind: str, settings: Mapping[str, str], message: Message, way: Way, *, until: float) -> Answer:
    now = timezone.now()
    if kind == "webhook":
        return await post_signed(settings, message, poster=way.poster, now=now)
    if kind == "webpush":
        return await push(settings, message, poster=way.poster, now=now)
    if kind == "mail":
        return await way.mailer.send(settings, message)
    return await _through_apprise(kind, settings, message, way, until=until)


async def _through_apprise(
    kind: str, settings: Mapping[str, str], message: Message, way: Way, *, until: float
) -> Answer:
    """As this kind shows it best; where that is refused, once more as plain text without a picture."""
    try:
        to = destination(kind, settings, message)
    except ValueError:
        return Answer(outcome=Outcome.FORBIDDEN)
    now = timezone.now()
    picture = message.picture if KINDS[kind].takes_picture else None
    wanted = {"to": to, "hasty": kind != "other"}
    best = wording(kind, message)
    answer = _understood(await way.apprise.ask(wanted | _said(best, picture), until=until), kind, now)
    plain = plainly(kind, message)
    if answer.outcome is not Outcome.REFUSED or (best == plain and picture is None):
        return answer
    return _understood(await way.apprise.ask(wanted | _said(plain, None), until=until), kind, now)


def _said(wording: Wording, picture: Picture | None) -> dict[str, Any]:
    shown = None
    if picture is not None:
        data = base64.b64encode(picture.data).decode()
        shown = {"name": picture.name, "media_type": picture.media_type, "data": data}
    return asdict(wording) | {"picture": shown}


def _understood(found: dict[str, Any] | None, kind: str, now: datetime) -> Answer:
    if found is None:
        return Answer(outcome=Outcome.UNREACHABLE)
    if found["unsafe"]:
        return Answer(outcome=Outcome.UNSAFE)
    if found["taken"] is None:
        return Answer(outcome=Outcome.FORBIDDEN)
    verdicts = [verdict(Call(**call), now) for call in found["calls"]]
    return _weighed(verdicts, taken=found["taken"], text_first=kind != "other")


def _weighed(verdicts: list[Answer], *, taken: bool, text_first: bool) -> Answer:
    """One answer out of all: a text that was taken is there, whatever became of the picture behind it."""
    if text_first and verdicts and verdicts[0].outcome is Outcome.ACCEPTED:
        return verdicts[0] if len(verdicts) > 1 or taken else replace(verdicts[0], outcome=Outcome.REFUSED)
    bad = next((each for each in verdicts if each.outcome is not Outcome.ACCEPTED), None)
    if bad is not None:
        return bad
    if taken:
        return Answer(outcome=Outcome.ACCEPTED, status=verdicts[-1].status if verdicts else None)
    return Answer(outcome=Outcome.REFUSED if verdicts else Outcome.UNREACHABLE)

"""Channels in words: what they are, how they are, what an answer said, and why a match would not come."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import datetime, timedelta

from django.utils.functional import Promise
from django.utils.translation import gettext, ngettext, pgettext
from django.utils.translation import gettext_lazy as _

from monitor_site import wording
from monitor_site.alerts.models import AlertKind, Channel
from monitor_site.alerts.ways.kinds import kinds, target_of
from monitor_site.alerts.ways.values import Outcome
from monitor_site.alerts.would_tell import Reason, Why
from monitor_site.marketplaces import vault

Words = str | Promise
# Who mutes until they say so gets a date far beyond any message.
FOREVER = timedelta(days=365 * 500)
LANGUAGES: Mapping[str, Words] = {
    "": _("The language of these pages"),
    "zh-hans": "简体中文",
    "ja": "日本語",
    "en": "English",
}
GROUPS: Mapping[str, Words] = {
    "push": _("Phone and browser"),
    "chat": _("Chat"),
    "mail": _("Mail"),
    "webhook": _("Webhook"),
    "other": _("Other services"),
}
KINDS_OF_ALERTS: Mapping[str, Words] = {kind.value: kind.label for kind in AlertKind if kind != AlertKind.TEST}
OUTCOMES: Mapping[str, Words] = {
    Outcome.THROTTLED: _("The provider asks us to wait."),
    Outcome.REFUSED: _("The provider does not take this message."),
    Outcome.FORBIDDEN: _("The provider refuses us: the address or the credentials are wrong."),
    Outcome.GONE: _("The place does not exist any more."),
    Outcome.UNREACHABLE: _("There was no answer in time, or the provider failed."),
    Outcome.UNSAFE: _("The address leads to a place where nothing is sent. Nothing was sent."),
}
REASONS: Mapping[Why, Words] = {
    Why.GIVEN_UP: _("The channel was given up: nothing goes there until a test arrives."),
    Why.UNUSED: _("No watch uses this channel."),
    Why.THRESHOLD: _("Every watch that uses it is less important than its threshold."),
    Why.KIND: _("It does not tell of new matches."),
    Why.MUTED: _("It is muted until %(time)s."),
    Why.QUIET: _("Quiet hours: what comes now is told at %(time)s."),
    Why.DIGEST: _("Matches come together; the next digest is at %(time)s."),
    Why.DAY: _("The most messages of this day are reached; it goes on at %(time)s."),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """How a channel is: a word, its tone (``ok``, ``warn``, ``bad`` or empty), and a sentence that says more."""

    word: str
    tone: str
    sentence: str = ""


def state_of(channel: Channel, *, now: datetime) -> State:
    """The one thing about a channel that matters most."""
    if channel.disabled_at is not None:
        word = gettext("Given up since %(time)s") % {"time": wording.clock(channel.disabled_at, now=now)}
        return State(word=word, tone="bad", sentence=_last(channel))
    if channel.failing_since is not None:
        word = gettext("Failing since %(time)s") % {"time": wording.clock(channel.failing_since, now=now)}
        sentence = " ".join(filter(None, [_last(channel), _next_try(channel, now)]))
        return State(word=word, tone="bad" if channel.is_failing else "warn", sentence=sentence)
    if channel.is_muted(now=now):
        return State(word=muted_words(channel, now=now), tone="")
    if channel.delivered_at is None:
        return State(word=gettext("Untested"), tone="warn", sentence=gettext("Nothing was delivered here yet."))
    return State(word=gettext("OK"), tone="ok")


def _next_try(channel: Channel, now: datetime) -> str:
    if channel.rests_until is None or channel.rests_until <= now:
        return ""
    words = ngettext(
        "%(n)d failure; next try at %(time)s.", "%(n)d failures in a row; next try at %(time)s.", channel.failures
    )
    return words % {"n": channel.failures, "time": wording.clock(channel.rests_until, now=now)}


def _last(channel: Channel) -> str:
    return answer_words(outcome=channel.last_outcome, status=channel.last_status, words=channel.last_words)


def answer_words(*, outcome: str, status: int | None, words: str) -> str:
    """What an answer meant, with what the provider itself said."""
    parts = [str(OUTCOMES[Outcome(outcome)])] if outcome in OUTCOMES else []
    if status is not None:
        parts.append(gettext("Status %(status)d.") % {"status": status})
    if words:
        parts.append(gettext("It said: “%(words)s”") % {"words": words})
    return " ".join(parts)


def forever(*, now: datetime) -> datetime:
    """The end of a mute that a person ends."""
    return now + FOREVER


def _has_no_end(moment: datetime, now: datetime) -> bool:
    return moment > now + FOREVER / 2


def muted_words(channel: Channel, *, now: datetime) -> str:
    """That it is muted, and until when where that is within reach."""
    if channel.muted_until is None or _has_no_end(channel.muted_until, now):
        return gettext("Muted")
    return gettext("Muted until %(time)s") % {"time": wording.clock(channel.muted_until, now=now)}


def reason_words(reason: Reason, *, now: datetime) -> str:
    """A reason in a sentence."""
    if reason.why == Why.MUTED and reason.until is not None and _has_no_end(reason.until, now):
        return gettext("It is muted until you end that.")
    time = wording.clock(reason.until, now=now) if reason.until else ""
    return str(REASONS[reason.why]) % {"time": time}


def kind_title(name: str) -> str:
    """The kind as the reader calls it; the bare name of one that is not known here any more."""
    kind = kinds().get(name)
    return str(kind.title) if kind else name


def secrets_of(channel: Channel) -> dict[str, str] | None:
    """What is stored under seal; ``None`` when it cannot be opened any more."""
    try:
        return vault.unseal(channel.sealed, identity=channel.identity)
    except vault.CannotOpen:
        return None


def place_words(channel: Channel) -> str:
    """Where it leads, with secrets masked."""
    if channel.kind not in kinds():
        return ""
    asked = {spec.name for spec in fields(kinds()[channel.kind].settings) if spec.metadata["shown"]}
    given = {**channel.values, **(secrets_of(channel) or {})}
    return target_of(channel.kind, {name: value for name, value in given.items() if name in asked})


def manner_words(channel: Channel) -> list[str]:
    """When and of what it tells, as far as that differs from everything at once."""
    found = []
    if channel.least:
        found.append(gettext("from importance “%(level)s” on") % {"level": channel.get_least_display()})
    if channel.quiet_from is not None and channel.quiet_until is not None:
        hours = {"from": clock_of(channel.quiet_from), "until": clock_of(channel.quiet_until)}
        found.append(gettext("quiet from %(from)s to %(until)s") % hours)
    if channel.digest_minutes:
        every = wording.duration(channel.digest_minutes * wording.MINUTE)
        found.append(gettext("together every %(time)s") % {"time": every})
    if channel.per_day is not None:
        found.append(gettext("at most %(n)s a day") % {"n": f"{channel.per_day:,}"})
    return found


def clock_of(minutes: int) -> str:
    """Minutes of a day as a time.

    >>> clock_of(22 * 60 + 30)
    '22:30'
    """
    return f"{minutes // 60:02}:{minutes % 60:02}"


def join_names(names: Iterable[str]) -> str:
    """Names as a list in the reader's language."""
    return pgettext("between names", ", ").join(names)


def language_words(channel: Channel) -> str:
    """The language of its messages."""
    return str(LANGUAGES.get(channel.language, channel.language))

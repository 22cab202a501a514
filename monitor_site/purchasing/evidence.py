"""What looks at an account's purchases prove about an order whose outcome nobody knows. Pure; silence is never a no.

A purchase is recognised by the exact listing in the exact account, never by its price or its time. That it was not
bought is believed only when whoever sent is dead, all that may lag has caught up, and several looks that saw a
purchase known from before saw none of this listing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

# What a request may be under way on the network after its deadline.
NETWORK_MOST = timedelta(minutes=1)
# How long a purchase may be missing in the account's own list, where the plugin does not say.
USUAL_LAG = timedelta(minutes=15)
# When to look after sight was lost, so that what was bought is known soon; then three times past the horizon, hourly.
LOOKS = (timedelta(seconds=15), timedelta(minutes=1), timedelta(minutes=5), timedelta(minutes=15))
EVERY = timedelta(hours=1)
LONGEST = timedelta(hours=24)
ENOUGH = 3


class Seen(StrEnum):
    """What a look saw: the listing among the purchases; its absence, proved by a purchase known from before; its
    absence without anything known from before that would prove it; or nothing at all.
    """

    FOUND = "found"
    ABSENT = "absent"
    UNPROVEN = "unproven"
    FAILED = "failed"


class Why(StrEnum):
    """Why a person has to decide."""

    CONTRADICTION = "contradiction"
    NOTHING_OLDER = "nothing_older"
    NO_ANSWER = "no_answer"


@dataclass(frozen=True, slots=True, kw_only=True)
class Look:
    """One look. ``number`` is the marketplace's for the purchase found; ``doubtful``: it was bought before we sent."""

    at: datetime
    seen: Seen
    number: str = ""
    doubtful: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """All that is known. ``lost_at``: since when nobody knows; ``said``: the number that the answer named, if any."""

    lost_at: datetime
    send_deadline: datetime
    lag: timedelta = USUAL_LAG
    said: str = ""
    looks: Sequence[Look] = ()

    @property
    def horizon(self) -> datetime:
        """From here on what was sent has arrived, and what was bought is in the list."""
        return self.send_deadline + NETWORK_MOST + self.lag


@dataclass(frozen=True, slots=True)
class Placed:
    """It was bought: this look saw it."""

    look: Look


@dataclass(frozen=True, slots=True)
class NotPlaced:
    """It was not bought, and will not be."""


@dataclass(frozen=True, slots=True)
class AskAgain:
    """Nobody knows yet."""

    at: datetime


@dataclass(frozen=True, slots=True)
class AskPerson:
    """It cannot be found out from here."""

    why: Why


Decision = Placed | NotPlaced | AskAgain | AskPerson


def decide(case: Case, *, now: datetime) -> Decision:
    """What follows from all looks so far."""
    found = [look for look in case.looks if look.seen == Seen.FOUND]
    if found:
        return AskPerson(Why.CONTRADICTION) if _contradicts(case, found) else Placed(found[-1])
    if now >= case.horizon and (verdict := _without_a_find(case)):
        return verdict
    if now >= case.lost_at + LONGEST:
        return AskPerson(Why.NO_ANSWER)
    return AskAgain(next_look(case, now=now))


def _contradicts(case: Case, found: Sequence[Look]) -> bool:
    """Two purchases, one that is gone again, one of before, or another than the answer named."""
    numbers = {look.number for look in found} | ({case.said} if case.said else set())
    gone = any(look.seen == Seen.ABSENT and look.at > found[0].at for look in case.looks)
    return len(numbers - {""}) > 1 or gone or any(look.doubtful for look in found)


def _without_a_find(case: Case) -> Decision | None:
    """What enough looks prove past the horizon. An answer that named a purchase is not outdone by a list without."""
    if _is_proved(case, Seen.ABSENT):
        return AskPerson(Why.CONTRADICTION) if case.said else NotPlaced()
    return AskPerson(Why.NOTHING_OLDER) if _is_proved(case, Seen.UNPROVEN) else None


def _is_proved(case: Case, seen: Seen) -> bool:
    """At least three looks past the horizon, spread over as long as it lasts: one clock that jumps proves nothing."""
    at = sorted(look.at for look in case.looks if look.seen == seen and look.at >= case.horizon)
    return len(at) >= ENOUGH and at[-1] - at[0] >= case.horizon - case.send_deadline


def next_look(case: Case, *, now: datetime) -> datetime:
    """The next moment of the plan: soon at first, three times from the horizon on, hourly, a last time after a day."""
    lasts = case.horizon - case.send_deadline
    planned = [case.lost_at + after for after in (*LOOKS, LONGEST)]
    soon = [at for at in (*planned, *(case.horizon + lasts * part / 2 for part in range(3))) if at > now]
    return min([*soon, now + EVERY])

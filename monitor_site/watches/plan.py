"""How often each question is asked where not every wish can be met. Pure, and the same whatever the order.

Where people want more than a marketplace's pace allows, it is shared among them by weight, as water fills glasses of
different size: who wants less than a fair share gets all of it, what they leave is the others'. What several people
ask is paid by each of them in part. So five thousand watches of one cannot starve the five of another.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from math import ceil, fsum

RESERVE = 0.1  # of the pace: for orders and previews
ASIDE = 0.2  # of the pace, at the most: for looks and questions for sales, which come after searches
NEW_PER_CHECKS = 10  # an adaptive question is asked so often for each time it brings something new
LITTLE_FASTER, LITTLE_SLOWER = 1.05, 1.1  # so little off the plan an interval stays as it is
NOBODY = 0


class Because(StrEnum):
    """Why a question is asked at another interval than it wishes."""

    WISHED = ""
    SHARED = "shared"
    GIVING = "giving"
    SILENT = "silent"
    LOAD = "load"


class Load(StrEnum):
    """How busy the machine is."""

    NORMAL = "normal"
    CAREFUL = "careful"
    SHEDDING = "shedding"


STRETCH = {Load.NORMAL: 1.0, Load.CAREFUL: 1.5, Load.SHEDDING: 3.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question: the interval it wishes, who pays for it, how many requests one check takes.

    Between ``fastest`` and ``slowest``, where set, its interval follows ``gives_every``, the seconds from one novelty
    to the next. A ``critical`` one is not stretched because the machine is busy.
    """

    id: int
    seconds: int
    users: Collection[int]
    requests: float = 1.0
    fastest: int | None = None
    slowest: int | None = None
    gives_every: float | None = None
    critical: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """The interval at which a question is asked in fact, and why."""

    seconds: int
    because: Because = Because.WISHED


def capacity(per_minute: float, *, aside: float = 0.0) -> float:
    """What of a pace searches may use, when everything else wants ``aside`` requests a minute."""
    return per_minute * (1 - RESERVE) - min(aside, per_minute * ASIDE)


def plan(
    targets: Sequence[Asked],
    users: Mapping[int, int],
    *,
    pace: float,
    load: Load = Load.NORMAL,
    resting: Collection[int] = (),
) -> dict[int, Planned]:
    """Every question's interval, by its id.

    ``users`` are the weights of people, 1 for those who are missing; ``pace`` is what may be asked a minute;
    ``resting`` are questions outside their hours, which cost nothing now.
    """
    planned = {one.id: _wanted(one, load) for one in targets}
    awake = [one for one in targets if one.id not in resting]
    costs = {one.id: 60 * one.requests / planned[one.id].seconds for one in awake}
    if fsum(costs.values()) <= pace:
        return planned
    kept = _kept(awake, costs, users, pace)
    return planned | {one.id: _shared(one, planned[one.id], kept) for one in awake}


def _wanted(one: Asked, load: Load) -> Planned:
    """What it wants where nobody else is."""
    planned = Planned(seconds=one.seconds)
    if one.fastest and one.slowest and one.gives_every is not None:
        seconds = max(one.fastest, min(round(one.gives_every / NEW_PER_CHECKS), one.slowest))
        if seconds != one.seconds:
            planned = Planned(seconds=seconds, because=Because.GIVING if seconds < one.seconds else Because.SILENT)
    if STRETCH[load] > 1 and not one.critical:
        return Planned(seconds=ceil(planned.seconds * STRETCH[load]), because=Because.LOAD)
    return planned


def _kept(
    targets: Sequence[Asked], costs: Mapping[int, float], users: Mapping[int, int], pace: float
) -> dict[int, float]:
    """Which part of what they want each person keeps, 1 for all: the smallest wish for its weight is filled first."""
    parts: dict[int, list[float]] = defaultdict(list)
    for one in targets:
        for user in one.users or (NOBODY,):
            parts[user].append(costs[one.id] / max(1, len(one.users)))
    wants = {user: fsum(own) for user, own in parts.items()}
    left, weights, kept = pace, sum(users.get(user, 1) for user in wants), {}
    for user in sorted(wants, key=lambda user: (wants[user] / users.get(user, 1), user)):
        weight = users.get(user, 1)
        given = min(wants[user], left * weight / weights)
        left, weights, kept[user] = left - given, weights - weight, given / wants[user]
    return kept


def _shared(one: Asked, planned: Planned, kept: Mapping[int, float]) -> Planned:
    part = fsum(kept[user] for user in one.users or (NOBODY,)) / max(1, len(one.users))
    seconds = ceil(planned.seconds / part - 1e-9)
    return replace(planned, seconds=seconds, because=Because.SHARED) if seconds > planned.seconds else planned


def steadied(before: Planned, after: Planned) -> Planned:
    """The plan so far, where the new one differs by little: not everything is moved for every small change."""
    near = after.seconds / LITTLE_FASTER <= before.seconds <= after.seconds * LITTLE_SLOWER
    return before if near and before.because == after.because != Because.WISHED else after

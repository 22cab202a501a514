"""What a listing watch is to tell of: from what was remembered and what is seen now to what crossed. Pure.

Edges, not levels: a trigger crosses when it goes from false to true. What is unknown crosses nothing and changes
nothing that is remembered, and what is not to be had tells no price. Falls and rises are measured from the price when
the watch began, and after each of them from the price that it came to, so that a price which goes on falling is told
again.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from .matching.verdicts import RuleVerdict, Verdict, known_or, said
from .models import CrossingKind, Watch

BEGAN, TOLD = "began", "told"
KIND_OF: Mapping[str, CrossingKind] = {
    "fall_percent": CrossingKind.FALL,
    "fall_amount": CrossingKind.FALL,
    "limit": CrossingKind.LIMIT,
    "lowest": CrossingKind.LOWEST,
    "rise_percent": CrossingKind.RISE,
    "rise_amount": CrossingKind.RISE,
    "back": CrossingKind.BACK,
    "ending": CrossingKind.ENDING,
}
MEASURED = frozenset(rule for rule, kind in KIND_OF.items() if kind in {CrossingKind.FALL, CrossingKind.RISE})
# What can be so when a watch begins: nothing has fallen, risen or come back yet.
AT_THE_START = frozenset({"limit", "ending"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Triggers:
    """What is wished; each is off when it is ``None``, 0 or false."""

    fall_percent: int | None = None
    fall_amount: int | None = None
    limit: int | None = None
    lowest_days: int | None = None
    rise_percent: int | None = None
    rise_amount: int | None = None
    back: bool = False
    ends_within: timedelta | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What a look saw; ``None`` is unknown. ``low`` is the lowest price that was known in the days that are asked for,

    ``None`` while prices are known for fewer days.
    """

    at: datetime
    price: int | None = None
    on_sale: bool | None = None
    ends_at: datetime | None = None
    low: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """What stays of all looks so far: the price when it began, the ``base`` that falls and rises are measured from,

    the last known price and whether it was to be had, and the triggers that are true.
    """

    began: int | None = None
    base: int | None = None
    price: int | None = None
    on_sale: bool | None = None
    holding: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What crossed, by rule, what every rule says, those that crossed first, and what is remembered from now on."""

    memory: Memory
    crossed: tuple[str, ...] = ()
    verdicts: list[RuleVerdict] = field(default_factory=list)

    @property
    def kinds(self) -> list[str]:
        """The kinds of what crossed, each once, the most telling first."""
        found = {KIND_OF[rule] for rule in self.crossed}
        return [kind.value for kind in CrossingKind if kind in found]


def triggers_of(watch: Watch) -> Triggers:
    """The triggers of a listing watch."""
    minutes = watch.ends_within_minutes
    return Triggers(
        fall_percent=watch.fall_percent,
        fall_amount=watch.fall_amount,
        limit=watch.price_max,
        lowest_days=watch.lowest_days,
        rise_percent=watch.rise_percent,
        rise_amount=watch.rise_amount,
        back=watch.back_on_sale,
        ends_within=timedelta(minutes=minutes) if minutes else None,
    )


def begin(triggers: Triggers, state: State) -> Evaluation:
    """The first look: what is true already; whether that is told is the caller's affair."""
    memory = _remembered(Memory(), state)
    verdicts = verdicts_of(triggers, memory, state)
    memory = replace(memory, holding=_true(verdicts))
    crossed = tuple(rule for rule in KIND_OF if rule in AT_THE_START & memory.holding and state.on_sale is not False)
    return Evaluation(memory=memory, crossed=crossed, verdicts=_in_order(verdicts, crossed))


def evaluate(triggers: Triggers, memory: Memory, state: State) -> Evaluation:
    """A further look."""
    seen = _remembered(memory, state)
    verdicts = verdicts_of(triggers, replace(seen, price=memory.price), state)
    if state.on_sale is False:
        return Evaluation(memory=replace(memory, on_sale=False), verdicts=list(verdicts.values()))
    true = _true(verdicts)
    crossed = tuple(rule for rule in KIND_OF if rule in true and _is_edge(rule, memory, state))
    unknown = {rule for rule, one in verdicts.items() if one["verdict"] == Verdict.UNKNOWN}
    after = replace(seen, holding=true | (memory.holding & unknown))
    if MEASURED & set(crossed):
        after = replace(after, base=state.price, holding=after.holding - MEASURED)
    return Evaluation(memory=after, crossed=crossed, verdicts=_in_order(verdicts, crossed))


def _is_edge(rule: str, memory: Memory, state: State) -> bool:
    if rule == "back":
        return memory.on_sale is False
    if rule == "lowest":
        return memory.price is not None and state.price is not None and state.price < memory.price
    return rule not in memory.holding


def _remembered(memory: Memory, state: State) -> Memory:
    """With what this look knows; the first known price is what falls and rises are measured from."""
    price = memory.price if state.price is None else state.price
    return replace(
        memory,
        began=price if memory.began is None else memory.began,
        base=price if memory.base is None else memory.base,
        price=price,
        on_sale=memory.on_sale if state.on_sale is None else state.on_sale,
    )


def _true(verdicts: Mapping[str, RuleVerdict]) -> frozenset[str]:
    return frozenset(rule for rule, one in verdicts.items() if one["verdict"] == Verdict.PASS)


def _in_order(verdicts: Mapping[str, RuleVerdict], crossed: Iterable[str]) -> list[RuleVerdict]:
    first = [verdicts[rule] for rule in crossed]
    return [*first, *(one for rule, one in verdicts.items() if rule not in crossed)]


def verdicts_of(triggers: Triggers, memory: Memory, state: State) -> dict[str, RuleVerdict]:
    """What every wished trigger says of a state, with the figure that it saw and the one it is measured from."""
    found: dict[str, RuleVerdict] = {}
    for rule, wish in _wishes(triggers).items():
        yes, saw, words = SAYS[rule](wish, memory, state)
        wanted = round(wish.total_seconds()) if isinstance(wish, timedelta) else "" if wish is True else wish
        found[rule] = said(rule, known_or(yes), saw=saw, wanted=wanted, words=words)
    return found


def _wishes(triggers: Triggers) -> dict[str, Any]:
    """Rule → figure; nothing that is empty, 0 or false."""
    wishes = {
        "fall_percent": triggers.fall_percent,
        "fall_amount": triggers.fall_amount,
        "limit": triggers.limit,
        "lowest": triggers.lowest_days,
        "rise_percent": triggers.rise_percent,
        "rise_amount": triggers.rise_amount,
        "back": triggers.back,
        "ending": triggers.ends_within,
    }
    return {rule: wish for rule, wish in wishes.items() if wish}


Said = tuple[bool | None, object, list[str]]


def _measured(reached: Callable[[int, int, int], bool]) -> Callable[[int, Memory, State], Said]:
    """A rule about the price beside the one it is measured from."""

    def rule(wish: int, memory: Memory, state: State) -> Said:
        if state.price is None or memory.base is None:
            return None, state.price, []
        since = BEGAN if memory.base == memory.began else TOLD
        return reached(state.price, memory.base, wish), state.price, [str(memory.base), since]

    return rule


def _limit(wish: int, memory: Memory, state: State) -> Said:
    return None if state.price is None else state.price <= wish, state.price, _before(memory)


def _before(memory: Memory) -> list[str]:
    return [] if memory.price is None else [str(memory.price)]


def _lowest(wish: int, memory: Memory, state: State) -> Said:  # noqa: ARG001 - a rule like the others
    if state.price is None or state.low is None:
        return None, state.price, []
    return state.price < state.low, state.price, [str(state.low)]


def _back(wish: bool, memory: Memory, state: State) -> Said:  # noqa: ARG001 - a rule like the others
    return state.on_sale, state.price, []


def _ending(wish: timedelta, memory: Memory, state: State) -> Said:  # noqa: ARG001 - a rule like the others
    if state.ends_at is None:
        return None, None, []
    left = state.ends_at - state.at
    return timedelta() < left <= wish, round(left.total_seconds()), []


SAYS: Mapping[str, Callable[[Any, Memory, State], Said]] = {
    "fall_percent": _measured(lambda price, base, wish: price * 100 <= base * (100 - wish)),
    "fall_amount": _measured(lambda price, base, wish: price <= base - wish),
    "limit": _limit,
    "lowest": _lowest,
    "rise_percent": _measured(lambda price, base, wish: price * 100 >= base * (100 + wish)),
    "rise_amount": _measured(lambda price, base, wish: price >= base + wish),
    "back": _back,
    "ending": _ending,
}


def to_plain(memory: Memory) -> dict[str, Any]:
    """What is remembered, as JSON knows it."""
    names = ("began", "base", "price", "on_sale")
    return {name: getattr(memory, name) for name in names} | {"holding": sorted(memory.holding)}


def from_plain(kept: Mapping[str, Any]) -> Memory:
    """What :func:`to_plain` wrote; an empty one is a memory of nothing."""
    return Memory(**({**kept, "holding": frozenset(kept.get("holding", ()))}))

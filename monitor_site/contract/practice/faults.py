"""Scripted faults: what goes wrong on which route, how often, for how long."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict, dataclass, field
from random import Random
from typing import Any

from .reply import Receive, Reply, Send

EVERY_ROUTE = "*"


@dataclass(slots=True, eq=False)
class Fault:
    """One fault in force; ``left`` counts down, ``until`` is real unix seconds, ``options`` belong to the kind."""

    id: int
    kind: str
    route: str
    left: int | None = None
    probability: float = 1.0
    until: float | None = None
    options: dict[str, Any] = field(default_factory=dict)

    def number(self, name: str, default: float) -> float:
        """A numeric option."""
        return float(self.options.get(name, default))

    def shown(self) -> dict[str, Any]:
        """For the control end."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Scene:
    """What a fault has at hand: itself, the connection, and the good reply."""

    fault: Fault
    send: Send
    receive: Receive
    good: Callable[[], Awaitable[Reply]]


Kind = Callable[[Scene], Awaitable[None]]


class Faults:
    """The faults in force, oldest first; the first that strikes is the one that counts.

    ``kinds`` are what may go wrong, ``routes`` what it may befall; a fault without a route is one of the first.
    """

    def __init__(
        self, rng: Random, wall: Callable[[], float], *, kinds: Mapping[str, Kind], routes: tuple[str, ...]
    ) -> None:
        self._rng, self._wall = rng, wall
        self._kinds, self._routes = kinds, (*routes, EVERY_ROUTE)
        self._next_id = 1
        self._active: list[Fault] = []

    @property
    def active(self) -> list[Fault]:
        """The faults that can still strike."""
        self._active = [fault for fault in self._active if self._lives(fault)]
        return self._active

    def set(self, wanted: Mapping[str, Any]) -> Fault:
        """Put a fault in force; raises ``ValueError`` for an unknown kind or route."""
        known = dict(wanted)
        kind, route = known.pop("kind", None), known.pop("route", self._routes[0])
        if kind not in self._kinds or route not in self._routes:
            kinds, routes = ", ".join(sorted(self._kinds)), ", ".join(self._routes)
            raise ValueError(f"kind is one of {kinds}; route is one of {routes}")
        count, seconds = known.pop("count", None), known.pop("for_seconds", None)
        fault = Fault(
            id=self._next_id,
            kind=kind,
            route=route,
            left=None if count is None else int(count),
            probability=float(known.pop("probability", 1.0)),
            until=None if seconds is None else self._wall() + float(seconds),
            options=known,
        )
        self._next_id += 1
        self._active.append(fault)
        return fault

    def clear(self, fault_id: int | None) -> None:
        """End one fault, or all."""
        self._active = [fault for fault in self._active if fault_id is not None and fault.id != fault_id]

    def strike(self, route: str) -> Fault | None:
        """The fault that hits this request, if one does; uses it up by one."""
        for fault in self.active:
            if fault.route in {route, EVERY_ROUTE} and self._rng.random() < fault.probability:
                if fault.left is not None:
                    fault.left -= 1
                return fault
        return None

    async def play(self, scene: Scene) -> None:
        """Let the scene's fault answer the request."""
        await self._kinds[scene.fault.kind](scene)

    def _lives(self, fault: Fault) -> bool:
        return fault.left != 0 and (fault.until is None or self._wall() < fault.until)

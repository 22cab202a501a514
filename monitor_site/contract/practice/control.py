"""The control end under ``/_practice/``: look into the world, push it, break it. JSON in, JSON out."""

from collections.abc import Callable, Mapping, Sized
from typing import Any, Generic, Protocol, TypeVar

import orjson

from .clock import Clock
from .faults import Faults
from .reply import Reply, Request, json_reply
from .shelf import Shelf, UnknownListing
from .truth import Truth

ROOT = "/_practice/"


class World(Protocol):
    """What is on offer; ``index_lag`` is how many seconds a new listing stays invisible in search."""

    seed: int
    clock: Clock
    index_lag: float

    @property
    def truth(self) -> Truth:
        """The truth log."""

    @property
    def listings(self) -> Sized:
        """All listings."""

    @property
    def shelves(self) -> Mapping[str, Shelf[Any]]:
        """The shelf of each keyword ever asked."""


class Stream(Protocol):
    """What happens by itself while ``running``: at most ``per_second`` new listings a virtual second."""

    running: bool
    per_second: float

    def run(self) -> None:
        """Let everything happen that is due by now."""


class Market(Protocol):
    """A practice market as the control end sees it."""

    @property
    def world(self) -> World:
        """What is on offer."""

    @property
    def stream(self) -> Stream:
        """What happens by itself."""

    @property
    def faults(self) -> Faults:
        """What goes wrong."""


M = TypeVar("M", bound=Market)
Order = dict[str, Any]
Handler = Callable[[M, Order], Any]


class Control(Generic[M]):
    """Does what orders ask. ``handlers``, by method and name, add to what every market knows, or replace it."""

    def __init__(self, handlers: Mapping[tuple[str, str], Handler[M]]) -> None:
        self._handlers: dict[tuple[str, str], Handler[M]] = {**HANDLERS, **handlers}

    def answer(self, market: M, request: Request) -> Reply:
        """Do what is asked; 400 with a reason for a bad order, 404 for an unknown one or an unknown listing."""
        handler = self._handlers.get((request.method, request.path.removeprefix(ROOT)))
        if handler is None:
            return json_reply({"error": "unknown", "known": [f"{m} {n}" for m, n in self._handlers]}, 404)
        try:
            return json_reply(handler(market, _order(request)))
        except UnknownListing as unknown:
            return json_reply({"error": f"no listing {unknown}"}, 404)
        except (ValueError, TypeError, KeyError) as wrong:
            return json_reply({"error": f"{type(wrong).__name__}: {wrong}"}, 400)


def _order(request: Request) -> Order:
    if request.method == "GET":
        return {name: value for name, value in request.parameters.items() if value}
    order = orjson.loads(request.body) if request.body.strip() else {}
    if not isinstance(order, dict):
        raise TypeError("an order is an object")
    return order


def _state(market: Market, _: Order) -> Any:
    market.stream.run()
    clock, world = market.world.clock, market.world
    return {
        "now": clock.now(),
        "speed": clock.speed,
        "seed": world.seed,
        "index_lag": world.index_lag,
        "stream": {"running": market.stream.running, "per_second": market.stream.per_second},
        "listings": len(world.listings),
        "keywords": len(world.shelves),
        "totals": world.truth.totals,
        "faults": [fault.shown() for fault in market.faults.active],
    }


def _asked(market: Market, _: Order) -> Any:
    shelves = market.world.shelves.values()
    return {shelf.keyword: {"times": shelf.times_asked, "last": shelf.asked} for shelf in shelves}


def _truth(market: Market, order: Order) -> Any:
    market.stream.run()
    return {"events": market.world.truth.tail(int(order.get("tail", 100)))}


def _clock(market: Market, order: Order) -> Any:
    clock = market.world.clock
    if "speed" in order:
        clock.run_at(float(order["speed"]))
    if "advance" in order:
        clock.advance(float(order["advance"]))
    return {"now": clock.now(), "speed": clock.speed}


def settings(market: Market, order: Order) -> dict[str, Any]:
    """Set what every market has, and tell how it stands; a market with more settings adds its own to it."""
    if "index_lag" in order:
        market.world.index_lag = float(order["index_lag"])
    if "per_second" in order:
        market.stream.per_second = float(order["per_second"])
    return {"index_lag": market.world.index_lag, "per_second": market.stream.per_second}


def _running(*, running: bool) -> Handler[Market]:
    def handler(market: Market, _: Order) -> Any:
        market.stream.run()
        market.stream.running = running
        return {"running": running}

    return handler


def _faults(market: Market, _: Order) -> Any:
    return {"faults": [fault.shown() for fault in market.faults.active]}


def _set_fault(market: Market, order: Order) -> Any:
    fault = market.faults.set(order)
    market.world.truth.write("fault set", fault=fault.shown())
    return fault.shown()


def _clear_faults(market: Market, order: Order) -> Any:
    market.faults.clear(order.get("id"))
    market.world.truth.write("faults cleared", id=order.get("id"))
    return _faults(market, order)


HANDLERS: dict[tuple[str, str], Handler[Market]] = {
    ("GET", "state"): _state,
    ("GET", "asked"): _asked,
    ("GET", "truth"): _truth,
    ("POST", "clock"): _clock,
    ("POST", "settings"): settings,
    ("POST", "pause"): _running(running=False),
    ("POST", "resume"): _running(running=True),
    ("GET", "faults"): _faults,
    ("POST", "faults"): _set_fault,
    ("POST", "faults/clear"): _clear_faults,
}

"""The sample market with a till: purchases and what was cancelled of them."""

from pathlib import Path
from typing import Any, ClassVar

import orjson

from monitor_site.contract.practice import Clock, Control, Reply, Request, Truth, fixed, json_reply
from monitor_site.contract.scaffold.sample_market import practice as whole

REFUSALS = [{"kind": "sold_out", "fault": {"kind": "sold"}}]


def _refusals(_market: "Market", _order: Any) -> Any:
    return REFUSALS


class Market(whole.Market):
    """Sells each listing once."""

    control: ClassVar[Control[Any]] = Control({**whole.Market.control._handlers, ("GET", "refusals"): _refusals})
    kinds = {**whole.KINDS, "sold": fixed(json_reply({"refused": "sold_out"}, 409))}  # noqa: RUF012
    routes = (*whole.Market.routes, "purchase", "purchased", "cancel")

    def __init__(self, *parts: Any) -> None:
        super().__init__(*parts)
        self.bought: dict[str, dict[str, Any]] = {}

    def route(self, path: str) -> str:
        name = path.split("/")[1]
        return name if name in {"purchase", "purchased", "cancel"} else super().route(path)

    async def good(self, route: str, request: Request) -> Reply:
        if route == "purchased":
            return json_reply(self.bought.get(request.path.removeprefix("/purchased/"), {"none": True}))
        if route not in {"purchase", "cancel"}:
            return await super().good(route, request)
        asked = orjson.loads(request.body)
        return self._sell(asked["id"]) if route == "purchase" else self._cancel(asked["number"])

    def _sell(self, name: str) -> Reply:
        sold = {"id": name, "number": f"n{len(self.bought) + 1}", "stage": "wait_shipping"}
        self.bought[name] = sold
        self.world.truth.write("purchased", id=name)
        return json_reply(sold)

    def _cancel(self, number: str) -> Reply:
        found = [one for one in self.bought.values() if one["number"] == number]
        if not found:
            return json_reply({"refused": "not_cancellable"}, 409)
        found[0]["stage"] = "cancelled"
        return json_reply(found[0])


def create(*, seed: int, truth_log: Path | None) -> Market:
    clock = Clock()
    world = whole.World(seed=seed, clock=clock, truth=Truth(clock, truth_log))
    return Market(world, whole.Stream(world))

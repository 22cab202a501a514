"""Building blocks of a practice market: a local server that plays one marketplace over real HTTP.

A plugin makes its market out of its own *world* (what is on offer), *stream* (what happens by itself) and answers, and
takes from here what every market needs::

    class Market(PracticeMarket[World, Stream]):
        control = Control({("POST", "list"): list_something})
        kinds = {**generic_kinds(error=..., throttled=..., maintenance=...), "expired": fixed(json_reply({}, 401))}
        routes = ("search", "photos")

        def route(self, path: str) -> str: ...
        async def good(self, route: str, request: Request) -> Reply: ...

``Market(world, Stream(world))`` is an ASGI application with the control end under ``/_practice/``: its clock can run
fast, faults of any kind can be set, and the truth log tells what really happened. Nothing here knows Django.
"""

from .chance import random_for
from .clock import Clock
from .control import Control, Handler, Order, settings
from .drawings import Drawings
from .faults import Fault, Faults, Kind, Scene
from .kinds import fixed, generic_kinds, renamed
from .market import PracticeMarket
from .reply import HTML, JSON, Reply, Request, cut, hang, html_reply, json_reply, send_reply
from .shelf import NOTHING, Shelf, UnknownListing, fold
from .truth import Truth

__all__ = [
    "HTML",
    "JSON",
    "NOTHING",
    "Clock",
    "Control",
    "Drawings",
    "Fault",
    "Faults",
    "Handler",
    "Kind",
    "Order",
    "PracticeMarket",
    "Reply",
    "Request",
    "Scene",
    "Shelf",
    "Truth",
    "UnknownListing",
    "cut",
    "fixed",
    "fold",
    "generic_kinds",
    "hang",
    "html_reply",
    "json_reply",
    "random_for",
    "renamed",
    "send_reply",
    "settings",
]
